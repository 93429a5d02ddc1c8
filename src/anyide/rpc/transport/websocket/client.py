"""The WebSocket client: connects a receiver to a server."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidHandshake, InvalidURI
from websockets.http11 import Response
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from anyide.errors import ConnectFailed
from anyide.rpc.transport import Receiver
from anyide.rpc.transport.websocket.socket import Limits, WebSocket, new_inbox

_silent = logging.getLogger(f"{__name__}.core")
_silent.disabled = True


class ClientSocket(WebSocket):
    """The client's end of one WebSocket; `connect` makes one."""

    _protocol: ClientProtocol

    def __init__(
        self,
        receiver: Receiver,
        protocol: ClientProtocol,
        *,
        headers: Mapping[str, str],
        limits: Limits,
    ) -> None:
        super().__init__(protocol, limits, new_inbox())
        self._headers = headers
        self._waiting_receiver = receiver
        self.opened: asyncio.Future[None] = self._loop.create_future()
        self.opened.add_done_callback(_see)

    @property
    def subprotocol(self) -> str | None:
        """What was agreed on."""
        return self._protocol.subprotocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The server is there: ask for the upgrade."""
        super().connection_made(transport)
        request = self._protocol.connect()
        request.headers.update(self._headers)
        self._protocol.send_request(request)
        self._write()

    def connection_lost(self, exc: Exception | None) -> None:
        """The server is gone, perhaps before it let us in."""
        super().connection_lost(exc)
        self._fail_to_open(_refusal(self._protocol.handshake_exc, exc))

    def _shake_hands(self, event: Any) -> None:
        assert isinstance(event, Response)
        if event.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            # Not by the state: their close frame may have come in the same chunk.
            self._open_or_fail(self._protocol.handshake_exc)
        else:
            status = event.status_code
            body = (event.body or b"").decode(errors="replace").strip()
            reason = f"the server refused us with HTTP status {status}" + (body and f": {body}")
            self._fail_to_open(ConnectFailed(reason, status=status))

    def _open_or_fail(self, problem: Exception | None) -> None:
        if problem is not None:
            self._fail_to_open(_refusal(problem, None))
        elif not self.opened.done():
            self.opened.set_result(None)
            self._opened(self._waiting_receiver)

    def _fail_to_open(self, error: ConnectFailed) -> None:
        if not self.opened.done():
            self.opened.set_exception(error)


async def connect(
    receiver: Receiver,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    subprotocols: Sequence[str] = (),
    limits: Limits | None = None,
) -> ClientSocket:
    """Connect to a ws:// address; raises ConnectFailed when nobody lets us in.

    Proxy settings are passed over on purpose: the other side is on this machine.
    """
    limits = limits or Limits()
    try:
        uri = parse_uri(url)
    except InvalidURI as error:
        raise ConnectFailed(f"{url!r} is not a WebSocket address") from error
    if uri.secure:
        raise ConnectFailed(f"{url!r} asks for TLS; only ws:// addresses of this machine are known")
    protocol = ClientProtocol(
        uri,
        subprotocols=[Subprotocol(name) for name in subprotocols] or None,
        max_size=limits.message_bytes,
        logger=_silent,
    )
    loop = asyncio.get_running_loop()

    def make() -> ClientSocket:
        return ClientSocket(receiver, protocol, headers=headers or {}, limits=limits)

    try:
        async with asyncio.timeout(limits.open_seconds):
            _, socket = await loop.create_connection(make, uri.host, uri.port)
            await _wait_open(socket)
    except TimeoutError:
        raise ConnectFailed(f"no answer from {uri.host}:{uri.port}") from None
    except OSError as error:
        problem = error.strerror or str(error)
        raise ConnectFailed(f"cannot reach {uri.host}:{uri.port}: {problem}") from error
    return socket


async def _wait_open(socket: ClientSocket) -> None:
    try:
        await socket.opened
    except BaseException:
        socket.close()
        raise


def _see(opened: asyncio.Future[None]) -> None:
    if not opened.cancelled():
        opened.exception()  # nobody may be left who waits for it


def _refusal(handshake: Exception | None, cause: Exception | None) -> ConnectFailed:
    if isinstance(handshake, InvalidHandshake):
        return ConnectFailed(f"the server did not shake hands: {handshake}")
    return ConnectFailed(f"the server hung up: {cause}" if cause else "the server hung up")

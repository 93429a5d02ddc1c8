"""The WebSocket server: listens, shows each upgrade request to a gate, and does what it says."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from msgspec import Struct
from websockets.http11 import Request
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from anyide.errors import ConnectFailed
from anyide.rpc.transport import Receiver
from anyide.rpc.transport.websocket.socket import Limits, WebSocket, new_inbox, shorten

# The core logs each connection; what is worth a line is logged here.
_silent = logging.getLogger(f"{__name__}.core")
_silent.disabled = True

BACKLOG = 1024


class Upgrade(Struct, frozen=True):
    """A request to begin: header names are in lower case."""

    path: str
    headers: Mapping[str, str]
    """Of a header that came twice, every value, joined by a comma."""


class Accept(Struct, frozen=True):
    """Let them in: what they say goes to `receiver`."""

    receiver: Receiver


class Refuse(Struct, frozen=True):
    """Do not let them in: answer the request with an HTTP status."""

    status: HTTPStatus
    reason: str


class Dismiss(Struct, frozen=True):
    """Finish the upgrade and close at once; nothing they say is read."""

    code: int
    reason: str


Gate = Callable[[Upgrade], Accept | Refuse | Dismiss]


class WebSocketServer:
    """Listens on one address; `start` makes one."""

    def __init__(self, gate: Gate, *, subprotocols: Sequence[str], limits: Limits) -> None:
        self.gate = gate
        self.limits = limits
        self.subprotocols = [Subprotocol(name) for name in subprotocols]
        self.sockets: set[ServerSocket] = set()
        self.inbox = new_inbox()
        self._listener: asyncio.Server | None = None
        self._empty = asyncio.Event()
        self._empty.set()
        self._is_closing = False

    @classmethod
    async def start(
        cls,
        gate: Gate,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        subprotocols: Sequence[str] = (),
        limits: Limits | None = None,
    ) -> WebSocketServer:
        """Listen; port 0 takes any free one. Raises ConnectFailed when the port is taken."""
        server = cls(gate, subprotocols=subprotocols, limits=limits or Limits())
        loop = asyncio.get_running_loop()
        try:
            server._listener = await loop.create_server(
                lambda: ServerSocket(server), host, port, backlog=BACKLOG
            )
        except OSError as error:
            where = f"{host}, port {port}"
            raise ConnectFailed(f"cannot listen on {where}: {error.strerror or error}") from error
        return server

    @property
    def port(self) -> int:
        """The port it listens on."""
        assert self._listener is not None
        port: int = self._listener.sockets[0].getsockname()[1]
        return port

    async def close(self, code: int = 1001, reason: str = "the server is going away") -> None:
        """Stop listening and close every socket; returns when all are gone."""
        assert self._listener is not None
        self._is_closing = True
        self._listener.close()
        for socket in list(self.sockets):
            socket.close(code, reason)
        await self._empty.wait()

    def added(self, socket: ServerSocket) -> None:
        """A client has come."""
        self.sockets.add(socket)
        self._empty.clear()
        if self._is_closing:  # it was accepted a moment before
            socket.close()

    def removed(self, socket: ServerSocket) -> None:
        """A client has gone."""
        self.sockets.discard(socket)
        if not self.sockets:
            self._empty.set()


class ServerSocket(WebSocket):
    """The server's end of one WebSocket."""

    _protocol: ServerProtocol

    def __init__(self, server: WebSocketServer) -> None:
        protocol = ServerProtocol(
            subprotocols=server.subprotocols,
            # Without it, the library refuses a client that asks for no subprotocol of ours.
            select_subprotocol=_select_subprotocol,
            max_size=server.limits.message_bytes,
            logger=_silent,
        )
        super().__init__(protocol, server.limits, server.inbox)
        self._server = server
        self._tail = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client is there."""
        super().connection_made(transport)
        self._server.added(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        try:
            super().connection_lost(exc)
        finally:
            self._server.removed(self)

    def pause_writing(self) -> None:
        """They are slow: stop reading, so that they cannot ask for more.

        Only the server does: two ends that both stop would wait for each other for ever.
        """
        super().pause_writing()
        self.pause_reading()

    def resume_writing(self) -> None:
        """They caught up."""
        super().resume_writing()
        self.resume_reading()

    def _receive_early(self, data: bytes) -> None:
        # The core would act on frames behind the request before anybody has let them in.
        seam = self._tail + data
        end = seam.find(b"\r\n\r\n")
        if end < 0:
            self._tail = seam[-3:]
            self._receive(data)
            return
        cut = end + 4 - len(self._tail)
        self._tail = b""
        self._receive(data[:cut])
        self._receive(data[cut:])

    def _shake_hands(self, event: Any) -> None:
        assert isinstance(event, Request)
        decision = self._server.gate(_upgrade(event))
        if isinstance(decision, Refuse):
            response = self._protocol.reject(decision.status, decision.reason + "\n")
            self._protocol.send_response(response)
            return
        response = self._protocol.accept(event)
        self._protocol.send_response(response)
        if response.status_code != HTTPStatus.SWITCHING_PROTOCOLS:
            if isinstance(decision, Accept):
                decision.receiver.lost(ConnectFailed("they did not ask for a WebSocket"))
        elif isinstance(decision, Dismiss):
            self._protocol.fail(decision.code, shorten(decision.reason))
        else:
            self._opened(decision.receiver)


def _upgrade(request: Request) -> Upgrade:
    headers: dict[str, str] = {}
    for name, value in request.headers.raw_items():
        key = name.lower()
        headers[key] = f"{headers[key]},{value}" if key in headers else value
    return Upgrade(path=request.path, headers=headers)


def _select_subprotocol(
    protocol: ServerProtocol, offered: Sequence[Subprotocol]
) -> Subprotocol | None:
    ours = protocol.available_subprotocols or ()
    return next((name for name in ours if name in offered), None)

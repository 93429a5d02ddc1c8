"""The CLI's end of the protocol: connect to any IDE, call its tools, hear what it tells.

    async with IdeClient.for_folder(".") as ide:
        result = await ide.call("openFile", filePath="/the/file")

It works with every server of the seeds: strict and loose, old and new.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec

from anyide import __version__
from anyide.errors import (
    AnyideError,
    ConnectFailed,
    ConnectionClosed,
    IdeNotFound,
    InvalidAnswer,
    MethodNotFound,
    RequestTimeout,
    RpcError,
)
from anyide.ide.discovery import Ide, choose, discover
from anyide.ide.gate import POLICY_VIOLATION, SUBPROTOCOL, TOKEN_HEADER
from anyide.ide.messages import CallResult, Implementation, ToolInfo, ToolList
from anyide.log import keep_secret
from anyide.rpc.connection import Connection, Handler
from anyide.rpc.message import Notification
from anyide.rpc.transport.websocket.client import connect

T = TypeVar("T")
Find = Callable[[], Awaitable[Ide]]

PROTOCOL_VERSION = "2025-11-25"
PATHS = ("/", "/mcp")
"""Where servers listen: what the CLI asks for, and what seed 001 writes."""
RETRY_SECONDS = 0.05
MAX_UNREAD = 1000
"""Notifications kept for somebody who does not read them; the oldest go first."""

log = logging.getLogger(__name__)


class Notice(msgspec.Struct, frozen=True):
    """Something the IDE told; `params` as plain values."""

    method: str
    params: Any = None


class Patience(msgspec.Struct, frozen=True):
    """How long the client puts up with what, in seconds."""

    introduction: float = 5.0
    """For the answer to `initialize`; some servers do not even say no."""
    ready: float = 1.5
    """After connecting, while "Method not found" may mean "not ready yet" (seed 000)."""
    reconnect: float = 5.0
    """For an IDE that went away to come back, as the CLI does."""


class IdeClient:
    """One CLI's view of an IDE; an async context manager that reconnects by itself."""

    def __init__(
        self,
        find: Find,
        *,
        folder: str | None = None,
        reconnect: bool = True,
        name: str = "anyide",
        patience: Patience | None = None,
    ) -> None:
        self._find = find
        self._folder = folder or str(Path.cwd())
        self._reconnect = reconnect
        self._name = name
        self._patience = patience or Patience()
        self._connection: Connection | None = None
        self._connected_at = 0.0
        self._is_introduced = False
        self._gone: AnyideError | None = None
        self._unread: deque[Notice] = deque(maxlen=MAX_UNREAD)
        self._told = asyncio.Event()
        self._dialling: asyncio.Lock = asyncio.Lock()
        self._is_over = False
        self._redial: asyncio.Task[None] | None = None
        self.ide: Ide | None = None

    @classmethod
    def for_folder(
        cls,
        folder: str | Path = ".",
        *,
        port: int | None = None,
        reconnect: bool = True,
        patience: Patience | None = None,
    ) -> IdeClient:
        """A client of the IDE that serves a folder, found by its lock file."""
        place = str(Path(folder).resolve())

        async def find() -> Ide:
            return choose(await discover(), place, port=port)

        return cls(find, folder=place, reconnect=reconnect, patience=patience)

    @classmethod
    def at(
        cls,
        port: int,
        token: str = "",
        *,
        host: str = "127.0.0.1",
        patience: Patience | None = None,
    ) -> IdeClient:
        """A client of the IDE at a known address."""
        ide = Ide(
            port=port,
            pid=None,
            name="",
            folders=(),
            token=token,
            transport="ws",
            lock_path=Path(),
            host=host,
        )

        async def find() -> Ide:
            return ide

        return cls(find, patience=patience)

    # From start to end.

    async def __aenter__(self) -> Self:
        """Connect; raises IdeNotFound or ConnectFailed."""
        await self._connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._is_over = True
        self._told.set()
        if self._redial is not None:
            self._redial.cancel()
        if self._connection is not None:
            self._connection.close()
            await self._connection.wait_closed()

    # What it can do.

    async def tools(self) -> tuple[ToolInfo, ...]:
        """The tools that the IDE offers."""
        return (await self._ask("tools/list", {}, ToolList)).tools

    async def call(self, tool: str, /, **arguments: Any) -> CallResult:
        """Call a tool; a tool that failed answers with `is_error`.

        Raises RpcError when the IDE does not know the tool or its arguments, ConnectionClosed when
        it went away before it answered.
        """
        params = {"name": tool, "arguments": arguments}
        return await self._ask("tools/call", params, CallResult)

    async def request(self, method: str, /, **params: Any) -> Any:
        """Call a plain method, such as those of seed 004."""
        return await self._ask(method, params, object)

    async def notifications(self) -> AsyncIterator[Notice]:
        """What the IDE tells, over reconnections; ends when the client does.

        Raises what kept us from coming back, once an IDE that went away stays away.
        """
        while not self._is_over:
            while self._unread:
                yield self._unread.popleft()
            if self._gone is not None:
                raise self._gone.with_traceback(None)
            self._told.clear()
            await self._told.wait()

    # Inside: asking.

    async def _ask(self, method: str, params: Any, kind: type[T]) -> T:
        loop = asyncio.get_running_loop()
        while True:
            connection = await self._connect()
            try:
                return await connection.request(method, params, kind=kind)
            except MethodNotFound:
                # Right after its start a server may not know its own methods yet (seed 000).
                if loop.time() - self._connected_at > self._patience.ready:
                    raise
            await asyncio.sleep(RETRY_SECONDS)
            if not self._is_introduced and not connection.is_closed:
                await self._introduce(connection)

    # Inside: connecting.

    async def _connect(self) -> Connection:
        async with self._dialling:
            if self._connection is not None and not self._connection.is_closed:
                return self._connection
            if self._is_over:
                raise ConnectionClosed("the client is closed")
            self._connection = await self._dial_until_answered()
            self._gone = None
            return self._connection

    async def _dial_until_answered(self) -> Connection:
        is_first = self.ide is None
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._patience.reconnect
        while True:
            try:
                return await self._dial()
            except (ConnectFailed, IdeNotFound) as error:
                if is_first or not self._reconnect or loop.time() > deadline:
                    raise
                log.debug("not there yet: %s", error)
            await asyncio.sleep(RETRY_SECONDS)

    async def _dial(self) -> Connection:
        ide = await self._find()
        keep_secret(ide.token)
        connection = await self._knock(ide)
        self._connected_at = asyncio.get_running_loop().time()
        self._is_introduced = False
        try:
            await self._introduce(connection)
        except ConnectionClosed as error:
            raise _refused(ide.url, error) from error
        except BaseException:
            connection.close()
            raise
        self.ide = ide
        return connection

    async def _knock(self, ide: Ide) -> Connection:
        *others, last = _addresses(ide)
        for url in others:
            try:
                return await self._knock_at(url, ide)
            except ConnectFailed as error:
                if error.status != HTTPStatus.NOT_FOUND:
                    raise
        return await self._knock_at(last, ide)

    async def _knock_at(self, url: str, ide: Ide) -> Connection:
        def lost(error: ConnectionClosed) -> None:
            self._lost(connection, error)

        headers = {"User-Agent": f"anyide/{__version__}"}
        if ide.token:
            headers[TOKEN_HEADER] = ide.token
        name = ide.name or "ide"
        connection = Connection(self._handlers(), other=self._other, on_closed=lost, name=name)
        try:
            await connect(connection, url, headers=headers, subprotocols=[SUBPROTOCOL])
        except ConnectFailed as error:
            raise _refused(url, error) from error
        return connection

    async def _introduce(self, connection: Connection) -> None:
        params = {
            "protocolVersion": PROTOCOL_VERSION,
            "capabilities": {"roots": {"listChanged": True}},
            "clientInfo": {"name": self._name, "version": __version__},
        }
        try:
            await connection.request(
                "initialize", params, kind=object, timeout=self._patience.introduction
            )
        except (RpcError, InvalidAnswer, RequestTimeout) as error:
            # The loose servers of the seeds take calls without it.
            log.debug("not introduced: %s", error)
            return
        self._is_introduced = True
        connection.notify("notifications/initialized")
        connection.notify("ide_connected", {"pid": os.getpid()})

    def _handlers(self) -> dict[str, Handler]:
        uri = Path(self._folder).as_uri()
        return {
            "ping": lambda _: {},
            "roots/list": lambda _: {"roots": [{"uri": uri, "name": Path(self._folder).name}]},
        }

    def _other(self, message: Any) -> None:
        if not isinstance(message, Notification):
            raise MethodNotFound(f"Method not found: {message.method}")
        params = None
        with contextlib.suppress(msgspec.DecodeError, TypeError):
            params = msgspec.json.decode(message.params)
        self._unread.append(Notice(message.method, params))
        self._told.set()

    def _lost(self, connection: Connection, error: ConnectionClosed) -> None:
        if self._is_over or connection is not self._connection:
            return
        log.info("the IDE went away: %s", error)
        if self._reconnect:
            self._redial = asyncio.get_running_loop().create_task(self._come_back())
        else:
            self._give_up(error)

    async def _come_back(self) -> None:
        # Whoever only listens wants to hear on; whoever calls gets the error there.
        try:
            await self._connect()
        except AnyideError as error:
            self._give_up(error)

    def _give_up(self, error: AnyideError) -> None:
        self._gone = error
        self._told.set()


def _addresses(ide: Ide) -> list[str]:
    if ide.transport != "ws":
        return [ide.url]
    return [ide.url.removesuffix("/") + path for path in PATHS]


def _refused(url: str, error: ConnectionClosed) -> ConnectFailed:
    """Say what to do about it, where that is known."""
    status = error.status if isinstance(error, ConnectFailed) else None
    if error.code == POLICY_VIOLATION or status in (401, 403):
        return ConnectFailed(
            f"{url} refused our token: its lock file may be left from an earlier run, or the token"
            f" given is wrong; restart the editor and try again ({error.reason})",
            status=status,
        )
    if isinstance(error, ConnectFailed):
        return error
    return ConnectFailed(f"{url} let us in and hung up: {error}")


__all__ = ["Ide", "IdeClient", "Implementation", "Notice", "Patience"]

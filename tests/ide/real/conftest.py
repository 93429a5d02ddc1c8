"""Our IDE server and the real CLI in its terminal, together; only the model is stood in for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from anyide.editor.memory import MemoryEditor
from anyide.editor.model import Output, Position, Proposal, Range, Selection, TextOutput
from anyide.ide.server import IdeServer
from tests.real.claude import Home
from tests.real.fixtures import StartClaude
from tests.real.terminal import Terminal

PATIENCE = 30.0


class Desk:
    """An editor that a person sits at, the server that serves it, and what happened to it."""

    def __init__(self, editor: MemoryEditor, server: IdeServer, changed: asyncio.Event) -> None:
        self.editor = editor
        self.server = server
        self._changed = changed

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait until something about the sessions is so."""
        async with asyncio.timeout(PATIENCE):
            while not true():
                self._changed.clear()
                await self._changed.wait()

    async def proposal(self) -> Proposal:
        """Wait for the next proposed change."""
        async with asyncio.timeout(PATIENCE):
            return await self.editor.next_proposal()

    async def ended(self, proposal: Proposal) -> object:
        """Wait until a review was closed and tell how it ended."""
        async with asyncio.timeout(PATIENCE):
            return await self.editor.ended(proposal.id)

    async def select(self, path: Path, first: int, last: int) -> Selection:
        """Select whole lines of a file."""
        await self.editor.open_file(str(path), preview=False, focus=True, select=None)
        place = Range(Position(first, 0), Position(last, 1000))
        return self.editor.select(str(path), place)


async def execute(code: str) -> Sequence[Output]:
    """Stand in for a kernel: evaluate an expression."""
    return [TextOutput(str(eval(code)))]


@pytest.fixture
async def open_desk(home: Home, project: Path) -> Callable[[], Awaitable[Desk]]:
    async def make() -> Desk:
        changed = asyncio.Event()
        editor = MemoryEditor([str(project)], executor=execute)
        server = IdeServer(
            editor, [project], config_dir=home.path / ".claude", on_sessions=changed.set
        )
        return Desk(editor, server, changed)

    return make


@pytest.fixture
async def desk(open_desk: Callable[[], Awaitable[Desk]]) -> AsyncIterator[Desk]:
    made = await open_desk()
    async with made.server:
        yield made


@pytest.fixture
async def terminal(desk: Desk, start_claude: StartClaude, project: Path) -> Terminal:
    """A CLI that is connected and shows what is selected."""
    return await connect(desk, start_claude, project)


async def connect(desk: Desk, start_claude: StartClaude, project: Path) -> Terminal:
    """Start a CLI, and wait until it uses the editor: it shows the file that is open there."""
    known = {info.id for info in desk.server.sessions}
    here = project / "here.py"
    if not here.exists():
        here.write_text("here = 1\nnow = 2\n")
        await desk.select(here, 0, 0)
    started = await start_claude(env={"CLAUDE_CODE_SSE_PORT": str(desk.server.port)})
    await desk.until(lambda: any(i.folders for i in desk.server.sessions if i.id not in known))
    await started.ready()
    await started.until("⧉")
    return started


def write(path: Path, content: str) -> str:
    """A prompt that makes the model call Write."""
    return f"CALL Write {json.dumps({'file_path': str(path), 'content': content})}"


def edit(path: Path, old: str, new: str) -> str:
    """A prompt that makes the model read a file and then edit it."""
    read = json.dumps({"file_path": str(path)})
    change = json.dumps({"file_path": str(path), "old_string": old, "new_string": new})
    return f"CALL Read {read} CALL Edit {change}"

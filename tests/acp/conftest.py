"""`start_editor`: an editor that has started `anyide acp` with the real CLI behind it."""

from __future__ import annotations

import sys
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from tests.acp.editor import Editor
from tests.real.claude import cli_path

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.real.claude import Home
    from tests.real.model import StandInModel

PLAIN: dict[str, Any] = {}
FULL: dict[str, Any] = {
    "fs": {"readTextFile": True, "writeTextFile": True},
    "terminal": True,
    "elicitation": {"form": {}, "url": {}},
    "auth": {"terminal": True},
}


class StartEditor(Protocol):
    """Starts an editor; it is stopped when the test ends."""

    async def __call__(
        self, *flags: str, env: dict[str, str] = ..., **abilities: Any
    ) -> Editor: ...


@pytest.fixture
async def start_editor(
    model: StandInModel, home: Home, project: Path
) -> AsyncIterator[StartEditor]:
    home.trust(project)
    async with AsyncExitStack() as stack:

        async def start(*flags: str, env: dict[str, str] | None = None, **abilities: Any) -> Editor:
            editor = Editor()
            command = [sys.executable, "-m", "anyide", "acp", "--claude", str(cli_path()), *flags]
            await editor.start(command, home.environment(model, **(env or {})), project)
            stack.push_async_callback(editor.stop)
            await editor.initialize(**abilities)
            return editor

        yield start

"""A folder, an editor on it, servers for it and scripted CLIs of them: all ended with the test."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from anyide.editor.memory import MemoryEditor
from anyide.ide.server import IdeServer
from tests.ide.wire import Cli, connect_to

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


class Serve(Protocol):
    """Starts a server of the `folder`; it is stopped when the test ends."""

    async def __call__(self, editor: MemoryEditor, **options: Any) -> IdeServer: ...


class Dial(Protocol):
    """Connects a scripted CLI; it is closed when the test ends."""

    async def __call__(self, server: IdeServer, **options: Any) -> Cli: ...


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = (tmp_path / "workspace").resolve()
    place.mkdir()
    return place


@pytest.fixture
def editor(folder: Path) -> MemoryEditor:
    return MemoryEditor([str(folder)])


@pytest.fixture
async def serve(folder: Path, tmp_path: Path) -> AsyncIterator[Serve]:
    async with AsyncExitStack() as stack:

        async def start(editor: MemoryEditor, **options: Any) -> IdeServer:
            options = {"config_dir": tmp_path / "config"} | options
            return await stack.enter_async_context(IdeServer(editor, [folder], **options))

        yield start


@pytest.fixture
async def dial() -> AsyncIterator[Dial]:
    async with AsyncExitStack() as stack:

        async def start(server: IdeServer, **options: Any) -> Cli:
            return await stack.enter_async_context(await connect_to(server, **options))

        yield start

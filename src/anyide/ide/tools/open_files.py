"""`open_files`: open several files (JetBrains)."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from anyide.editor.model import Ability
from anyide.errors import EditorError
from anyide.ide.context import Context
from anyide.ide.messages import CallResult
from anyide.ide.tools.tool import Tool, reply_json


class Arguments(msgspec.Struct, frozen=True):
    """Which files."""

    file_paths: Annotated[list[str], Meta(description="Absolute paths of the files to open")]


class Opened(msgspec.Struct, frozen=True):
    """The files that could be opened."""

    opened_files: list[str]


async def run(context: Context, arguments: Arguments) -> CallResult:
    """Open each; one that cannot be opened is left out of the answer."""
    paths = [context.native(name, "file_paths") for name in arguments.file_paths]
    return reply_json(Opened([context.wire(path) for path in paths if await _opens(context, path)]))


async def _opens(context: Context, path: str) -> bool:
    try:
        await context.editor.open_file(path, preview=False, focus=True, select=None)
    except EditorError:
        return False
    return True


OPEN_FILES = Tool(
    name="open_files",
    description="Open several files in the editor",
    arguments=Arguments,
    run=run,
    ability=Ability.OPEN_FILES,
)

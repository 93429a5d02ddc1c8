"""`reformat_file`: format a file with the editor's formatter (JetBrains)."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from anyide.editor.model import Ability
from anyide.ide.context import Context
from anyide.ide.messages import CallResult
from anyide.ide.tools.tool import Tool, reply, required_text


class Arguments(msgspec.Struct, frozen=True):
    """Which file."""

    file_path: Annotated[str, Meta(description="Absolute path of the file to format")]


async def run(context: Context, arguments: Arguments) -> CallResult:
    """Format the file."""
    path = context.native(required_text(arguments.file_path, "file_path"), "file_path")
    return reply("OK" if await context.editor.format(path) else "File not found")


REFORMAT_FILE = Tool(
    name="reformat_file",
    description="Format a file with the formatter of the editor",
    arguments=Arguments,
    run=run,
    ability=Ability.FORMAT,
)

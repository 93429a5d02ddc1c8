"""`saveDocument`: write the unsaved changes of a document to the disk."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from anyide.editor.model import Ability
from anyide.ide.context import Context
from anyide.ide.messages import CallResult
from anyide.ide.tools.check_document_dirty import not_open
from anyide.ide.tools.tool import Tool, reply_json, required_text


class Arguments(msgspec.Struct, frozen=True, rename="camel"):
    """Which document."""

    file_path: Annotated[str, Meta(description="Path of the file to save")]


class Saved(msgspec.Struct, frozen=True):
    """It was saved."""

    success: bool
    message: str


async def run(context: Context, arguments: Arguments) -> CallResult:
    """Save the document."""
    path = context.native(required_text(arguments.file_path, "filePath"), "filePath")
    if not await context.editor.save(path):
        return reply_json(not_open(context, path))
    return reply_json(Saved(success=True, message="Document saved"))


SAVE_DOCUMENT = Tool(
    name="saveDocument",
    description="Save a document with unsaved changes",
    arguments=Arguments,
    run=run,
    ability=Ability.SAVE,
    aliases={"path": "filePath", "uri": "filePath"},
)

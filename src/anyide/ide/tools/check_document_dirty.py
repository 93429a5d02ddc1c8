"""`checkDocumentDirty`: whether a document has unsaved changes."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from anyide.editor.model import Ability
from anyide.ide.context import Context
from anyide.ide.messages import CallResult
from anyide.ide.tools.tool import Tool, reply_json, required_text


class Arguments(msgspec.Struct, frozen=True, rename="camel"):
    """Which document."""

    file_path: Annotated[str, Meta(description="Path of the file to check")]


class DocumentState(msgspec.Struct, frozen=True, rename="camel"):
    """What is known of an open document."""

    success: bool
    file_path: str
    is_dirty: bool
    is_untitled: bool


class NotOpen(msgspec.Struct, frozen=True):
    """The document is not open, so nothing of it is unsaved."""

    success: bool
    message: str


async def run(context: Context, arguments: Arguments) -> CallResult:
    """Tell whether the document is dirty."""
    path = context.native(required_text(arguments.file_path, "filePath"), "filePath")
    document = await context.editor.document(path)
    if document is None:
        return reply_json(not_open(context, path))
    return reply_json(
        DocumentState(
            success=True,
            file_path=context.wire(path),
            is_dirty=document.is_dirty,
            is_untitled=document.is_untitled,
        )
    )


def not_open(context: Context, path: str) -> NotOpen:
    """The answer about a document that is not open."""
    return NotOpen(success=False, message=f"Document not open: {context.wire(path)}")


CHECK_DOCUMENT_DIRTY = Tool(
    name="checkDocumentDirty",
    description="Check if a document has unsaved changes",
    arguments=Arguments,
    run=run,
    ability=Ability.TABS,
    aliases={"path": "filePath", "uri": "filePath"},
)

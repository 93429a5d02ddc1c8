"""`openFile`: open a file, select a text in it, bring it to the front."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from anyide.editor.model import Ability, Document, TextSearch
from anyide.errors import EditorError
from anyide.ide.context import Context
from anyide.ide.messages import CallResult
from anyide.ide.tools.tool import Tool, failure, reply, reply_json, required_text


class Arguments(msgspec.Struct, frozen=True, rename="camel"):
    """What to open and how."""

    file_path: Annotated[str, Meta(description="Path of the file to open")]
    preview: Annotated[bool, Meta(description="Open it in a preview tab")] = False
    start_text: Annotated[str, Meta(description="Select from the first place of this text")] = ""
    end_text: Annotated[str, Meta(description="Select up to the end of this text")] = ""
    select_to_end_of_line: Annotated[
        bool, Meta(description="Extend the selection to the end of its last line")
    ] = False
    make_frontmost: Annotated[bool, Meta(description="Make it the active editor")] = True


class Details(msgspec.Struct, frozen=True, rename="camel"):
    """What is said of a document that was opened behind the others."""

    success: bool
    file_path: str
    language_id: str
    line_count: int


async def run(context: Context, arguments: Arguments) -> CallResult:
    """Open the file; a text that is not found selects nothing and is no error."""
    path = context.native(required_text(arguments.file_path, "filePath"), "filePath")
    search = TextSearch(
        arguments.start_text, arguments.end_text, to_end_of_line=arguments.select_to_end_of_line
    )
    try:
        document = await context.editor.open_file(
            path,
            preview=arguments.preview,
            focus=arguments.make_frontmost,
            select=search if arguments.start_text else None,
        )
    except EditorError as error:
        return failure(context.dialect.cannot_open or str(error))
    if arguments.make_frontmost or not context.dialect.details_when_behind:
        return reply(context.dialect.opened_file.format(path=context.wire(path)))
    return reply_json(_details(context, document))


def _details(context: Context, document: Document) -> Details:
    return Details(
        success=True,
        file_path=context.wire(document.path),
        language_id=document.language_id,
        line_count=document.line_count,
    )


OPEN_FILE = Tool(
    name="openFile",
    description="Open a file in the editor and optionally select a range of text",
    arguments=Arguments,
    run=run,
    ability=Ability.OPEN_FILES,
    aliases={"path": "filePath", "uri": "filePath"},
)

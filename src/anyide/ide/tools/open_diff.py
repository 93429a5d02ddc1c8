"""`openDiff`: show a proposed change and wait until somebody decides.

The answer is decided by the table in `editor.review`. The file is never written here: the CLI
writes what was accepted, and would find a file that we wrote "unexpectedly modified".
"""

from __future__ import annotations

import asyncio
import secrets
from typing import Annotated

import msgspec
from msgspec import Meta

from anyide.editor.file import disk_state, read_text
from anyide.editor.model import Ability, Proposal
from anyide.editor.review import Answer, DiffRejected, Failed, Saved
from anyide.ide.context import Context
from anyide.ide.messages import CallResult
from anyide.ide.quirk import text_to_save
from anyide.ide.tools.tool import Tool, failure, reply, required_text


class Arguments(msgspec.Struct, frozen=True):
    """The change."""

    old_file_path: Annotated[str, Meta(description="Path of the file as it is")]
    new_file_contents: Annotated[str, Meta(description="The whole text as it is proposed")]
    new_file_path: Annotated[str, Meta(description="Path of the file as it will be")] = ""
    tab_name: Annotated[str, Meta(description="Name of the tab that shows the change")] = ""


async def run(context: Context, arguments: Arguments) -> CallResult:
    """Show the change and answer what was decided."""
    path = context.native(required_text(arguments.old_file_path, "old_file_path"), "old_file_path")
    tab_name = arguments.tab_name or context.wire(path)
    making = propose(context, arguments, path, tab_name)
    answer = await context.reviews.propose(tab_name, making)
    return answer_in_words(context, path, answer)


async def propose(context: Context, arguments: Arguments, path: str, tab_name: str) -> Proposal:
    """The change with the text that it starts from: the editor's unsaved one, else the disk's."""
    new_path = context.native(arguments.new_file_path or path, "new_file_path")
    document = await context.editor.document(path)
    old_text = document.text if document is not None else await asyncio.to_thread(_on_disk, path)
    return Proposal(
        id=secrets.token_hex(8),
        session=context.session,
        path=path,
        new_path=new_path,
        old_text=old_text,
        new_text=arguments.new_file_contents,
        tab_name=tab_name,
        is_unsaved=document is not None and document.is_dirty,
    )


def answer_in_words(context: Context, path: str, answer: Answer) -> CallResult:
    """The CLI's words for the end of a review."""
    match answer:
        case Saved(text=text):
            is_new = disk_state(path) is None
            sent = text_to_save(text, is_new_file=is_new, to_real_cli=context.is_real_cli)
            return reply("FILE_SAVED", sent)
        case DiffRejected(tab_name=tab_name):
            named = [tab_name] if context.dialect.rejection_names_tab else []
            return reply("DIFF_REJECTED", *named)
        case Failed(message=message):
            return failure(message)
    return failure("the session is gone")  # nobody is left to read it


def _on_disk(path: str) -> str | None:
    return None if disk_state(path) is None else read_text(path).text


OPEN_DIFF = Tool(
    name="openDiff",
    description="Show a proposed change to a file and wait until it is accepted or rejected",
    arguments=Arguments,
    run=run,
    ability=Ability.REVIEW,
)

"""`getCurrentSelection`: what is selected in the active editor."""

from __future__ import annotations

import msgspec

from anyide.editor.model import Ability, Selection
from anyide.ide.context import Context
from anyide.ide.messages import CallResult, SelectionChanged, WireSelection
from anyide.ide.tools.tool import NoArguments, Tool, reply_json


class Found(msgspec.Struct, frozen=True, rename="camel"):
    """A selection."""

    success: bool
    text: str
    file_path: str
    file_url: str
    selection: WireSelection


class NotFound(msgspec.Struct, frozen=True):
    """No selection, and why."""

    success: bool
    message: str


async def run(context: Context, _: NoArguments) -> CallResult:
    """Tell the selection, if there is one that may be shared."""
    return tell(context, await context.editor.selection(), otherwise="No active editor found")


def tell(context: Context, selection: Selection | None, *, otherwise: str) -> CallResult:
    """Say a selection, or why there is none; a denied file is none."""
    shared = context.selection(selection)
    if shared is None:
        return reply_json(NotFound(success=False, message=otherwise))
    return reply_json(_found(shared))


def _found(shared: SelectionChanged) -> Found:
    return Found(
        success=True,
        text=shared.text,
        file_path=shared.file_path,
        file_url=shared.file_url,
        selection=shared.selection,
    )


GET_CURRENT_SELECTION = Tool(
    name="getCurrentSelection",
    description="Get the current text selection in the active editor",
    arguments=NoArguments,
    run=run,
    ability=Ability.SELECTION,
)

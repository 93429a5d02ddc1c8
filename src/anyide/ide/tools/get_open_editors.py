"""`getOpenEditors`: the open tabs."""

from __future__ import annotations

import msgspec

from anyide.editor.model import Ability
from anyide.ide.context import Context
from anyide.ide.messages import CallResult
from anyide.ide.tools.tool import NoArguments, Tool, reply_json


class OpenEditor(msgspec.Struct, frozen=True, rename="camel"):
    """One tab."""

    uri: str
    is_active: bool
    label: str
    language_id: str
    is_dirty: bool


async def run(context: Context, _: NoArguments) -> CallResult:
    """List the tabs that may be named."""
    tabs = context.tabs(await context.editor.tabs())
    return reply_json(
        [
            OpenEditor(
                uri=context.uri(tab.path),
                is_active=tab.is_active,
                label=tab.label,
                language_id=tab.language_id,
                is_dirty=tab.is_dirty,
            )
            for tab in tabs
        ]
    )


GET_OPEN_EDITORS = Tool(
    name="getOpenEditors",
    description="List the open editor tabs",
    arguments=NoArguments,
    run=run,
    ability=Ability.TABS,
)

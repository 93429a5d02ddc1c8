"""`close_tab`: close a review by its tab name, or a file's tab by its path.

It never answers a pending review with its own words: the review is withdrawn and answered by the
table, because the CLI takes TAB_CLOSED as an answer to `openDiff` for an acceptance.
"""

from __future__ import annotations

import os
from typing import Annotated

import msgspec
from msgspec import Meta

from anyide.editor.model import Ability
from anyide.ide.context import Context
from anyide.ide.messages import CallResult
from anyide.ide.tools.tool import Tool, reply


class Arguments(msgspec.Struct, frozen=True):
    """Which tab."""

    tab_name: Annotated[str, Meta(description="Name of the tab, or absolute path of its file")]


async def run(context: Context, arguments: Arguments) -> CallResult:
    """Close the tab; unsaved text is never lost, the tab then stays."""
    closed = context.reviews.close(arguments.tab_name) or await _close_file(context, arguments)
    return reply(context.dialect.tab_closed if closed else context.dialect.tab_not_found)


async def _close_file(context: Context, arguments: Arguments) -> bool:
    if Ability.TABS not in context.editor.abilities or not _is_place(arguments.tab_name):
        return False
    return await context.editor.close_file(context.native(arguments.tab_name, "tab_name"))


def _is_place(name: str) -> bool:
    return name.startswith(("/", "file:", "untitled:")) or os.path.isabs(name)  # noqa: PTH117


CLOSE_TAB = Tool(
    name="close_tab",
    description="Close a tab by its name",
    arguments=Arguments,
    run=run,
)

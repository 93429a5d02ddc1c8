"""`get_all_opened_file_paths`: the paths of the open files, one a line (JetBrains)."""

from __future__ import annotations

from anyide.editor.model import Ability
from anyide.ide.context import Context
from anyide.ide.messages import CallResult
from anyide.ide.tools.tool import NoArguments, Tool, reply


async def run(context: Context, _: NoArguments) -> CallResult:
    """List the open files that may be named; untitled ones have no path."""
    tabs = context.tabs(await context.editor.tabs())
    return reply("\n".join(context.wire(tab.path) for tab in tabs if not tab.is_untitled))


GET_ALL_OPENED_FILE_PATHS = Tool(
    name="get_all_opened_file_paths",
    description="List the absolute paths of all open files",
    arguments=NoArguments,
    run=run,
    ability=Ability.TABS,
)

"""`getLatestSelection`: the selection last made in any editor, active or not."""

from __future__ import annotations

from anyide.editor.model import Ability
from anyide.ide.context import Context
from anyide.ide.messages import CallResult
from anyide.ide.tools.get_current_selection import tell
from anyide.ide.tools.tool import NoArguments, Tool


async def run(context: Context, _: NoArguments) -> CallResult:
    """Tell the latest selection, if there is one that may be shared."""
    latest = await context.editor.latest_selection()
    return tell(context, latest, otherwise="No selection available")


GET_LATEST_SELECTION = Tool(
    name="getLatestSelection",
    description="Get the most recent text selection, even if its editor is not active any more",
    arguments=NoArguments,
    run=run,
    ability=Ability.SELECTION,
)

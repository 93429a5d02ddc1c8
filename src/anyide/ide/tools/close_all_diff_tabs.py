"""`closeAllDiffTabs`: close every review of the session that asks, and of no other."""

from __future__ import annotations

from anyide.ide.context import Context
from anyide.ide.messages import CallResult
from anyide.ide.tools.tool import NoArguments, Tool, reply


async def run(context: Context, _: NoArguments) -> CallResult:
    """Withdraw the reviews and say how many there were."""
    return reply(f"CLOSED_{context.reviews.close_all()}_DIFF_TABS")


CLOSE_ALL_DIFF_TABS = Tool(
    name="closeAllDiffTabs",
    description="Close all diff tabs of this session",
    arguments=NoArguments,
    run=run,
)

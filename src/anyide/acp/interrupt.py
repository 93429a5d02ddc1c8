"""Interrupting a turn until it is over."""

from __future__ import annotations

import asyncio
import contextlib

from anyide.errors import AnyideError
from anyide.headless.session import Claude
from anyide.headless.turn import Turn

AGAIN_SECONDS = 0.3
STUBBORN_SECONDS = 6.0


async def interrupt(claude: Claude, turn: Turn) -> bool:
    """Interrupt a turn; false when the CLI did not obey in the end.

    A CLI that has not begun the turn ignores an interrupt, so it is said again.
    """
    with contextlib.suppress(AnyideError, TimeoutError):
        async with asyncio.timeout(STUBBORN_SECONDS):
            while not turn.is_done:
                await claude.interrupt()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(turn.ended(), AGAIN_SECONDS)
                if not turn.is_done:
                    await claude.cancel_message(turn.uuid)
    return turn.is_done

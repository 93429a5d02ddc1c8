"""One run of `anyide run`: the session, its turns, Ctrl-C, the exit code."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Sequence
from typing import Any

from anyide.cli.consent import Consent
from anyide.cli.view import View
from anyide.errors import (
    AnyideError,
    BudgetReached,
    ClaudeNotFound,
    LoginNeeded,
    RateLimited,
    TurnFailed,
    TurnLimitReached,
)
from anyide.headless import Claude, Turn

OK, FAILURE, INTERRUPTED = 0, 1, 130
CODES: tuple[tuple[type[AnyideError], int], ...] = (
    (RateLimited, 4),
    (BudgetReached, 5),
    (TurnLimitReached, 5),
    (LoginNeeded, 6),
    (ClaudeNotFound, 127),
)


async def run(prompts: Sequence[Any], options: dict[str, Any], view: View) -> int:
    """Ask the prompts one after another; give the exit code."""
    stop = Stop()
    try:
        async with Claude(permission=Consent(), include_partial=True, **options) as claude:
            stop.claude = claude
            code = OK
            for prompt in prompts:
                code = await _one(claude.ask(prompt), view)
                if code != OK:
                    break
            return code
    except asyncio.CancelledError:
        if not stop.is_final:
            raise
        return INTERRUPTED
    except AnyideError as error:
        print(f"anyide: {error}", file=sys.stderr)
        return code_of(error)
    finally:
        stop.close()


async def _one(turn: Turn, view: View) -> int:
    try:
        async for event in turn.messages() if view.takes_messages else turn:
            view.event(event)
    except TurnFailed as error:
        view.end(turn.reply)
        print(f"anyide: {error}", file=sys.stderr)
        return code_of(error)
    view.end(turn.reply)
    return INTERRUPTED if turn.reply.interrupted else OK


def code_of(error: AnyideError) -> int:
    """The exit code for an error."""
    return next((code for kind, code in CODES if isinstance(error, kind)), FAILURE)


class Stop:
    """Ctrl-C: once interrupts the turn, twice ends everything."""

    def __init__(self) -> None:
        self.claude: Claude | None = None
        self.is_final = False
        self._task = asyncio.current_task()
        self._interrupt: asyncio.Task[None] | None = None
        self._loop = asyncio.get_running_loop()
        with contextlib.suppress(NotImplementedError):  # Windows raises KeyboardInterrupt
            self._loop.add_signal_handler(signal.SIGINT, self._pressed)

    def _pressed(self) -> None:
        if self.claude is not None and self._interrupt is None:
            print("\nanyide: interrupting; Ctrl-C again to end", file=sys.stderr)
            self._interrupt = self._loop.create_task(self._ask_to_stop(self.claude))
        elif self._task is not None:
            self.is_final = True
            self._task.cancel()

    async def _ask_to_stop(self, claude: Claude) -> None:
        with contextlib.suppress(AnyideError):
            await claude.interrupt(cancel_queued=True)

    def close(self) -> None:
        """Give Ctrl-C back."""
        with contextlib.suppress(NotImplementedError):
            self._loop.remove_signal_handler(signal.SIGINT)

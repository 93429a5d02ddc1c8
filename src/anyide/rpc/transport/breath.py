"""When to let small pieces gather in a pipe, instead of waking up for each of them.

Waking up costs several times what a line of text costs. Only a one-sided stream is slowed, by a
thousandth of a second: who answers each piece gets the next at once.
"""

from __future__ import annotations

PAUSE_SECONDS = 0.001
QUICK_SECONDS = 0.005
SMALL_BYTES = 16 * 1024
TIMES = 4
"""So many small pieces in quick succession, without a word from us, are a stream."""


class Breath:
    """Looks at what is read and what is sent."""

    def __init__(self) -> None:
        self._last = 0.0
        self._in_a_row = 0

    def sent(self) -> None:
        """We said something."""
        self._in_a_row = 0

    def is_due(self, size: int, now: float) -> bool:
        """Whether to pause after a piece of this size."""
        is_stream = size < SMALL_BYTES and now - self._last < QUICK_SECONDS
        self._in_a_row = self._in_a_row + 1 if is_stream else 0
        self._last = now
        return self._in_a_row > TIMES

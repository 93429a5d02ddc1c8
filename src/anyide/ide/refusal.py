"""What the log says of refused connections: the first of them, then one line a minute.

Every program on this machine may knock as often as it likes. A line for each would push everything
else out of the rotated log.
"""

from __future__ import annotations

import time
from collections.abc import Callable

FIRST_LINES = 10
SECONDS_BETWEEN = 60.0


class Refusals:
    """Tells refusals to `say`, and the number of those that it left out."""

    def __init__(
        self, say: Callable[[str], None], *, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._say = say
        self._now = now
        self._lines = 0
        self._left_out = 0
        self._said_at = now()

    def add(self, reason: str) -> None:
        """One more connection was refused."""
        now = self._now()
        is_quiet = now - self._said_at >= SECONDS_BETWEEN
        if is_quiet and not self._left_out:
            self._lines = 0
        if self._lines >= FIRST_LINES and not is_quiet:
            self._left_out += 1
            return
        self._lines += 1
        self._said_at = now
        more = f" ({self._left_out} more since the last line)" if self._left_out else ""
        self._left_out = 0
        self._say(f"refused a connection: {reason}{more}")

    def close(self) -> None:
        """Tell what was left out and is not told yet."""
        if self._left_out:
            self._say(f"refused {self._left_out} more connections since the last line")
            self._left_out = 0

"""Tames a storm of notifications: the first at once, then one an interval, always the last.

What equals the last one sent is not sent again. While `hold` is on (the other side does not read),
only the latest of each key is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

INTERVAL = 0.05
"""Seconds between two notifications of the same key."""
MAX_KEYS = 1000
"""How many keys are remembered or kept waiting; the oldest go first."""


class Throttle:
    """One per session and kind of notification; a key is what coalesces, such as a file.

    With `repeats`, a value that equals the last one is only dropped within the interval: each act
    of a person counts, but a key that repeats is one act.
    """

    def __init__(
        self, send: Callable[[Any], None], *, interval: float = INTERVAL, repeats: bool = False
    ) -> None:
        self._send = send
        self._interval = interval
        self._repeats = repeats
        self._loop = asyncio.get_running_loop()
        self._sent: dict[str, Any] = {}
        self._waiting: dict[str, Any] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._held = False

    def offer(self, value: Any, key: str = "") -> None:
        """Take the newest value of a key: send it now or, if that is too soon, when it is time."""
        _keep(self._waiting, key, value)
        if key not in self._timers and not self._held:
            self._fire(key)

    def forget(self, key: str = "") -> None:
        """Send the next value of a key even if it equals the last one."""
        self._sent.pop(key, None)

    def discard(self) -> None:
        """Do not send what still waits."""
        self._waiting.clear()

    def hold(self, *, held: bool) -> None:
        """Keep values back, or send the latest of each key and go on."""
        if held == self._held:
            return
        self._held = held
        if not held:
            for key in [key for key in self._waiting if key not in self._timers]:
                self._fire(key)

    def close(self) -> None:
        """Send nothing more."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        self._waiting.clear()
        self._held = True

    def _fire(self, key: str) -> None:
        if self._timers.pop(key, None) is not None and self._repeats:
            self._drop_repeated(key)
        if self._held or key not in self._waiting:
            return
        value = self._waiting.pop(key)
        if self._sent.get(key) == value:
            return
        _keep(self._sent, key, value)
        self._send(value)
        self._timers[key] = self._loop.call_later(self._interval, self._fire, key)

    def _drop_repeated(self, key: str) -> None:
        sent = self._sent.pop(key, None)
        if key in self._waiting and self._waiting[key] == sent:
            del self._waiting[key]


def _keep(values: dict[str, Any], key: str, value: Any) -> None:
    values.pop(key, None)
    values[key] = value
    while len(values) > MAX_KEYS:
        del values[next(iter(values))]

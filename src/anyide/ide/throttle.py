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


class Throttle:
    """One per session and kind of notification; a key is what coalesces, such as a file."""

    def __init__(self, send: Callable[[Any], None], *, interval: float = INTERVAL) -> None:
        self._send = send
        self._interval = interval
        self._loop = asyncio.get_running_loop()
        self._sent: dict[str, Any] = {}
        self._waiting: dict[str, Any] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._held = False

    def offer(self, value: Any, key: str = "") -> None:
        """Take the newest value of a key: send it now or, if that is too soon, when it is time."""
        self._waiting[key] = value
        if key not in self._timers and not self._held:
            self._fire(key)

    def forget(self, key: str = "") -> None:
        """Send the next value of a key even if it equals the last one."""
        self._sent.pop(key, None)

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
        self._timers.pop(key, None)
        if self._held or key not in self._waiting:
            return
        value = self._waiting.pop(key)
        if self._sent.get(key) == value:
            return
        self._sent[key] = value
        self._send(value)
        self._timers[key] = self._loop.call_later(self._interval, self._fire, key)

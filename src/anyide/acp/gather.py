"""A transport that sends what is said in quick succession as one piece.

What comes after a pause is sent at once. In a flood of text there are then some hundred writes a
second, not ten thousand.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from anyide.rpc.transport import Receiver, Transport

PAUSE_SECONDS = 0.002
"""So much time lies between two writes, at least."""


class Gathering:
    """Stands between a receiver and its transport; give it to the transport as the receiver."""

    def __init__(self, receiver: Receiver) -> None:
        self.lost = receiver.lost
        self._receiver = receiver
        self._transport: Transport | None = None
        self._waiting: list[bytes] = []
        self._next = 0.0

    def attached(self, transport: Transport) -> None:
        """Stand in for the transport from now on."""
        self._transport = transport
        self._flush()
        self.drain = transport.drain
        self.pause_reading = transport.pause_reading
        self.resume_reading = transport.resume_reading
        self._receiver.attached(self)

    def received(self, data: bytes) -> None:
        """Pass on what came; what is answered to it at once is sent at once."""
        self._receiver.received(data)
        self._flush()

    def send(self, messages: Sequence[bytes]) -> None:
        """Send messages as soon as the pause is over."""
        if not self._waiting:
            loop = asyncio.get_running_loop()
            loop.call_at(max(self._next, loop.time()), self._flush)
        self._waiting += messages

    def close(self, code: int = 1000, reason: str = "closed by us") -> None:
        """End, after what was said before."""
        self._flush()
        if self._transport is not None:
            self._transport.close(code, reason)

    def _flush(self) -> None:
        if self._waiting and self._transport is not None:
            waiting, self._waiting = self._waiting, []
            self._next = asyncio.get_running_loop().time() + PAUSE_SECONDS
            self._transport.send(waiting)

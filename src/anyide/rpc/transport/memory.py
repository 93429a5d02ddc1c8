"""Two ends in one process: what one sends, the other receives in the next turn of the loop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence

from anyide.errors import ConnectionClosed
from anyide.rpc.transport import Receiver


class MemoryTransport:
    """One end of a pair; made by `join`."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._loop = asyncio.get_running_loop()
        self._inbox: deque[bytes] = deque()
        self._other: MemoryTransport | None = None
        self._scheduled = False
        self._reading = True
        self._ending: ConnectionClosed | None = None
        self._is_lost = False
        self._room = asyncio.Event()
        self._room.set()

    def send(self, messages: Sequence[bytes]) -> None:
        """Put messages into the other end's inbox."""
        if self._other is not None and self._ending is None:
            self._other._deliver(messages)

    async def drain(self) -> None:
        """Wait until the other end has read its inbox."""
        if self._other is not None:
            await self._other._room.wait()

    def pause_reading(self) -> None:
        """Leave messages in the inbox."""
        self._reading = False

    def resume_reading(self) -> None:
        """Hand messages over again."""
        self._reading = True
        self._schedule()

    def close(self, code: int = 1000, reason: str = "") -> None:
        """End both sides, after what was sent before."""
        if self._ending is not None:
            return
        if self._other is not None:
            self._other._end(ConnectionClosed(reason or "closed by the other side", code=code))
        self._end(ConnectionClosed(reason or "closed by us", code=code))

    def _deliver(self, messages: Sequence[bytes]) -> None:
        self._inbox.extend(messages)
        self._room.clear()
        self._schedule()

    def _end(self, error: ConnectionClosed) -> None:
        if self._ending is None:
            self._ending = error
            self._reading = True
            self._schedule()

    def _schedule(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._hand_over)

    def _hand_over(self) -> None:
        self._scheduled = False
        while self._inbox and self._reading:
            self._receiver.received(self._inbox.popleft())
        if not self._inbox:
            self._room.set()
        if self._ending is not None and not self._is_lost:
            self._is_lost = True
            self._receiver.lost(self._ending)


def join(ours: Receiver, theirs: Receiver) -> None:
    """Connect two receivers with each other."""
    left, right = MemoryTransport(ours), MemoryTransport(theirs)
    left._other, right._other = right, left
    ours.attached(left)
    theirs.attached(right)

"""Messages that wait for their reader, bounded in bytes.

The writer never waits: control must go on whatever the reader does. When too much waits, pieces of
one block that stand side by side are joined into one; nothing else is touched and nothing is lost.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from msgspec import structs

from anyide.headless.messages import (
    BlockDelta,
    InputPiece,
    Message,
    StreamEvent,
    TextPiece,
    ThinkingPiece,
)

MAX_UNREAD_BYTES = 16 * 1024 * 1024

_JOINED = (TextPiece, ThinkingPiece, InputPiece)


class Inbox:
    """One reader takes what waits in batches; `put` never blocks."""

    def __init__(self, max_bytes: int = MAX_UNREAD_BYTES) -> None:
        self._max_bytes = max_bytes
        self._limit = max_bytes
        self._waiting: list[Message] = []
        self._waiter: asyncio.Future[None] | None = None
        self._is_ended = False
        self.discards = False
        self.unread_bytes = 0
        self.joined = 0

    def put(self, message: Message) -> None:
        """Let a message wait, and wake the reader."""
        self.put_all([message], len(message.raw))

    def put_all(self, messages: list[Message], size: int) -> None:
        """Let many messages wait; `size` is the length of their lines."""
        if self.discards:
            return
        self._waiting += messages
        self.unread_bytes += size
        if self._waiter is not None:
            self._wake()
        elif self.unread_bytes > self._limit:
            self._compact()

    def end(self) -> None:
        """Nothing more will come."""
        self._is_ended = True
        if self._waiter is not None:
            self._wake()

    def discard(self) -> None:
        """Drop what waits and what will come: nobody is going to read it."""
        self.discards = True
        self._waiting = []
        self.unread_bytes = 0

    async def batch(self) -> list[Message] | None:
        """All that waits; when nothing does, wait for it. None at the end."""
        while not self._waiting:
            if self._is_ended:
                return None
            if self._waiter is None:
                self._waiter = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._waiter)
        batch, self._waiting = self._waiting, []
        self.unread_bytes = 0
        self._limit = self._max_bytes
        return batch

    def _wake(self) -> None:
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def _compact(self) -> None:
        before = len(self._waiting)
        self._waiting = join(self._waiting)
        self.joined += before - len(self._waiting)
        self.unread_bytes = sum(len(message.raw) for message in self._waiting)
        # So that a heap of what cannot be joined is not looked through again and again.
        self._limit = max(self._max_bytes, 2 * self.unread_bytes)


def join(messages: list[Message]) -> list[Message]:
    """The same messages, with neighbouring pieces of one block as one."""
    joined: list[Message] = []
    run: list[StreamEvent] = []
    for message in messages:
        key = _key(message)
        if run and (key is None or key != _key(run[0])):
            joined.append(_one(run))
            run = []
        if key is None:
            joined.append(message)
        elif isinstance(message, StreamEvent):
            run.append(message)
    return [*joined, _one(run)] if run else joined


def _key(message: Message) -> tuple[Any, ...] | None:
    """What neighbours must have in common to be joined; None for what is never joined."""
    if type(message) is not StreamEvent or type(message.event) is not BlockDelta:
        return None
    piece = message.event.delta
    if not isinstance(piece, _JOINED):
        return None
    return type(piece), message.event.index, message.parent_tool_use_id


def _one(run: list[StreamEvent]) -> StreamEvent:
    if len(run) == 1:
        return run[0]
    pieces: list[Any] = [message.event.delta for message in run]  # type: ignore[union-attr]
    last = run[-1]
    piece = structs.replace(pieces[-1], text="".join(piece.text for piece in pieces))
    event = structs.replace(last.event, delta=piece)  # type: ignore[type-var]
    message = structs.replace(last, event=event, raw=b"")
    structs.force_setattr(message, "raw", msgspec.json.encode(message))
    return message

"""A turn: one prompt and everything that the CLI says to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Generator
from typing import Any

from anyide.errors import AnyideError
from anyide.headless.events import Event, Text, TextDelta, of_message, of_stream
from anyide.headless.inbox import Inbox
from anyide.headless.messages import Assistant, Message, Result, StreamEvent
from anyide.headless.reply import Notes, Reply


class Turn:
    """Iterate over it for events as they come, or await it for the whole reply; or both.

    Both raise the error with which the turn failed, if it did. A turn that is neither read nor
    awaited goes on all the same.
    """

    def __init__(self, uuid: str, *, is_ours: bool, inbox: Inbox) -> None:
        self.uuid = uuid
        self.is_ours = is_ours
        self.inbox = inbox
        self.result: Result | None = None
        self.notes = Notes()
        self._reply: Reply | None = None
        self._done: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._done.add_done_callback(_look_at)

    # For the session.

    def put(self, message: Message) -> None:
        """Take a message of this turn."""
        if type(message) is not StreamEvent:
            self.notes.note(message)
        self.inbox.put(message)

    def end(self, reply: Reply, error: AnyideError | None) -> None:
        """The turn is over."""
        if self._done.done():
            return
        self.result, self._reply = reply.result, reply
        if error is None:
            self._done.set_result(reply)
        else:
            self._done.set_exception(error)
        self.inbox.end()

    # For who asked.

    @property
    def is_done(self) -> bool:
        """Whether the turn is over."""
        return self._done.done()

    @property
    def reply(self) -> Reply:
        """What was said so far; after the end, all of it."""
        return self._reply or self.notes.reply(None)

    async def ended(self) -> None:
        """Wait for the end, whatever it is, and leave what is unread to its reader."""
        await asyncio.wait([self._done])

    def __await__(self) -> Generator[Any, None, Reply]:
        self.inbox.discard()
        return (yield from asyncio.shield(self._done).__await__())

    async def __aiter__(self) -> AsyncIterator[Event]:
        while (batch := await self.inbox.batch()) is not None:
            for message in batch:
                if type(message) is StreamEvent:
                    yield of_stream(message)
                else:
                    for event in of_message(message):
                        yield event
        await self._done

    async def messages(self) -> AsyncIterator[Message]:
        """The messages as they came, instead of events."""
        while (batch := await self.inbox.batch()) is not None:
            for message in batch:
                yield message
        await self._done

    async def text(self) -> AsyncIterator[str]:
        """Only the text: pieces while they stream, or whole blocks if nothing streams."""
        streams = False
        async for event in self:
            if isinstance(event, TextDelta) and event.message.parent_tool_use_id is None:
                streams = True
                yield event.text
            elif isinstance(event, Text) and not streams and _is_main(event):
                yield event.text


def _is_main(event: Text) -> bool:
    return isinstance(event.message, Assistant) and event.message.parent_tool_use_id is None


def _look_at(done: asyncio.Future[Reply]) -> None:
    # Or asyncio complains about the error of a turn that nobody awaited.
    if not done.cancelled():
        done.exception()

"""What a turn is made of for who reads it: pieces while they stream, whole blocks, messages.

Deltas and blocks are taken out of their messages; each has the message it came from. Every other
message is an event as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from anyide.headless.messages import (
    Assistant,
    Block,
    BlockDelta,
    Content,
    InputPiece,
    Json,
    Message,
    StreamEvent,
    TextBlock,
    TextPiece,
    ThinkingBlock,
    ThinkingPiece,
    ToolResultBlock,
    ToolUseBlock,
    Unknown,
    User,
    text_of,
)


class TextDelta(Struct, frozen=True, gc=False):
    """The next piece of text, while it streams."""

    text: str
    index: int
    message: StreamEvent


class ThinkingDelta(Struct, frozen=True, gc=False):
    """The next piece of thinking, while it streams."""

    text: str
    index: int
    message: StreamEvent


class ToolInputDelta(Struct, frozen=True, gc=False):
    """The next piece of a tool's input, as JSON that is not whole yet."""

    text: str
    index: int
    message: StreamEvent


class Text(Struct, frozen=True, gc=False):
    """A whole block of text."""

    text: str
    message: Assistant | User


class Thinking(Struct, frozen=True, gc=False):
    """A whole block of thinking, with the signature that the API gave it."""

    text: str
    signature: str
    message: Assistant | User


class ToolUse(Struct, frozen=True, gc=False):
    """A call of a tool; `message.parent_tool_use_id` is set when a subagent makes it."""

    name: str
    input: Json
    id: str
    message: Assistant | User


class ToolResult(Struct, frozen=True, gc=False):
    """What a tool answered."""

    tool_use_id: str
    content: Content
    is_error: bool
    message: Assistant | User

    @property
    def text(self) -> str:
        """The text of the answer."""
        return text_of(self.content)


Event = (
    TextDelta
    | ThinkingDelta
    | ToolInputDelta
    | Text
    | Thinking
    | ToolUse
    | ToolResult
    | Message
    | Unknown
)

_DELTAS: dict[type, Callable[[str, int, StreamEvent], Event]] = {
    TextPiece: TextDelta,
    ThinkingPiece: ThinkingDelta,
    InputPiece: ToolInputDelta,
}


def of_stream(message: StreamEvent) -> Event:
    """The delta in a stream event, or the event as it is."""
    part = message.event
    if type(part) is BlockDelta:
        piece: Any = part.delta
        make = _DELTAS.get(type(piece))
        if make is not None:
            return make(piece.text, part.index, message)
    return message


def of_message(message: Message) -> Iterator[Event]:
    """The events in any other message."""
    if isinstance(message, Assistant | User) and message.content:
        for block in message.content:
            yield _of_block(block, message)
    else:
        yield message


def _of_block(block: Block, message: Assistant | User) -> Event:
    match block:
        case TextBlock(text=text):
            return Text(text, message)
        case ThinkingBlock(thinking=text, signature=signature):
            return Thinking(text, signature, message)
        case ToolUseBlock(name=name, input=given, id=id_):
            return ToolUse(name, given, id_, message)
        case ToolResultBlock(tool_use_id=id_, content=content, is_error=is_error):
            return ToolResult(id_, content, bool(is_error), message)
        case Unknown():
            return block
        case _:
            return message

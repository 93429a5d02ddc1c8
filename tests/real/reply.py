"""What the stand-in model can answer, and how the Messages API puts it on the wire. No I/O."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Event = dict[str, Any]


@dataclass(frozen=True)
class Say:
    """A text block, streamed in `deltas` pieces; a held one stops after half until the release."""

    text: str
    deltas: int = 1
    held: bool = False


@dataclass(frozen=True)
class Think:
    """A thinking block with its signature."""

    text: str
    signature: str = "c2lnbmF0dXJl"


@dataclass(frozen=True)
class Call:
    """A `tool_use` block. The step is part of the id, so that a result tells which step it ends."""

    name: str
    input: dict[str, Any]
    step: int = 0
    id: str = ""

    @property
    def tool_use_id(self) -> str:
        return self.id or f"toolu_{uuid.uuid4().hex[:16]}_{self.step}"


Block = Say | Think | Call


@dataclass(frozen=True)
class Reply:
    """One message of the assistant."""

    blocks: tuple[Block, ...]
    usage: dict[str, int] = field(default_factory=dict)
    stop_reason: str | None = None

    @property
    def ends_with(self) -> str:
        calls = any(isinstance(block, Call) for block in self.blocks)
        return self.stop_reason or ("tool_use" if calls else "end_turn")


KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


@dataclass(frozen=True)
class Failure:
    """An HTTP error in the API's own shape; `should_retry` false stops the CLI from retrying."""

    status: int
    message: str = "the stand-in was told to fail"
    should_retry: bool | None = None
    headers: tuple[tuple[str, str], ...] = ()

    def body(self) -> Event:
        kind = KINDS.get(self.status, "api_error")
        error = {"type": kind, "message": self.message}
        return {"type": "error", "error": error, "request_id": "req_standin"}


@dataclass(frozen=True)
class Hold:
    """A place in the stream where the server waits until the test lets it go on."""


USAGE = {
    "input_tokens": 100,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
    "output_tokens": 20,
}


def whole_message(reply: Reply, model: str) -> Event:
    """Return the body of an answer that is not streamed."""
    return {
        **_envelope(reply, model),
        "content": [_whole_block(block) for block in reply.blocks],
        "stop_reason": reply.ends_with,
    }


def stream(reply: Reply, model: str) -> Iterator[Event | Hold]:
    """Yield the server-sent events of an answer, and the places to wait at."""
    yield {"type": "message_start", "message": _envelope(reply, model)}
    for index, block in enumerate(reply.blocks):
        yield from _streamed_block(index, block)
    delta = {"stop_reason": reply.ends_with, "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": {**USAGE, **reply.usage}}
    yield {"type": "message_stop"}


def _envelope(reply: Reply, model: str) -> Event:
    return {
        "id": f"msg_{uuid.uuid4().hex[:24]}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {**USAGE, **reply.usage},
    }


def _whole_block(block: Block) -> Event:
    match block:
        case Say(text=text):
            return {"type": "text", "text": text}
        case Think(text=text, signature=signature):
            return {"type": "thinking", "thinking": text, "signature": signature}
        case Call(name=name, input=given):
            return {"type": "tool_use", "id": block.tool_use_id, "name": name, "input": given}


_EMPTY: dict[str, Event] = {
    "text": {"text": ""},
    "thinking": {"thinking": "", "signature": ""},
    "tool_use": {"input": {}},
}


def _streamed_block(index: int, block: Block) -> Iterator[Event | Hold]:
    start = {**_whole_block(block)}
    start.update(_EMPTY[start["type"]])
    yield {"type": "content_block_start", "index": index, "content_block": start}
    for delta in _deltas(block):
        if isinstance(delta, Hold):
            yield delta
        else:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _deltas(block: Block) -> Iterator[Event | Hold]:
    match block:
        case Say():
            yield from _text_deltas(block)
        case Think(text=text, signature=signature):
            for piece in _pieces(text, 2):
                yield {"type": "thinking_delta", "thinking": piece}
            yield {"type": "signature_delta", "signature": signature}
        case Call(input=given):
            for piece in _pieces(json.dumps(given), 3):
                yield {"type": "input_json_delta", "partial_json": piece}


def _text_deltas(block: Say) -> Iterator[Event | Hold]:
    pieces = _pieces(block.text, max(block.deltas, 2 if block.held else 1))
    for number, piece in enumerate(pieces):
        if block.held and number == (len(pieces) + 1) // 2:
            yield Hold()
        yield {"type": "text_delta", "text": piece}


def _pieces(text: str, count: int) -> list[str]:
    """Cut a text into at most `count` pieces; none of them is empty unless the text is."""
    size = max(1, -(-len(text) // count))
    return [text[at : at + size] for at in range(0, len(text), size)] or [""]

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anyide.headless.decode import decode
from anyide.headless.inbox import Inbox, join
from anyide.headless.messages import BlockDelta, Message, StreamEvent, TextPiece, ThinkingPiece


def delta(text: str, *, index: int = 0, kind: str = "text", parent: str | None = None) -> Message:
    piece = {"type": f"{kind}_delta", kind: text}
    event = {"type": "content_block_delta", "index": index, "delta": piece}
    line = {"type": "stream_event", "event": event, "parent_tool_use_id": parent}
    return decode(json.dumps(line).encode())


def texts(messages: list[Message]) -> list[str]:
    found = []
    for message in messages:
        if isinstance(message, StreamEvent) and isinstance(message.event, BlockDelta):
            assert isinstance(message.event.delta, TextPiece | ThinkingPiece)
            found.append(message.event.delta.text)
        else:
            found.append(message.raw.decode())
    return found


def test_neighbours_of_one_block_are_joined() -> None:
    other = decode(b'{"type":"keep_alive"}')
    messages = [
        delta("a"),
        delta("b"),
        delta("c", kind="thinking"),
        delta("d", index=1),
        delta("e", index=1, parent="p"),
        other,
        delta("f"),
        delta("g"),
    ]
    joined = join(messages)
    assert texts(joined) == ["ab", "c", "d", "e", '{"type":"keep_alive"}', "fg"]
    assert decode(joined[0].raw) == joined[0]


@settings(deadline=None)
@given(
    st.lists(
        st.builds(
            delta,
            st.text(max_size=4),
            index=st.integers(0, 1),
            kind=st.sampled_from(["text", "thinking"]),
        )
    )
)
def test_joining_loses_no_text(messages: list[Message]) -> None:
    assert "".join(texts(join(messages))) == "".join(texts(messages))


async def test_what_waits_is_bounded_and_whole() -> None:
    inbox = Inbox(10_000)
    for number in range(10_000):
        inbox.put(delta(f"{number} "))
    assert inbox.unread_bytes < 150_000  # the text itself is 50 KB; the lines were 1.4 MB
    inbox.end()
    batch = await inbox.batch()
    assert batch is not None
    assert "".join(texts(batch)) == "".join(f"{number} " for number in range(10_000))
    assert await inbox.batch() is None


async def test_a_reader_is_woken_once_for_a_batch() -> None:
    inbox = Inbox()
    reader = asyncio.create_task(inbox.batch())
    await asyncio.sleep(0)
    for number in range(3):
        inbox.put(delta(str(number)))
    assert texts(await reader or []) == ["0", "1", "2"]


async def test_a_cancelled_reader_does_no_harm() -> None:
    inbox = Inbox()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await inbox.batch()
    inbox.put(delta("a"))
    assert texts(await inbox.batch() or []) == ["a"]


async def test_what_nobody_wants_is_dropped() -> None:
    inbox = Inbox()
    inbox.put(delta("a"))
    inbox.discard()
    inbox.put(delta("b"))
    inbox.end()
    assert await inbox.batch() is None

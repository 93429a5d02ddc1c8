from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anyide.headless import events
from anyide.headless.events import Text, TextDelta, Thinking, ThinkingDelta, ToolResult, ToolUse
from anyide.headless.messages import (
    ApiMessage,
    Assistant,
    BlockDelta,
    BlockStart,
    BlockStop,
    CitationPiece,
    ImageBlock,
    InputPiece,
    MessageStop,
    Piece,
    Ping,
    RedactedThinkingBlock,
    Result,
    SignaturePiece,
    StreamEvent,
    StreamPart,
    TextBlock,
    TextPiece,
    ThinkingBlock,
    ThinkingPiece,
    ToolResultBlock,
    ToolUseBlock,
    Unknown,
    User,
)
from anyide.headless.notice import Init


@pytest.mark.parametrize(
    ("piece", "kind"),
    [
        (TextPiece(text="a"), TextDelta),
        (ThinkingPiece(text="a"), ThinkingDelta),
        (InputPiece(text="a"), events.ToolInputDelta),
    ],
)
def test_a_piece_is_a_delta_with_its_place_and_message(piece: Piece, kind: type[Any]) -> None:
    message = StreamEvent(event=BlockDelta(index=2, delta=piece))
    assert events.of_stream(message) == kind("a", 2, message)


def test_an_empty_piece_is_a_delta_too() -> None:
    message = StreamEvent(event=BlockDelta(delta=TextPiece()))
    assert events.of_stream(message) == TextDelta("", 0, message)


@pytest.mark.parametrize(
    "part",
    [
        None,
        Ping(),
        BlockStart(content_block=TextBlock(text="not a delta")),
        BlockStop(index=1),
        MessageStop(),
        Unknown(kind="new_event"),
        BlockDelta(delta=None),
        BlockDelta(delta=SignaturePiece(text="s")),
        BlockDelta(delta=CitationPiece()),
        BlockDelta(delta=Unknown(kind="smell_delta")),
    ],
)
def test_any_other_part_of_a_stream_is_an_event_as_it_is(part: StreamPart | None) -> None:
    message = StreamEvent(event=part)
    assert events.of_stream(message) is message


@settings(deadline=None, max_examples=50)
@given(st.lists(st.text()))
def test_the_deltas_put_together_are_the_text(pieces: list[str]) -> None:
    seen = [
        events.of_stream(StreamEvent(event=BlockDelta(delta=TextPiece(text=piece))))
        for piece in pieces
    ]
    assert "".join(delta.text for delta in seen if isinstance(delta, TextDelta)) == "".join(pieces)


def test_each_block_is_an_event_in_its_order() -> None:
    unknown = Unknown(kind="hologram", raw=b"{}")
    message = Assistant(
        message=ApiMessage(
            content=[
                ThinkingBlock(thinking="hm", signature="s"),
                TextBlock(text="I look."),
                ToolUseBlock(id="t1", name="Bash", input={"command": "ls"}),
                unknown,
                TextBlock(text="Done."),
            ]
        )
    )
    assert list(events.of_message(message)) == [
        Thinking("hm", "s", message),
        Text("I look.", message),
        ToolUse("Bash", {"command": "ls"}, "t1", message),
        unknown,
        Text("Done.", message),
    ]


@pytest.mark.parametrize("block", [ImageBlock(), RedactedThinkingBlock(data="x")])
def test_a_block_without_an_event_of_its_own_is_the_message(
    block: ImageBlock | RedactedThinkingBlock,
) -> None:
    message = Assistant(flat=[TextBlock(text="a"), block])
    assert list(events.of_message(message)) == [Text("a", message), message]


@pytest.mark.parametrize(("said", "is_error"), [(True, True), (False, False), (None, False)])
def test_a_tool_result_says_whether_it_is_an_error(said: bool | None, is_error: bool) -> None:
    message = User(flat=[ToolResultBlock(tool_use_id="t1", content="no", is_error=said)])
    (event,) = events.of_message(message)
    assert event == ToolResult("t1", "no", is_error, message)


def test_the_text_of_a_tool_result_is_the_text_of_its_blocks() -> None:
    content: Any = [TextBlock(text="a"), ImageBlock(), Unknown(kind="x"), TextBlock(text="b")]
    message = User()
    assert ToolResult("t", content, False, message).text == "ab"
    assert ToolResult("t", None, False, message).text == ""
    assert ToolResult("t", "plain", False, message).text == "plain"


def test_a_message_that_is_a_mere_string_is_a_text() -> None:
    message = User(message=ApiMessage(content="typed"))
    assert list(events.of_message(message)) == [Text("typed", message)]


@pytest.mark.parametrize(
    "message",
    [
        Assistant(error="rate_limit"),
        Assistant(message=ApiMessage(content=[])),
        User(),
        Result(result="r"),
        Init(subtype="init"),
        Unknown(kind="new"),
    ],
)
def test_a_message_without_blocks_is_an_event_as_it_is(message: Any) -> None:
    (event,) = events.of_message(message)
    assert event is message

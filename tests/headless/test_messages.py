from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anyide.headless.messages import (
    ApiMessage,
    Assistant,
    ImageBlock,
    Message,
    ModelUsage,
    Result,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    Unknown,
    User,
    text_of,
)


def test_a_message_shows_the_whole_line_that_it_came_in() -> None:
    assert Result(result="typed", raw=b'{"type":"result","new":1}').json == {
        "type": "result",
        "new": 1,
    }


def test_a_message_made_here_shows_only_what_was_set() -> None:
    assert Result(result="r").json == {"type": "result", "result": "r"}


@pytest.mark.parametrize("kind", [Assistant, User, Result])
def test_the_line_can_not_be_set_from_the_wire(kind: type[Message]) -> None:
    tag = kind.__struct_config__.tag
    message = msgspec.convert({"type": tag, "raw": "forged", "kind": "forged"}, kind)
    assert message.raw == b""


@pytest.mark.parametrize("message", [Result(), TextBlock(), Assistant()])
def test_what_was_said_can_not_be_changed(message: Any) -> None:
    with pytest.raises(AttributeError):
        message.text = "other"


@pytest.mark.parametrize("kind", [Assistant, User])
def test_the_content_is_found_in_either_shape(kind: type[Assistant | User]) -> None:
    blocks: Any = [TextBlock(text="a")]
    assert kind(flat=blocks).content == blocks
    assert kind(message=ApiMessage(content=blocks)).content == blocks
    assert kind(message=ApiMessage(content=blocks), flat="ignored").content == blocks
    assert kind(flat="plain").content == [TextBlock(text="plain")]
    assert kind().content == kind(message=ApiMessage()).content == []


def test_the_model_is_found_in_either_shape() -> None:
    assert Assistant(flat_model="m").model == "m"
    assert Assistant(message=ApiMessage(model="m"), flat_model="other").model == "m"
    assert Assistant(message=ApiMessage()).model is None


@settings(deadline=None, max_examples=50)
@given(st.lists(st.text()))
def test_the_text_of_a_content_is_its_text_blocks_joined(texts: list[str]) -> None:
    others = [ImageBlock(), Unknown(kind="x"), ThinkingBlock(thinking="hm")]
    content: Any = [block for text in texts for block in (TextBlock(text=text), *others)]
    assert text_of(content) == "".join(texts)
    assert ToolResultBlock(content=content).text == "".join(texts)


def test_a_content_that_is_a_string_or_missing_has_a_text_too() -> None:
    assert (text_of("plain"), text_of(""), text_of(None), text_of([])) == ("plain", "", "", "")


def test_the_odd_names_of_the_wire_are_known() -> None:
    usage = msgspec.convert(
        {"costUSD": 0.5, "inputTokens": 1, "cacheCreationEphemeral5mInputTokens": 2}, ModelUsage
    )
    assert (usage.cost_usd, usage.input_tokens) == (0.5, 1)
    assert usage.cache_creation_ephemeral_5m_input_tokens == 2

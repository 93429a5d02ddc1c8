from __future__ import annotations

import json
from typing import Any, TypeVar

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw, Struct

from anyide.headless.control import ControlRequest, ControlResponse
from anyide.headless.decode import KINDS
from anyide.headless.messages import (
    ApiMessage,
    Assistant,
    BlockDelta,
    Message,
    ModelUsage,
    Result,
    StreamEvent,
    TextBlock,
    ToolResultBlock,
    Unknown,
    User,
)
from anyide.headless.notice import NOTICES
from anyide.headless.report import RateLimitEvent
from anyide.headless.tolerant import MISSING, build

T = TypeVar("T", bound=Struct)
ALL = [*KINDS.values(), *NOTICES.values()]


def built(kind: type[T], said: dict[str, Any]) -> T:
    found = build(kind, said)
    assert isinstance(found, kind)
    return found


def test_a_field_that_does_not_fit_stays_at_its_default() -> None:
    data: dict[str, Any] = {
        "is_error": "no",
        "num_turns": [],
        "result": "r",
        "subtype": None,
        "errors": "x",
    }
    assert built(Result, data) == Result(result="r")


def test_fields_that_are_not_known_are_passed_over() -> None:
    assert built(Result, {"a_new_one": {"x": 1}, "result": "r"}) == Result(result="r")


def test_a_field_is_read_by_its_name_on_the_wire() -> None:
    assert built(User, {"isReplay": True, "is_replay": 5}) == User(is_replay=True)


def test_a_list_loses_only_what_does_not_fit() -> None:
    assert built(Result, {"errors": ["a", 5, None, "b"]}).errors == ["a", "b"]


def test_a_mapping_loses_only_what_does_not_fit() -> None:
    usage = {"good": {"costUSD": 1}, "half": {"costUSD": "?", "inputTokens": 2}, "bad": 7}
    assert built(Result, {"modelUsage": usage}).model_usage == {
        "good": ModelUsage(cost_usd=1),
        "half": ModelUsage(input_tokens=2),
    }


def test_a_struct_inside_is_built_the_same_way() -> None:
    data = {"rate_limit_info": {"status": 5, "resetsAt": 9}}
    info = built(RateLimitEvent, data).rate_limit_info
    assert (info.status, info.resets_at) == ("", 9)


def test_what_should_be_a_struct_and_is_none_is_left_out() -> None:
    assert built(Assistant, {"message": 7, "error": "e"}) == Assistant(error="e")
    assert built(Assistant, {"message": [1], "error": "e"}) == Assistant(error="e")


@pytest.mark.parametrize(
    ("block", "kind"),
    [({"type": "hologram", "x": 1}, "hologram"), ({"x": 1}, ""), ({"type": 7}, "")],
)
def test_a_block_that_is_not_known_is_kept_whole(block: dict[str, Any], kind: str) -> None:
    data = {"content": [{"type": "text", "text": "a"}, block]}
    content = built(ApiMessage, data).content
    assert isinstance(content, list)
    text, unknown = content
    assert text == TextBlock(text="a")
    assert isinstance(unknown, Unknown)
    assert unknown.json == block
    assert unknown.kind == kind


def test_a_known_block_with_a_wrong_field_is_still_that_block() -> None:
    data = {"content": [{"type": "tool_result", "tool_use_id": "t", "is_error": "?"}]}
    assert built(ApiMessage, data).content == [ToolResultBlock(tool_use_id="t")]


def test_what_is_no_block_at_all_is_left_out() -> None:
    assert built(ApiMessage, {"content": [7, "x", None]}).content == []


def test_an_unknown_delta_inside_a_known_event_is_kept() -> None:
    delta = {"type": "smell_delta", "smell": "rose"}
    event = {"type": "content_block_delta", "index": 4, "delta": delta}
    part = built(StreamEvent, {"event": event}).event
    assert isinstance(part, BlockDelta)
    assert part.index == 4
    assert isinstance(part.delta, Unknown)
    assert (part.delta.kind, part.delta.json) == ("smell_delta", delta)


def test_raw_json_is_taken_as_it_is() -> None:
    request = built(ControlRequest, {"request_id": 5, "request": {"subtype": "x"}})
    assert request.request_id == ""
    assert isinstance(request.request, Raw)
    assert json.loads(bytes(request.request)) == {"subtype": "x"}


@pytest.mark.parametrize("data", [{}, {"response": 7}, {"response": {"subtype": "success"}}])
def test_without_a_field_that_is_needed_there_is_nothing(data: dict[str, Any]) -> None:
    assert build(ControlResponse, data) is MISSING


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@settings(deadline=None, max_examples=50)
@given(st.data(), st.sampled_from(ALL))
def test_nothing_that_json_can_say_raises(data: st.DataObject, kind: type[Message]) -> None:
    names = st.sampled_from([field.encode_name for field in msgspec.structs.fields(kind)])
    said = data.draw(st.dictionaries(names, JSON, max_size=5))
    found = build(kind, said)
    assert found is MISSING or isinstance(found, kind)
    if found is MISSING:
        assert kind is ControlResponse


@settings(deadline=None, max_examples=50)
@given(st.text(), st.booleans(), st.lists(st.text()), st.none() | st.integers(-(2**53), 2**53))
def test_what_fits_comes_out_as_the_quick_way_has_it(
    text: str, is_error: bool, errors: list[str], turns: int | None
) -> None:
    data = {"result": text, "is_error": is_error, "errors": errors, "num_turns": turns}
    assert built(Result, data) == msgspec.convert({"type": "result", **data}, Result)

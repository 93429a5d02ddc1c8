from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anyide.headless.messages import (
    ApiMessage,
    Assistant,
    Block,
    ModelUsage,
    PermissionDenial,
    Result,
    StreamEvent,
    TextBlock,
    ThinkingBlock,
    ThinkingMetadata,
    Todo,
    ToolResultBlock,
    ToolUseBlock,
    Usage,
    User,
)
from anyide.headless.reply import INTERRUPTED, Notes, Reply, ToolCall


def noted(*messages: Assistant | User | StreamEvent) -> Notes:
    notes = Notes()
    for message in messages:
        notes.note(message)
    return notes


def said(*blocks: Block, **fields: Any) -> Assistant:
    return Assistant(message=ApiMessage(content=list(blocks), model="m"), **fields)


def test_nothing_said_is_an_empty_reply() -> None:
    assert noted().reply(None) == Reply()


def test_texts_and_thoughts_are_joined_by_lines_until_there_is_a_result() -> None:
    notes = noted(
        said(ThinkingBlock(thinking="hm")),
        said(TextBlock(text="one"), TextBlock(text="two")),
        said(ThinkingBlock(thinking="aha")),
    )
    reply = notes.reply(None)
    assert (reply.text, reply.thinking, reply.result) == ("one\ntwo", "hm\naha", None)


@pytest.mark.parametrize(("result", "text"), [("final", "final"), ("", ""), (None, "on the way")])
def test_the_text_is_the_results_if_it_has_one(result: str | None, text: str) -> None:
    assert noted(said(TextBlock(text="on the way"))).reply(Result(result=result)).text == text


def test_a_tool_call_gets_its_answer_whatever_the_order() -> None:
    notes = noted(
        said(ToolUseBlock(id="1", name="Read"), ToolUseBlock(id="2", name="Bash", input={"a": 1})),
        User(flat=[ToolResultBlock(tool_use_id="2", content="failed", is_error=True)]),
        User(flat=[ToolResultBlock(tool_use_id="1", content=[TextBlock(text="text")])]),
    )
    assert notes.reply(None).tools == (
        ToolCall(id="1", name="Read", input={}, result="text"),
        ToolCall(id="2", name="Bash", input={"a": 1}, result="failed", is_error=True),
    )


def test_a_tool_that_did_not_answer_has_no_result_and_one_that_said_nothing_an_empty_one() -> None:
    notes = noted(
        said(ToolUseBlock(id="1", name="A"), ToolUseBlock(id="2", name="B")),
        User(flat=[ToolResultBlock(tool_use_id="2")]),
    )
    assert [call.result for call in notes.reply(None).tools] == [None, ""]


def test_an_answer_to_a_call_that_nobody_made_is_ignored() -> None:
    assert noted(User(flat=[ToolResultBlock(tool_use_id="?")])).reply(None) == Reply()


def test_a_subagents_calls_are_kept_and_its_words_are_not() -> None:
    notes = noted(
        said(TextBlock(text="mine"), ToolUseBlock(id="1", name="Task")),
        said(
            TextBlock(text="its"),
            ThinkingBlock(thinking="its"),
            ToolUseBlock(id="2", name="Grep"),
            parent_tool_use_id="1",
            error="rate_limit",
            todos=[Todo(content="its")],
        ),
        User(flat=[ToolResultBlock(tool_use_id="2", content="found")], parent_tool_use_id="1"),
    )
    reply = notes.reply(None)
    assert (reply.text, reply.thinking, reply.todos, notes.error) == ("mine", "", (), None)
    assert reply.tools == (
        ToolCall(id="1", name="Task", input={}),
        ToolCall(id="2", name="Grep", input={}, result="found", parent_tool_use_id="1"),
    )


def test_the_model_and_the_error_are_those_of_the_last_message() -> None:
    first = Assistant(flat=[], flat_model="first", error="server_error")
    last = Assistant(flat=[], flat_model="last")
    assert noted(first).error == "server_error"
    assert noted(first, last).error is None
    assert noted(first, last).reply(None).model == "last"
    assert noted(first, Assistant()).reply(None).model == ""


def test_todos_and_metadata_stay_until_there_are_new_ones() -> None:
    old = Assistant(todos=[Todo(content="a")], thinking_metadata=ThinkingMetadata(level="high"))
    new = Assistant(todos=[Todo(content="b"), Todo(content="c")])
    reply = noted(old, Assistant(), new, Assistant(todos=[])).reply(None)
    assert [todo.content for todo in reply.todos] == ["b", "c"]
    assert reply.thinking_metadata == ThinkingMetadata(level="high")


def test_what_the_result_tells_is_in_the_reply() -> None:
    denial = PermissionDenial(tool_name="Bash")
    result = Result(
        session_id="s",
        duration_ms=12,
        total_cost_usd=2,
        usage=Usage(output_tokens=7),
        structured_output={"a": 1},
        permission_denials=[denial],
    )
    reply = noted().reply(result)
    assert (reply.session_id, reply.duration_ms, reply.total_cost_usd) == ("s", 12.0, 2.0)
    assert (reply.usage.output_tokens, reply.structured) == (7, {"a": 1})
    assert reply.denials == (denial,)
    assert reply.result is result


@pytest.mark.parametrize("reason", [*INTERRUPTED, "completed", "a_new_one", None])
def test_only_an_aborted_turn_is_interrupted(reason: str | None) -> None:
    reply = noted().reply(Result(terminal_reason=reason))
    assert reply.interrupted is (reason in INTERRUPTED)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 2**20), max_size=6))
def test_the_costs_of_the_turns_sum_up_to_the_total(spent: list[int]) -> None:
    total, costs = 0.0, []
    for dollars in spent:
        reply = noted().reply(Result(total_cost_usd=total + dollars), spent_before=total)
        costs.append(reply.cost_usd)
        total = reply.total_cost_usd
    assert costs == spent


def test_a_total_that_began_anew_costs_nothing_rather_than_less() -> None:
    assert noted().reply(Result(total_cost_usd=0.1), spent_before=5.0).cost_usd == 0.0


def test_what_each_model_cost_since_the_last_result_is_believed_first() -> None:
    since = {"a": ModelUsage(cost_usd=0.25), "b": ModelUsage(cost_usd=0.5), "c": ModelUsage()}
    result = Result(
        total_cost_usd=9.0,
        model_usage_since_last_result={**since, "d": ModelUsage(cost_usd=None)},
    )
    assert noted().reply(result, spent_before=1.0).cost_usd == 0.75
    nothing = Result(total_cost_usd=9.0, model_usage_since_last_result={})
    assert noted().reply(nothing).cost_usd == 0.0


def test_a_stream_event_adds_nothing() -> None:
    assert noted(StreamEvent()).reply(None) == Reply()

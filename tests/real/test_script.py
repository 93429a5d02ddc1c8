from __future__ import annotations

from typing import Any

import pytest

from tests.real.reply import Call, Failure, Reply, Say, Think
from tests.real.script import Request, answer, parse


def request(*messages: dict[str, Any], **body: Any) -> Request:
    return Request("/v1/messages", {}, {"messages": list(messages), **body})


def said(content: Any, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": content}


def result(tool_use_id: str, text: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": tool_use_id, "content": text}


def test_a_prompt_without_directives_is_echoed() -> None:
    assert answer(request(said("hello"))) == Reply((Say("You said: hello"),))


def test_blocks_of_one_message_stand_on_one_line() -> None:
    steps = parse('THINK so so DELTAS 3 SAY abc CALL Read {"file_path": "SAY no"} SAY done')
    assert steps == [
        Reply((Think("so so"), Say("abc", deltas=3), Call("Read", {"file_path": "SAY no"}))),
        Reply((Say("done", deltas=3),)),
    ]


def test_calls_come_one_after_another_unless_joined() -> None:
    one, two, three = (Call("Read", {"n": n}, step=int(n > 2)) for n in (1, 2, 3))
    steps = parse('CALL Read {"n": 1} AND CALL Read {"n": 2} CALL Read {"n": 3}')
    assert steps == [Reply((one, two)), Reply((three,))]


def test_a_result_is_followed_by_the_next_step_and_at_last_by_a_report() -> None:
    prompt = said('CALL Read {"n": 1} CALL Read {"n": 2}')
    second = answer(request(prompt, said([result("toolu_x_0", "first")])))
    assert second == Reply((Call("Read", {"n": 2}, step=1),))
    last = answer(request(prompt, said([result("toolu_y_1", "second")])))
    assert last == Reply((Say("The tool said: second"),))


def test_a_prompt_after_a_refused_call_is_a_new_prompt() -> None:
    interrupted = {"type": "text", "text": "[Request interrupted by user for tool use]"}
    again = {"type": "text", "text": "SAY again"}
    refused = said([result("toolu_x_0", "refused"), interrupted, again])
    assert answer(request(said("CALL Read {}"), refused)) == Reply((Say("again"),))


def test_a_notice_does_not_run_the_last_prompt_again() -> None:
    notice = "<system-reminder>done</system-reminder>"
    told = answer(request(said("CALL Agent {}"), said("x", "assistant"), said(notice)))
    assert told == Reply((Say(f"I was told: {notice}"),))


@pytest.mark.parametrize("status", [400, 429, 500, 529])
def test_a_prompt_can_order_an_error(status: int) -> None:
    assert parse(f"FAIL {status}") == [Failure(status, should_retry=False)]


def test_a_request_for_a_title_is_none_of_the_conversation() -> None:
    title = {"format": {"type": "json_schema"}}
    assert request(said("x"), output_config=title, model="claude-haiku").side
    assert not request(said("x"), tools=[{"name": "Read"}], model="claude-haiku").side
    assert not request(said("x"), model="claude-opus").side

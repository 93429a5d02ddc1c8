from __future__ import annotations

import json
from typing import Any

import pytest

from anyide.errors import ClaudeExited
from anyide.headless.decode import decode
from anyide.headless.messages import Message, Result
from anyide.headless.turn import Turn
from anyide.headless.turns import Turns


def say(turns: Turns, kind: str, **fields: Any) -> None:
    turns.put(decode(json.dumps({"type": kind, **fields}).encode()))


def text(turns: Turns, words: str, **fields: Any) -> None:
    say(turns, "assistant", message={"content": [{"type": "text", "text": words}]}, **fields)


async def test_two_prompts_that_the_cli_answers_as_one_end_together() -> None:
    turns = Turns()
    a, b = turns.add("a"), turns.add("b")
    for uuid in "ab":
        say(turns, "command_lifecycle", command_uuid=uuid, state="started")
    text(turns, "both", user_message_uuids=["a", "b"])
    say(turns, "result", result="both", user_message_uuids=["a", "b"])
    assert [(await turn).text for turn in (a, b)] == ["both", "both"]
    assert not turns.open


async def test_a_prompt_that_is_cancelled_while_it_waits_is_interrupted() -> None:
    turns = Turns()
    a, b = turns.add("a"), turns.add("b")
    say(turns, "command_lifecycle", command_uuid="a", state="started")
    say(turns, "command_lifecycle", command_uuid="b", state="cancelled")
    assert (await b).interrupted
    say(turns, "result", result="a", user_message_uuid="a")
    assert not (await a).interrupted


async def test_answers_out_of_order_find_their_prompt() -> None:
    turns = Turns()
    a, b = turns.add("a"), turns.add("b")
    text(turns, "for b", user_message_uuid="b")
    say(turns, "result", result="for b", user_message_uuid="b")
    text(turns, "for a", user_message_uuid="a")
    say(turns, "result", result="for a", user_message_uuid="a")
    assert ((await a).text, (await b).text) == ("for a", "for b")


async def test_a_turn_of_the_clis_own_between_two_of_ours() -> None:
    turns, own = Turns(), list[Turn]()
    turns.unprompted = own.append
    a = turns.add("a")
    say(turns, "command_lifecycle", command_uuid="a", state="started")
    say(turns, "result", result="a", user_message_uuid="a")
    b = turns.add("b")  # sent, not started yet
    say(turns, "system", subtype="init")
    text(turns, "the task is done")
    say(turns, "result", result="the task is done", origin={"kind": "task-notification"})
    say(turns, "command_lifecycle", command_uuid="b", state="started")
    text(turns, "b")
    say(turns, "result", result="b", user_message_uuid="b")
    assert [(await turn).text for turn in (a, *own, b)] == ["a", "the task is done", "b"]
    assert [turn.is_ours for turn in (a, *own, b)] == [True, False, True]


async def test_a_stray_result_ends_nothing() -> None:
    turns, outside = Turns(), list[Message]()
    turns.outside = outside.append
    say(turns, "result", result="nobody asked", origin={"kind": "peer"})
    assert isinstance(outside[0], Result)
    a = turns.add("a")
    say(turns, "command_lifecycle", command_uuid="a", state="queued")
    say(turns, "result", result="an old one", user_message_uuid="z")
    assert not a.is_done


async def test_the_end_of_the_cli_ends_all_turns() -> None:
    turns = Turns()
    a, b = turns.add("a"), turns.add("b")
    say(turns, "command_lifecycle", command_uuid="a", state="started")
    text(turns, "begun")
    turns.fail(ClaudeExited("gone"))
    for turn in (a, b):
        with pytest.raises(ClaudeExited, match="gone"):
            await turn
    assert a.reply.text == "begun"


async def test_tools_of_subagents_are_in_the_reply_but_not_their_text() -> None:
    turns = Turns()
    a = turns.add("a")
    use = {"type": "tool_use", "id": "t", "name": "Read", "input": {}}
    said = [{"type": "text", "text": "aside"}, use]
    say(turns, "assistant", message={"content": said}, parent_tool_use_id="p")
    result = {"type": "tool_result", "tool_use_id": "t", "content": "r", "is_error": True}
    say(turns, "user", message={"content": [result]}, parent_tool_use_id="p")
    text(turns, "main")
    say(turns, "result", subtype="success")
    reply = await a
    assert reply.text == "main"
    (call,) = reply.tools
    assert (call.parent_tool_use_id, call.result, call.is_error) == ("p", "r", True)

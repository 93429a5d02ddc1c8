from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from anyide.errors import (
    BudgetReached,
    ClaudeExited,
    ClaudeNotFound,
    ClaudeTooOld,
    ControlFailed,
    LoginNeeded,
    ProtocolBroken,
    RateLimited,
    RequestTimeout,
    TurnFailed,
    UsageError,
)
from anyide.headless import Claude, Text, TextDelta, ThinkingDelta, ToolUse
from anyide.headless.messages import Message
from anyide.headless.notice import SessionStateChanged

if TYPE_CHECKING:
    from pathlib import Path

    from anyide.headless.control import Elicitation, UserDialog
    from tests.headless.conftest import MakeClaude


async def test_the_api_reads_as_it_was_promised(fake: MakeClaude) -> None:
    use = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}
    thought = {"type": "thinking_delta", "thinking": "hm"}
    event = {"type": "content_block_delta", "index": 0, "delta": thought}
    lines = [{"type": "stream_event", "event": event}]
    lines.append({"type": "assistant", "message": {"content": [use]}})
    prompt = "\n".join(f"LINE {json.dumps(line)}" for line in lines) + "\nDELTAS 1\nSAY 0"
    seen: list[Any] = []
    async with fake(cwd=".", permission=lambda request: True, include_partial=True) as claude:
        async for happening in claude.ask(prompt):
            match happening:
                case ThinkingDelta(text=t):
                    seen.append(t)
                case TextDelta(text=t):
                    seen.append(t)
                case ToolUse(name=n, input=i):
                    seen.append((n, i))
        turn = await claude.ask("SAY And the tests")
    assert seen == ["hm", ("Bash", {"command": "ls"}), "0 "]
    assert (turn.text, turn.thinking, turn.tools) == ("And the tests", "", ())
    assert turn.usage.input_tokens == 0


@pytest.mark.parametrize("mode", ["normal", "old"])
async def test_prompts_may_be_queued_and_each_gets_its_answer(fake: MakeClaude, mode: str) -> None:
    async with fake(mode) as claude:
        turns = [claude.ask(f"SAY {number}") for number in range(5)]
        assert [(await turn).text for turn in reversed(turns)] == ["4", "3", "2", "1", "0"]


async def test_a_result_of_nobody_is_not_taken_for_an_answer(fake: MakeClaude) -> None:
    stray = json.dumps({"type": "result", "result": "stray", "origin": {"kind": "peer"}})
    async with fake() as claude:
        assert (await claude.ask(f"LINE {stray}\nSAY a")).text == "a"
        assert (await claude.ask("SAY b")).text == "b"


async def test_a_turn_can_be_read_and_then_awaited(fake: MakeClaude) -> None:
    async with fake() as claude:
        turn = claude.ask("DELTAS 3\nSAY all")
        assert "".join([text async for text in turn.text()]) == "0 1 2 "
        reply = await turn
    assert reply.text == "all"
    assert reply.cost_usd == 0.5


async def test_text_comes_in_blocks_when_nothing_streams(fake: MakeClaude) -> None:
    async with fake() as claude:
        assert [text async for text in claude.ask("SAY a\nSAY b").text()] == ["a", "b"]


async def test_content_blocks_are_a_prompt_too(fake: MakeClaude) -> None:
    async with fake() as claude:
        assert (await claude.ask([{"type": "text", "text": "SAY blocks"}])).text == "blocks"


async def test_a_prompt_that_is_no_json_is_not_waited_for(fake: MakeClaude) -> None:
    async with asyncio.timeout(5), fake("old") as claude:  # names no ids: the oldest is answered
        with pytest.raises(TypeError):
            await claude.ask([{"type": "text", "text": object()}])
        assert (await claude.ask("SAY a")).text == "a"


async def test_the_cost_is_of_the_turn_not_of_the_session(fake: MakeClaude) -> None:
    async with fake() as claude:
        first = await claude.ask('RESULT {"total_cost_usd": 1.0}')
        second = await claude.ask('RESULT {"total_cost_usd": 1.25}')
    assert (first.cost_usd, second.cost_usd, second.total_cost_usd) == (1.0, 0.25, 1.25)


@pytest.mark.parametrize(
    ("fields", "error", "sentence"),
    [
        ({"api_error_status": 429}, RateLimited, "try again after 2033"),
        ({"subtype": "error_max_budget_usd"}, BudgetReached, "max_budget_usd"),
        ({"api_error_status": 401, "result": "?"}, LoginNeeded, "/login"),
        ({"errors": ["odd"]}, TurnFailed, "odd"),
    ],
)
async def test_a_failed_turn_is_typed_by_its_cause(
    fake: MakeClaude, fields: dict[str, Any], error: type[TurnFailed], sentence: str
) -> None:
    limit = {"status": "rejected", "resetsAt": 2_000_000_000}
    line = json.dumps({"type": "rate_limit_event", "rate_limit_info": limit})
    prompt = f"LINE {line}\nSAY before\nRESULT {json.dumps({'is_error': True, **fields})}"
    async with fake() as claude:
        with pytest.raises(error, match=sentence) as caught:
            await claude.ask(prompt)
    assert caught.value.reply.result is caught.value.result
    if isinstance(caught.value, RateLimited):
        assert caught.value.resets_at == 2_000_000_000


async def test_the_error_that_the_assistant_names_counts(fake: MakeClaude) -> None:
    line = json.dumps({"type": "assistant", "error": "authentication_failed", "message": {}})
    async with fake() as claude:
        with pytest.raises(LoginNeeded):
            await claude.ask(f'LINE {line}\nRESULT {{"is_error": true, "result": "no"}}')


async def test_a_missing_cli_is_told_with_advice(tmp_path: Path) -> None:
    with pytest.raises(ClaudeNotFound, match="install Claude Code"):
        await Claude(cli_path=tmp_path / "claude").start()


async def test_a_cli_that_cannot_be_started_is_told(tmp_path: Path) -> None:
    with pytest.raises(ClaudeNotFound, match="cannot start"):
        await Claude(cli_path=[str(tmp_path)]).start()


async def test_an_old_cli_is_told_by_the_option_it_does_not_know(fake: MakeClaude) -> None:
    with pytest.raises(ClaudeTooOld, match="does not know --include-partial-messages"):
        await fake("option", include_partial=True).start()


async def test_a_failure_at_the_start_tells_the_clis_own_reason(fake: MakeClaude) -> None:
    with pytest.raises(ClaudeExited, match="the folder is gone"):
        await fake("startup").start()


async def test_controls_are_paired_with_their_answers(fake: MakeClaude) -> None:
    async with fake() as claude:
        answers = await asyncio.gather(*(claude.request("echo", n=n) for n in range(20)))
        assert [answer["n"] for answer in answers] == list(range(20))
        assert "omitted" not in await claude.request("echo", omitted=None)
        with pytest.raises(ControlFailed, match="refused 'nonsense': Unsupported") as caught:
            await claude.request("nonsense")
        assert caught.value.code == "unsupported_request"


async def test_a_control_without_an_answer_ends_in_time(fake: MakeClaude) -> None:
    async with fake("stubborn") as claude:
        with pytest.raises(RequestTimeout):
            await claude.request("interrupt", timeout=0.05)


async def test_an_elicitation_is_answered(fake: MakeClaude) -> None:
    async def elicit(asked: Elicitation) -> dict[str, Any]:
        return {"action": "accept", "content": {"name": asked.message}}

    request = {"subtype": "elicitation", "mcp_server_name": "s", "message": "who?"}
    async with fake(elicitation=elicit) as claude:
        reply = await claude.ask(f"ASK {json.dumps(request)}")
    assert json.loads(reply.text)["response"]["content"] == {"name": "who?"}


async def test_a_declared_dialog_is_answered(fake: MakeClaude) -> None:
    def show(asked: UserDialog) -> str:
        return f"{asked.payload['question']}!"

    request = {"subtype": "request_user_dialog", "dialog_kind": "k", "payload": {"question": "q"}}
    async with fake(dialog=show, dialog_kinds=["k"]) as claude:
        reply = await claude.ask(f"ASK {json.dumps(request)}")
    assert json.loads(reply.text)["response"] == {"behavior": "completed", "result": "q!"}


async def test_a_hook_that_fails_is_told_as_an_error(fake: MakeClaude) -> None:
    def broken(hook: object) -> None:
        raise ValueError("broken hook")

    request = {"subtype": "hook_callback", "callback_id": "Stop-0", "input": {}}
    async with fake(hooks={"Stop": broken}) as claude:
        reply = await claude.ask(f"ASK {json.dumps(request)}")
    assert json.loads(reply.text)["error"] == "ValueError: broken hook"


async def test_a_callback_that_something_else_cancelled_denies(fake: MakeClaude) -> None:
    async def cancelled(request: object) -> bool:
        raise asyncio.CancelledError

    request = {"subtype": "can_use_tool", "tool_name": "T", "input": {}}
    async with fake(permission=cancelled) as claude:
        reply = await claude.ask(f"ASK {json.dumps(request)}")
    assert json.loads(reply.text)["response"]["behavior"] == "deny"


async def test_a_cancelled_question_is_not_answered(fake: MakeClaude) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def slow(request: object) -> bool:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return True

    request = {"subtype": "can_use_tool", "tool_name": "T", "input": {}}
    asking = json.dumps({"type": "control_request", "request_id": "c", "request": request})
    cancel = json.dumps({"type": "control_cancel_request", "request_id": "c"})
    async with fake(permission=slow) as claude:
        turn = claude.ask(f"LINE {asking}\nHANG")
        await begun.wait()
        later = claude.request("echo")
        claude._link.received(cancel.encode() + b"\n")
        async with asyncio.timeout(5):
            await ended.wait()
        await later
        await claude.interrupt()
        await turn


async def test_messages_of_no_turn_reach_who_asked_for_them(fake: MakeClaude) -> None:
    seen: list[Message] = []
    line = json.dumps({"type": "system", "subtype": "session_state_changed", "state": "idle"})
    async with fake(on_message=seen.append) as claude:
        claude._link.received(line.encode() + b"\n")
        assert claude.state == "idle"
    assert [type(message) for message in seen] == [SessionStateChanged]


async def test_a_callback_that_fails_does_not_stop_the_reader(fake: MakeClaude) -> None:
    def broken(message: Message) -> None:
        raise ValueError("broken")

    async with fake(on_message=broken) as claude:
        assert (await claude.ask("SAY on")).text == "on"


async def test_unprompted_turns_end_with_the_session(fake: MakeClaude) -> None:
    own = b'{"type":"system","subtype":"init"}\n{"type":"result","result":"by itself"}\n'
    async with fake() as claude:
        claude._link.received(own)
    async with asyncio.timeout(5):
        turns = [turn async for turn in claude.unprompted()]
        assert [(await turn).text for turn in turns] == ["by itself"]
        assert [turn async for turn in claude.unprompted()] == []


async def test_a_session_that_is_not_open_says_so(fake: MakeClaude) -> None:
    claude = fake()
    with pytest.raises(UsageError, match="async with"):
        await claude.ask("hi")
    async with claude:
        pass
    with pytest.raises(UsageError, match="async with"):
        await claude.ask("hi")
    with pytest.raises(UsageError, match="started once"):
        await claude.start()


async def test_a_turn_that_the_end_of_the_session_cut_says_so(fake: MakeClaude) -> None:
    async with fake("stubborn") as claude:
        turn = claude.ask("HANG")
    with pytest.raises(ClaudeExited, match="was closed before"):
        await turn


async def test_what_is_unread_can_be_read_after_the_end(fake: MakeClaude) -> None:
    async with fake() as claude:
        turn = claude.ask("SAY a\nHANG")
        await claude.request("echo")
    texts = [event.text async for event in turn if isinstance(event, Text)]
    assert texts == ["a"]


async def test_a_program_that_is_no_claude_is_told(fake: MakeClaude) -> None:
    async with fake() as claude:
        with pytest.raises(ProtocolBroken, match="does not speak stream-json"):
            await claude.ask("NOISE 10001\nHANG")


async def test_a_folder_that_is_missing_is_told(fake: MakeClaude, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        await fake(cwd=tmp_path / "none").start()


async def test_a_long_value_is_in_a_file_while_the_cli_runs(fake: MakeClaude) -> None:
    settings = {"x": "y" * 20_000}
    async with fake(settings=settings) as claude:
        words = json.loads((await claude.ask("ARGV")).text)
        (path,) = [w.partition("=")[2] for w in words if w.startswith("--settings=")]
        with open(path) as file:  # noqa: ASYNC230, PTH123
            assert json.load(file) == settings
    with pytest.raises(FileNotFoundError):
        open(path)  # noqa: ASYNC230, PTH123, SIM115

"""Proof that the bench works: what these tests rest on is the real CLI and nothing of anyide."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from tests.real.reply import Call, Think

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real.fixtures import RunClaude, StartClaude
    from tests.real.model import StandInModel


def write(path: Path, content: str = "one\ntwo\n") -> str:
    """Return the order to write a file."""
    return f"CALL Write {json.dumps({'file_path': str(path), 'content': content})}"


def blocks(messages: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    spoken = [message for message in messages if message["type"] == "assistant"]
    return [
        block
        for message in spoken
        for block in message["message"]["content"]
        if block["type"] == kind
    ]


def running_in_group(leader: int) -> list[str]:
    """Return the live processes of a group; orphans that wait for init to bury them are dead."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess, ProcessLookupError):
            if os.getpgid(process.pid) == leader and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.name())
    return found


async def test_headless_turn_says_what_the_model_said(
    run_claude: RunClaude, model: StandInModel
) -> None:
    messages = await run_claude("SAY good morning")
    assert messages[-1]["type"] == "result"
    assert messages[-1]["result"] == "good morning"
    assert [request.prompt for request in model.requests] == ["SAY good morning"]


async def test_headless_tool_call_writes_the_file(run_claude: RunClaude, project: Path) -> None:
    target = project / "b.py"
    messages = await run_claude(write(target), "--permission-mode", "acceptEdits")
    assert target.read_text() == "one\ntwo\n"
    assert messages[-1]["result"].startswith("The tool said: File created successfully")
    assert [call["name"] for call in blocks(messages, "tool_use")] == ["Write"]


async def test_thinking_deltas_and_usage_come_through(
    run_claude: RunClaude, model: StandInModel
) -> None:
    model.reply(Think("let me see"), "seen", usage={"input_tokens": 7, "output_tokens": 11})
    messages = await run_claude("hello", "--include-partial-messages")
    assert blocks(messages, "thinking")[0]["thinking"] == "let me see"
    events = [message["event"] for message in messages if message["type"] == "stream_event"]
    kinds = {event["delta"]["type"] for event in events if event["type"] == "content_block_delta"}
    assert kinds == {"thinking_delta", "signature_delta", "text_delta"}
    usage = messages[-1]["usage"]
    assert (usage["input_tokens"], usage["output_tokens"]) == (7, 11)


async def test_long_stream_comes_in_as_many_deltas_as_ordered(run_claude: RunClaude) -> None:
    messages = await run_claude(f"DELTAS 50 SAY {'x' * 50}", "--include-partial-messages")
    events = [message["event"] for message in messages if message["type"] == "stream_event"]
    assert sum(event["type"] == "content_block_delta" for event in events) == 50


async def test_subagent_answers_by_the_rules_in_its_own_prompt(
    run_claude: RunClaude, model: StandInModel, project: Path
) -> None:
    (project / "a.txt").write_text("forty-two")
    order = f"CALL Read {json.dumps({'file_path': str(project / 'a.txt')})}"
    here = {"description": "look", "prompt": order, "run_in_background": False}
    model.reply(Call("Agent", here))
    messages = await run_claude("ask somebody")
    assert any("forty-two" in request.everything for request in model.requests)
    assert "forty-two" in messages[-1]["result"]


async def test_passing_error_is_tried_again(run_claude: RunClaude, model: StandInModel) -> None:
    model.fail(529, headers=(("retry-after", "0"),))
    messages = await run_claude("SAY at last")
    assert messages[-1]["result"] == "at last"
    assert len(model.requests) == 2


async def test_lasting_error_ends_the_turn(run_claude: RunClaude) -> None:
    messages = await run_claude("FAIL 400")
    assert messages[-1]["is_error"]
    assert "the stand-in was told to fail" in messages[-1]["result"]


async def test_terminal_starts_without_a_dialog_and_shows_the_reply(
    start_claude: StartClaude, model: StandInModel
) -> None:
    terminal = await start_claude()
    await terminal.ready()
    await terminal.submit("hello there")
    await terminal.until("You said: hello there")
    assert [request.prompt for request in model.requests] == ["hello there"]


async def test_terminal_asks_before_it_writes(start_claude: StartClaude, project: Path) -> None:
    terminal = await start_claude()
    await terminal.ready()
    await terminal.submit(write(project / "b.py"))
    await terminal.until("Do you want to create b.py?")
    assert not (project / "b.py").exists()
    await terminal.choose("enter", "Do you want to create b.py?")
    await terminal.until("The tool said: File created successfully")
    assert (project / "b.py").read_text() == "one\ntwo\n"


async def test_terminal_writes_nothing_when_refused(
    start_claude: StartClaude, project: Path
) -> None:
    terminal = await start_claude()
    await terminal.ready()
    await terminal.submit(write(project / "b.py"))
    await terminal.choose("escape", "Do you want to create b.py?")
    await terminal.until("User rejected write to b.py")
    assert not (project / "b.py").exists()


async def test_turn_is_interrupted_in_mid_stream(
    start_claude: StartClaude, model: StandInModel
) -> None:
    terminal = await start_claude()
    await terminal.ready()
    await terminal.submit("SLOW first half, second half")
    await model.holding()
    await terminal.until("●")  # before an answer has begun, it takes the prompt back instead
    terminal.press("escape")
    await model.dropped()
    await terminal.until("Interrupted")


async def test_screen_is_shown_when_what_was_awaited_does_not_come(
    start_claude: StartClaude,
) -> None:
    terminal = await start_claude()
    await terminal.ready()
    with pytest.raises(AssertionError, match=re.compile("never seen.*Claude Code v", re.DOTALL)):
        await terminal.until("never seen", timeout=0.1)


async def test_nothing_of_a_stopped_cli_is_left(start_claude: StartClaude) -> None:
    terminal = await start_claude()
    await terminal.ready()
    await terminal.stop()
    assert not psutil.pid_exists(terminal.pid)
    assert running_in_group(terminal.pid) == []
    await terminal.stop()


async def test_killed_cli_is_noticed(start_claude: StartClaude) -> None:
    terminal = await start_claude()
    await terminal.ready()
    terminal.kill()
    await terminal.ended()
    with pytest.raises(AssertionError, match="the CLI ended before"):
        await terminal.until("never seen")

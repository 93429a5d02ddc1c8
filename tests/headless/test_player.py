"""What a replay does with what the application says; recording itself is in test_record.py."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from anyide.errors import ClaudeExited, ControlFailed
from anyide.headless import Claude, replay
from anyide.headless.record import APP, CLI, Recorder

if TYPE_CHECKING:
    from pathlib import Path

    from anyide.headless import PermissionRequest
    from anyide.headless.link import Connect

Line = tuple[str, dict[str, Any]]
MAX_SECONDS = 5.0


def ask(number: int, subtype: str) -> Line:
    request = {"subtype": subtype}
    return APP, {"type": "control_request", "request_id": f"anyide-{number}", "request": request}


def answer(number: int, **response: Any) -> Line:
    found = {"subtype": "success", "request_id": f"anyide-{number}", "response": response}
    return CLI, {"type": "control_response", "response": found}


def prompt(uuid: str) -> Line:
    return APP, {"type": "user", "uuid": uuid, "message": {"content": "then"}}


def result(uuid: str, text: str) -> Line:
    return CLI, {"type": "result", "result": text, "user_message_uuid": uuid}


def recorded(file: Path, *lines: Line) -> Connect:
    recorder = Recorder(file, env={}, clock=lambda: 0.0)
    for speaker, line in (ask(1, "initialize"), answer(1), *lines):
        recorder.take(APP if speaker == APP else CLI, json.dumps(line).encode())
    recorder.close()
    return replay(file)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


async def test_the_ids_of_now_stand_in_for_those_of_then(file: Path) -> None:
    lines = (prompt("u1"), result("u1", "one"), prompt("u2"), result("u2", "two"))
    async with Claude(connect=recorded(file, *lines)) as claude:
        replies = [await claude.ask("a"), await claude.ask("b")]
    assert [reply.text for reply in replies] == ["one", "two"]
    ids = [reply.result.user_message_uuid for reply in replies if reply.result is not None]
    assert len(set(ids)) == 2
    assert not {"u1", "u2"} & set(ids)


async def test_ids_that_moved_up_by_one_are_not_mixed_up(file: Path) -> None:
    lines = (ask(2, "get_binary_version"), ask(3, "get_session_cost"))
    answers = (answer(2, version="2.1"), answer(3, text="$1"))
    async with (
        asyncio.timeout(MAX_SECONDS),
        Claude(connect=recorded(file, *lines, *answers, prompt("never said"))) as claude,
    ):
        with pytest.raises(ControlFailed, match="the recording has no answer to 'new'"):
            await claude.request("new")  # takes the id that the first had then
        version, cost = await asyncio.gather(claude.get_binary_version(), claude.get_session_cost())
    assert (version, cost) == ("2.1", "$1")


async def test_requests_in_another_order_than_then_get_their_own_answers(file: Path) -> None:
    lines = (ask(2, "get_binary_version"), ask(3, "get_session_cost"))
    answers = (answer(2, version="2.1"), answer(3, text="$1"))
    async with (
        asyncio.timeout(MAX_SECONDS),
        Claude(connect=recorded(file, *lines, *answers, prompt("never said"))) as claude,
    ):
        cost, version = await asyncio.gather(claude.get_session_cost(), claude.get_binary_version())
    assert (cost, version) == ("$1", "2.1")


async def test_the_recording_waits_for_the_answer_to_its_question(file: Path) -> None:
    asked = {"subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "t"}
    question = CLI, {"type": "control_request", "request_id": "q", "request": asked}
    allowed = {"subtype": "success", "request_id": "q", "response": {"behavior": "allow"}}
    consent = APP, {"type": "control_response", "response": allowed}
    seen: list[str] = []

    def permission(request: PermissionRequest) -> bool:
        seen.append(request.tool_name)
        return True

    lines = (prompt("u"), question, consent, result("u", "ran"))
    async with Claude(connect=recorded(file, *lines), permission=permission) as claude:
        assert (await claude.ask("run it")).text == "ran"
    assert seen == ["Bash"]


async def test_a_prompt_too_many_ends_the_session(file: Path) -> None:
    lines = (prompt("u"), result("u", "one"), ask(9, "never asked"))
    async with Claude(connect=recorded(file, *lines)) as claude:
        assert (await claude.ask("a")).text == "one"
        with pytest.raises(ClaudeExited, match="the recording has no answer to this prompt"):
            await claude.ask("b")


async def test_a_recording_that_is_over_ends_the_session(file: Path) -> None:
    async with Claude(connect=recorded(file, prompt("u"))) as claude:
        for said in ("a", "again"):
            with pytest.raises(ClaudeExited, match=r"^the session ended: the recording is over$"):
                await claude.ask(said)

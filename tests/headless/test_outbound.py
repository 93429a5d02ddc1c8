from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from anyide.errors import ClaudeExited, ControlFailed, RequestTimeout
from anyide.headless.control import Answer, Ask
from anyide.headless.outbound import Controls, Outbound


class Session(Controls):
    """Controls whose requests are kept, and answered at once if there is an answer."""

    def __init__(self, answer: Any = None, *, is_mute: bool = False) -> None:
        self.sent: list[Ask] = []
        self.outbound = self._outbound = Outbound(self._send)
        self._answer = answer
        self._is_mute = is_mute

    def _send(self, ask: Ask) -> None:
        self.sent.append(ask)
        if not self._is_mute:
            self.outbound.answered(success(ask.request_id, self._answer))


def success(request_id: str, response: Any = None) -> Answer:
    return Answer(subtype="success", request_id=request_id, response=response)


async def test_a_request_that_could_not_be_sent_waits_for_nothing() -> None:
    def fail(ask: Ask) -> None:
        raise TypeError("no JSON")

    outbound = Outbound(fail)
    with pytest.raises(TypeError, match="no JSON"):
        await outbound.begin("x", {"field": object()})
    assert outbound._waiting == {}


async def test_each_answer_finds_who_asked_whatever_the_order() -> None:
    session = Session(is_mute=True)
    futures = [session.outbound.begin("s", {"number": number}) for number in range(3)]
    for number in (2, 0, 1):
        session.outbound.answered(success(session.sent[number].request_id, {"it": number}))
    assert [await future for future in futures] == [{"it": 0}, {"it": 1}, {"it": 2}]
    assert len({ask.request_id for ask in session.sent}) == 3


@pytest.mark.parametrize("response", [None, "text", 5, ["list"]])
async def test_an_answer_that_is_no_object_is_an_empty_one(response: Any) -> None:
    assert await Session(response).request("x") == {}


@pytest.mark.parametrize(
    ("error", "said"), [("not now", "not now"), (None, "no reason given"), ("", "no reason given")]
)
async def test_a_refusal_says_what_was_refused_and_why(error: str | None, said: str) -> None:
    session = Session(is_mute=True)
    future = session.outbound.begin("set_color", {})
    session.outbound.answered(
        Answer(subtype="error", request_id="anyide-1", error=error, error_code="busy")
    )
    with pytest.raises(ControlFailed, match=said) as caught:
        await future
    assert str(caught.value) == f"Claude Code refused 'set_color': {said}"
    assert (caught.value.subtype, caught.value.code) == ("set_color", "busy")


async def test_an_answer_of_an_unknown_kind_is_a_refusal() -> None:
    session = Session(is_mute=True)
    future = session.outbound.begin("x", {})
    session.outbound.answered(Answer(subtype="a_new_one", request_id="anyide-1", response={}))
    with pytest.raises(ControlFailed):
        await future


async def test_an_answer_for_nobody_or_for_the_second_time_is_ignored() -> None:
    session = Session(is_mute=True)
    future = session.outbound.begin("x", {})
    session.outbound.answered(success("another"))
    assert not future.done()
    session.outbound.answered(success("anyide-1", {"first": True}))
    session.outbound.answered(success("anyide-1", {"first": False}))
    assert await future == {"first": True}


async def test_who_gets_no_answer_in_time_is_told_and_a_late_one_is_ignored() -> None:
    session = Session(is_mute=True)
    with pytest.raises(RequestTimeout, match=r"no answer to 'slow' within 0 s"):
        await session.request("slow", timeout=0)
    session.outbound.answered(success("anyide-1"))


async def test_the_end_of_the_cli_reaches_all_who_wait_and_all_who_come() -> None:
    session = Session(is_mute=True)
    futures = [session.outbound.begin("x", {}) for _ in range(2)]
    error = ClaudeExited("gone", exit_code=1)
    session.outbound.fail(error)
    for future in futures:
        with pytest.raises(ClaudeExited) as caught:
            await future
        assert caught.value is error
    with pytest.raises(ClaudeExited):
        await session.request("x")
    assert len(session.sent) == 2


async def test_who_gave_up_does_not_hear_of_the_end() -> None:
    session = Session(is_mute=True)
    future = session.outbound.begin("x", {})
    future.cancel()
    session.outbound.fail(ClaudeExited("gone"))
    with pytest.raises(asyncio.CancelledError):
        await future


async def test_a_field_that_is_none_is_left_out_of_any_request() -> None:
    session = Session()
    await session.request("new_one", a=1, b=None, c=False)
    assert session.sent[0].request == {"subtype": "new_one", "a": 1, "c": False}


CALLS: list[tuple[Callable[[Session], Awaitable[Any]], dict[str, Any]]] = [
    (lambda s: s.interrupt(), {"subtype": "interrupt"}),
    (
        lambda s: s.interrupt(reason="r", cancel_queued=False),
        {"subtype": "interrupt", "reason": "r", "cancel_queued": False},
    ),
    (lambda s: s.set_model(), {"subtype": "set_model", "model": None}),
    (lambda s: s.set_model("m"), {"subtype": "set_model", "model": "m"}),
    (
        lambda s: s.set_permission_mode("plan"),
        {"subtype": "set_permission_mode", "mode": "plan"},
    ),
    (
        lambda s: s.set_max_thinking_tokens(None),
        {"subtype": "set_max_thinking_tokens", "max_thinking_tokens": None},
    ),
    (
        lambda s: s.set_max_thinking_tokens(5, display="omitted"),
        {
            "subtype": "set_max_thinking_tokens",
            "max_thinking_tokens": 5,
            "thinking_display": "omitted",
        },
    ),
    (
        lambda s: s.set_has_subscribers(None),
        {"subtype": "set_has_subscribers", "has_subscribers": None},
    ),
    (
        lambda s: s.mcp_toggle("s", enabled=False),
        {"subtype": "mcp_toggle", "serverName": "s", "enabled": False},
    ),
    (lambda s: s.mcp_reconnect("s"), {"subtype": "mcp_reconnect", "serverName": "s"}),
    (lambda s: s.mcp_call("t"), {"subtype": "mcp_call", "tool": "t", "arguments": {}}),
    (lambda s: s.rewind_files("u"), {"subtype": "rewind_files", "user_message_id": "u"}),
    (
        lambda s: s.rewind_files("u", dry_run=True),
        {"subtype": "rewind_files", "user_message_id": "u", "dry_run": True},
    ),
    (lambda s: s.read_file("/f"), {"subtype": "read_file", "path": "/f"}),
    (
        lambda s: s.cancel_message("u"),
        {"subtype": "cancel_async_message", "message_uuid": "u"},
    ),
    (
        lambda s: s.register_repo_root("/d", reload_skills=True),
        {"subtype": "register_repo_root", "directory": "/d", "reload_skills": True},
    ),
    (lambda s: s.background_tasks(), {"subtype": "background_tasks"}),
]


@pytest.mark.parametrize(("call", "request_"), CALLS, ids=[str(said)[:50] for _, said in CALLS])
async def test_a_method_sends_its_request(
    call: Callable[[Session], Awaitable[Any]], request_: dict[str, Any]
) -> None:
    session = Session({})
    await call(session)
    assert [ask.request for ask in session.sent] == [request_]


async def test_a_method_that_promises_a_plain_value_gives_it() -> None:
    answer = {
        "text": "$1",
        "version": "2.1",
        "models": [{"value": "m"}],
        "mcpServers": [{"name": "s"}],
        "suggestions": [{"path": "a"}],
        "cancelled": True,
    }
    session = Session(answer)
    assert await session.get_session_cost() == "$1"
    assert await session.get_binary_version() == "2.1"
    assert await session.list_models() == [{"value": "m"}]
    assert await session.mcp_status() == [{"name": "s"}]
    assert await session.file_suggestions("a") == [{"path": "a"}]
    assert await session.cancel_message("u") is True


async def test_and_an_empty_one_when_the_answer_lacks_it() -> None:
    session = Session({})
    assert await session.get_session_cost() == ""
    assert await session.get_binary_version() == ""
    assert await session.list_models() == []
    assert await session.mcp_status() == []
    assert await session.file_suggestions("a") == []
    assert await session.cancel_message("u") is False

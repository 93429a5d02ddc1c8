from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from anyide.headless.control import (
    UNSUPPORTED,
    CanUseTool,
    ControlRequest,
    Elicitation,
    HookCallback,
    Reply,
    UserDialog,
)
from anyide.headless.hook import HookTable
from anyide.headless.inbound import Inbound
from anyide.headless.permission import Allow, Deny
from anyide.headless.toolbox import Toolbox

MAX_SECONDS = 5.0


class Desk:
    """An Inbound, and what it answered, as it stands on the wire."""

    def __init__(self, *, hooks: Any = None, tools: Any = (), **callbacks: Any) -> None:
        self._sent: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        given = {"permission": None, "elicitation": None, "dialog": None, **callbacks}
        kinds = frozenset({"known"})
        toolboxes = {"anyide": Toolbox(tools)}
        self.inbound = Inbound(
            self._send,
            hooks=HookTable(hooks or {}),
            toolboxes=toolboxes,
            dialog_kinds=kinds,
            **given,
        )

    def _send(self, reply: Reply) -> None:
        self._sent.put_nowait(msgspec.json.decode(msgspec.json.encode(reply)))

    def ask(self, subtype: str, request_id: str = "r", **fields: Any) -> None:
        line = json.dumps({"subtype": subtype, **fields}).encode()
        self.inbound.ask(ControlRequest(request_id=request_id, request=msgspec.Raw(line)))

    async def answer(self) -> dict[str, Any]:
        async with asyncio.timeout(MAX_SECONDS):
            sent = await self._sent.get()
        assert sent["type"] == "control_response"
        found: dict[str, Any] = sent["response"]
        return found

    async def asked(self, subtype: str, **fields: Any) -> dict[str, Any]:
        self.ask(subtype, **fields)
        return await self.answer()

    @property
    def is_silent(self) -> bool:
        return self._sent.empty()


def success(response: Mapping[str, Any]) -> dict[str, Any]:
    return {"subtype": "success", "request_id": "r", "response": response}


async def no_wait(value: Any) -> Any:
    return value


@pytest.mark.parametrize("request_", ['{"subtype":"a_new_one"}', "{}", "7", '{"subtype":7}'])
async def test_a_request_that_is_not_known_is_refused_as_unsupported(request_: str) -> None:
    desk = Desk()
    raw = msgspec.Raw(request_.encode())
    desk.inbound.ask(ControlRequest(request_id="r", request=raw))
    answer = await desk.answer()
    assert (answer["subtype"], answer["request_id"]) == ("error", "r")
    assert answer["error_code"] == UNSUPPORTED
    assert answer["error"].startswith("cannot answer this: ")


@pytest.mark.parametrize("decide", [lambda _: True, lambda _: no_wait(True), lambda _: Allow()])
async def test_a_permission_may_be_given_now_or_later(decide: Any) -> None:
    desk = Desk(permission=decide)
    answer = await desk.asked("can_use_tool", tool_name="Bash", input={"a": 1}, tool_use_id="t")
    allowed = {"behavior": "allow", "updatedInput": {"a": 1}, "toolUseID": "t"}
    assert answer == success(allowed)


async def test_without_anybody_to_ask_a_tool_is_denied() -> None:
    answer = await Desk().asked("can_use_tool", tool_use_id="t")
    message = "Nobody is there who could allow this."
    assert answer == success({"behavior": "deny", "message": message, "toolUseID": "t"})


async def test_a_permission_that_is_nothing_clear_is_a_denial() -> None:
    for vague in (None, 1, "yes"):
        answer = await Desk(permission=lambda _, v=vague: v).asked("can_use_tool")
        assert answer["response"]["behavior"] == "deny"


async def test_a_question_that_fails_is_a_denial_that_says_why() -> None:
    def fail(request: CanUseTool) -> bool:
        raise OSError("no terminal")

    answer = await Desk(permission=fail).asked("can_use_tool", tool_use_id="t")
    message = "The question could not be asked: OSError: no terminal"
    assert answer == success({"behavior": "deny", "message": message, "toolUseID": "t"})


async def test_a_callback_that_cancels_itself_is_a_failure() -> None:
    async def cancel(request: CanUseTool) -> bool:
        raise asyncio.CancelledError

    answer = await Desk(permission=cancel).asked("can_use_tool")
    assert answer["response"]["behavior"] == "deny"


async def test_an_answer_that_is_no_json_is_a_failure_and_not_a_silence() -> None:
    desk = Desk(
        permission=lambda _: Allow(input={"path": Path("/x")}),
        hooks={"Stop": lambda _: {"reason": object()}},
    )
    assert (await desk.asked("can_use_tool"))["response"]["behavior"] == "deny"
    refused = await desk.asked("hook_callback", callback_id="Stop-0")
    assert refused["subtype"] == "error"
    assert refused["error"].startswith("TypeError: ")


@pytest.mark.parametrize(
    ("output", "sent"), [({"continue": False}, {"continue": False}), (None, {})]
)
async def test_a_hook_is_called_by_its_id(output: Any, sent: dict[str, Any]) -> None:
    seen: list[HookCallback] = []

    async def hook(call: HookCallback) -> Any:
        seen.append(call)
        return output

    desk = Desk(hooks={"PreToolUse": [hook]})
    answer = await desk.asked("hook_callback", callback_id="PreToolUse-0", input={"x": 1})
    assert answer == success(sent)
    assert [call.input for call in seen] == [{"x": 1}]


async def test_a_hook_that_raises_is_an_error_with_its_text() -> None:
    def hook(call: HookCallback) -> None:
        raise ValueError("bad day")

    answer = await Desk(hooks={"Stop": hook}).asked("hook_callback", callback_id="Stop-0")
    assert answer == {"subtype": "error", "request_id": "r", "error": "ValueError: bad day"}


@pytest.mark.parametrize(
    ("subtype", "fields", "problem"),
    [
        ("hook_callback", {"callback_id": "?"}, "no hook was declared with the id '?'"),
        ("mcp_message", {"server_name": "?"}, "no server '?' is in this process"),
    ],
)
async def test_a_hook_or_server_that_is_not_ours_is_refused_in_words(
    subtype: str, fields: dict[str, Any], problem: str
) -> None:
    answer = await Desk().asked(subtype, **fields)
    assert (answer["subtype"], answer["error"]) == ("error", problem)


async def test_a_tool_is_called_through_its_server() -> None:
    def double(number: int) -> int:
        return 2 * number

    call = {"name": "double", "arguments": {"number": 4}}
    message = {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": call}
    desk = Desk(tools=[double])
    answer = await desk.asked("mcp_message", server_name="anyide", message=message)
    result = {"content": [{"type": "text", "text": "8"}]}
    assert answer == success({"mcp_response": {"jsonrpc": "2.0", "id": 9, "result": result}})


async def test_a_notification_to_a_server_is_acknowledged() -> None:
    message = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    answer = await Desk().asked("mcp_message", server_name="anyide", message=message)
    assert answer == success({"mcp_response": {"jsonrpc": "2.0", "result": {}, "id": 0}})


async def test_an_elicitation_is_declined_unless_somebody_answers_it() -> None:
    assert await Desk().asked("elicitation", message="name?") == success({"action": "decline"})

    async def fill(asked: Elicitation) -> dict[str, Any]:
        return {"action": "accept", "content": {"question": asked.message}}

    answer = await Desk(elicitation=fill).asked("elicitation", message="name?")
    assert answer == success({"action": "accept", "content": {"question": "name?"}})


@pytest.mark.parametrize(
    ("result", "sent"),
    [
        (None, {"behavior": "cancelled"}),
        ("ok", {"behavior": "completed", "result": "ok"}),
        (False, {"behavior": "completed", "result": False}),
    ],
)
async def test_a_dialog_is_completed_or_cancelled(result: Any, sent: dict[str, Any]) -> None:
    def show(dialog: UserDialog) -> Any:
        return result

    answer = await Desk(dialog=show).asked("request_user_dialog", dialog_kind="known")
    assert answer == success(sent)


async def test_a_dialog_of_a_kind_that_was_not_declared_stays_unanswered() -> None:
    desk = Desk(dialog=lambda _: "shown")
    desk.ask("request_user_dialog", "first", dialog_kind="unknown")
    desk.ask("request_user_dialog", "second", dialog_kind="known")
    assert (await desk.answer())["request_id"] == "second"
    assert desk.is_silent


async def test_who_waits_for_a_person_holds_up_nobody() -> None:
    decided = asyncio.Event()

    async def decide(request: CanUseTool) -> bool:
        if request.tool_name == "slow":
            await decided.wait()
        return True

    desk = Desk(permission=decide)
    desk.ask("can_use_tool", "1", tool_name="slow")
    desk.ask("can_use_tool", "2", tool_name="quick")
    assert (await desk.answer())["request_id"] == "2"
    decided.set()
    assert (await desk.answer())["request_id"] == "1"


@pytest.mark.parametrize("ends_all", [False, True])
async def test_a_cancelled_question_ends_and_is_not_answered(ends_all: bool) -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def decide(request: CanUseTool) -> Deny:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return Deny()

    desk = Desk(permission=decide)
    desk.ask("can_use_tool", "1")
    async with asyncio.timeout(MAX_SECONDS):
        await began.wait()
        desk.inbound.cancel("another")
        assert not ended.is_set()
        desk.inbound.close() if ends_all else desk.inbound.cancel("1")
        await ended.wait()
    assert (await desk.asked("elicitation"))["request_id"] == "r"
    assert desk.is_silent

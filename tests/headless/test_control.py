from __future__ import annotations

from typing import Any

import msgspec
import pytest

from anyide.headless.control import (
    Answer,
    Ask,
    Asked,
    CanUseTool,
    ControlResponse,
    Elicitation,
    HookCallback,
    McpMessage,
    Prompt,
    Reply,
    UserDialog,
)
from anyide.headless.decode import decode


def sent(message: msgspec.Struct) -> Any:
    return msgspec.json.decode(msgspec.json.encode(message))


@pytest.mark.parametrize(
    ("subtype", "kind"),
    [
        ("can_use_tool", CanUseTool),
        ("hook_callback", HookCallback),
        ("elicitation", Elicitation),
        ("request_user_dialog", UserDialog),
        ("mcp_message", McpMessage),
    ],
)
def test_a_question_needs_no_more_than_its_subtype(subtype: str, kind: type[Any]) -> None:
    assert msgspec.convert({"subtype": subtype, "a_new_field": 1}, type=Asked) == kind()


def test_a_question_of_an_unknown_subtype_is_none_of_ours() -> None:
    with pytest.raises(msgspec.ValidationError, match="a_new_one"):
        msgspec.convert({"subtype": "a_new_one"}, type=Asked)


def test_an_answer_is_sent_without_what_it_does_not_say() -> None:
    done = Reply(response=Answer(subtype="success", request_id="r", response={"a": None}))
    assert sent(done) == {
        "type": "control_response",
        "response": {"subtype": "success", "request_id": "r", "response": {"a": None}},
    }
    refused = Answer(subtype="error", request_id="r", error="no", error_code="c")
    assert sent(refused) == {
        "subtype": "error",
        "request_id": "r",
        "error": "no",
        "error_code": "c",
    }


def test_what_we_send_is_what_the_other_side_would_read() -> None:
    answer = Answer(subtype="success", request_id="r", response={"deep": [1]})
    found = decode(msgspec.json.encode(Reply(response=answer)))
    assert isinstance(found, ControlResponse)
    assert found.response == answer


def test_a_request_keeps_fields_that_are_null() -> None:
    ask = Ask(request_id="1", request={"subtype": "set_model", "model": None})
    assert sent(ask) == {
        "type": "control_request",
        "request_id": "1",
        "request": {"subtype": "set_model", "model": None},
    }


def test_a_prompt_says_what_it_must_and_more_only_if_set() -> None:
    plain: dict[str, Any] = {
        "type": "user",
        "message": {},
        "uuid": "u",
        "session_id": "",
        "parent_tool_use_id": None,
    }
    assert sent(Prompt(message={}, uuid="u")) == plain
    more = Prompt(message={}, uuid="u", client_composed=False, priority="now", should_query=False)
    extra = {"client_composed": False, "priority": "now", "shouldQuery": False}
    assert sent(more) == {**plain, **extra}

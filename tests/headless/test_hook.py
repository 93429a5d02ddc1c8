from __future__ import annotations

import pytest

from anyide.errors import ProtocolBroken
from anyide.headless.control import HookCallback
from anyide.headless.hook import (
    EVENTS,
    Hook,
    HookTable,
    add_context,
    block,
    change_input,
    deny_tool,
)


def nothing(hook: HookCallback) -> None:
    return None


def test_hooks_are_declared_with_ids_of_their_own() -> None:
    table = HookTable({"PreToolUse": [Hook(nothing, "Bash", timeout=5), nothing], "Stop": nothing})
    first, second = table.declared["PreToolUse"]
    (third,) = table.declared["Stop"]
    ids = [each["hookCallbackIds"][0] for each in (first, second, third)]
    assert len(set(ids)) == 3
    assert set(table.calls) == set(ids)
    assert (first["matcher"], first["timeout"]) == ("Bash", 5)
    assert second["matcher"] is None
    assert "timeout" not in second


def test_a_hook_is_found_by_its_id() -> None:
    assert HookTable({"Stop": nothing}).find("Stop-0") is nothing


def test_an_id_that_was_not_declared_is_told_in_words() -> None:
    with pytest.raises(ProtocolBroken, match=r"^no hook was declared with the id 'Stop-1'$"):
        HookTable({"Stop": nothing}).find("Stop-1")


def test_the_usual_outputs() -> None:
    assert block("why") == {"decision": "block", "reason": "why"}
    denied = deny_tool("why")["hookSpecificOutput"]
    assert (denied["permissionDecision"], denied["permissionDecisionReason"]) == ("deny", "why")
    assert change_input({"a": 1})["hookSpecificOutput"]["updatedInput"] == {"a": 1}
    context = add_context("UserPromptSubmit", "text")["hookSpecificOutput"]
    assert context == {"hookEventName": "UserPromptSubmit", "additionalContext": "text"}


def test_all_events_of_the_protocol_are_known() -> None:
    assert len(EVENTS) == len(set(EVENTS)) == 33

from __future__ import annotations

import pytest

from anyide.headless.permission import (
    Allow,
    Decision,
    Deny,
    PermissionRequest,
    allow_and_remember,
    answer,
)

REQUEST = PermissionRequest(tool_name="Bash", input={"command": "ls"}, tool_use_id="t")


@pytest.mark.parametrize(
    ("decision", "sent"),
    [
        (True, {"behavior": "allow", "updatedInput": {"command": "ls"}}),
        (Allow(), {"behavior": "allow", "updatedInput": {"command": "ls"}}),
        (Allow(input={}), {"behavior": "allow", "updatedInput": {}}),
        (False, {"behavior": "deny", "message": "The person did not allow this."}),
        (Deny(message="no"), {"behavior": "deny", "message": "no"}),
        (Deny(message="no", interrupt=True),
         {"behavior": "deny", "message": "no", "interrupt": True}),
    ],
)  # fmt: skip
def test_a_decision_is_an_answer(decision: Decision, sent: dict[str, object]) -> None:
    assert answer(decision, REQUEST) == {**sent, "toolUseID": "t"}


def test_what_is_remembered_is_what_the_cli_suggests() -> None:
    mode = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
    request = PermissionRequest(tool_name="Write", permission_suggestions=[mode])
    assert allow_and_remember(request).remember == [mode]
    kept = allow_and_remember(request, destination="projectSettings").remember
    assert kept == [{**mode, "destination": "projectSettings"}]


def test_without_a_suggestion_the_tool_is_remembered() -> None:
    (rule,) = allow_and_remember(REQUEST).remember
    assert (rule["type"], rule["rules"]) == ("addRules", [{"toolName": "Bash"}])
    assert (rule["behavior"], rule["destination"]) == ("allow", "session")

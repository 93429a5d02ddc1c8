from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyide.acp.permission import (
    ALLOW,
    ALWAYS,
    MAX_LABEL,
    decision,
    label_of,
    options_for,
    rule_update,
)
from anyide.headless.control import CanUseTool
from anyide.headless.permission import Allow, Deny
from tests.acp.schema import check

RULE: dict[str, Any] = {
    "type": "addRules",
    "behavior": "allow",
    "rules": [{"toolName": "Bash", "ruleContent": "npm test:*"}],
    "destination": "localSettings",
}
MODE: dict[str, Any] = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
FOLDER: dict[str, Any] = {"type": "addDirectories", "directories": ["/tmp/x"]}

JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["toolName", "ruleContent"]), inner, max_size=2)
    ),
    max_leaves=5,
)
SUGGESTION = st.fixed_dictionaries(
    {"type": st.sampled_from(["addRules", "setMode", "addDirectories", "removeRules"])},
    optional={
        "behavior": st.sampled_from(["allow", "deny"]),
        "rules": JSON,
        "directories": JSON,
        "mode": JSON,
    },
)
REQUEST = st.builds(
    CanUseTool,
    tool_name=st.sampled_from(["Bash", "ExitPlanMode", "mcp__a__b"]),
    permission_suggestions=st.none() | st.lists(SUGGESTION, max_size=3),
    suppress_always_allow_rule=st.none() | st.booleans(),
    default_to_no=st.none() | st.booleans(),
)


def ask(*suggestions: dict[str, Any], **fields: Any) -> CanUseTool:
    return CanUseTool(tool_name="Bash", permission_suggestions=list(suggestions), **fields)


def ids(request: CanUseTool) -> list[str]:
    return [option.option_id for option in options_for(request)]


@given(REQUEST)
def test_there_is_always_a_yes_for_once_and_a_no(request: CanUseTool) -> None:
    options = options_for(request)
    for option in options:
        check("PermissionOption", msgspec.to_builtins(option))
        assert option.name == " ".join(option.name.split()) != ""
        is_yes = isinstance(decision(request, option.option_id), Allow)
        assert is_yes == option.kind.startswith("allow")
    assert {"allow_once", "reject_once"} <= {option.kind for option in options}
    assert len(set(ids(request))) == len(options)


@given(REQUEST, st.text() | st.sampled_from(["allow_always", "accept_edits", "allow", "reject"]))
def test_an_answer_that_was_not_offered_allows_nothing(request: CanUseTool, answer: str) -> None:
    if answer not in ids(request):
        assert isinstance(decision(request, answer), Deny)


@given(REQUEST)
def test_what_is_remembered_was_offered_in_words(request: CanUseTool) -> None:
    for option in ids(request):
        found = decision(request, option)
        if request.tool_name != "ExitPlanMode" and isinstance(found, Allow) and found.remember:
            assert label_of(list(found.remember))


def test_once_remembers_nothing_and_always_what_the_cli_suggests() -> None:
    request = ask(RULE, MODE)
    assert decision(request, ALLOW) == Allow()
    assert decision(request, ALWAYS) == Allow(remember=[RULE, MODE])
    assert isinstance(decision(request, "reject"), Deny)


def test_a_cancelled_turn_is_interrupted() -> None:
    found = decision(ask(RULE), None)
    assert isinstance(found, Deny)
    assert found.interrupt


@pytest.mark.parametrize(
    ("suggestions", "label"),
    [
        ([RULE], "Always allow Bash(npm test:*)"),
        ([MODE], "Accept all edits from now on"),
        ([MODE, FOLDER], "Accept all edits from now on and allow /tmp/x"),
        ([RULE, FOLDER], "Always allow Bash(npm test:*) and allow /tmp/x"),
        ([rule_update("Read")], "Always allow Read"),
        ([rule_update("Bash", "a\nb")], "Always allow Bash(a b)"),
        # What cannot be said truthfully is not offered.
        ([], ""),
        ([{**MODE, "mode": "bypassPermissions"}], ""),
        ([{**RULE, "behavior": "deny"}], ""),
        ([{**RULE, "type": "removeRules"}], ""),
        ([{**RULE, "rules": []}], ""),
        ([{**RULE, "rules": ["Bash"]}], ""),
        ([{**RULE, "rules": [{"ruleContent": "x"}]}], ""),
        ([{**RULE, "rules": [{"toolName": "Bash", "ruleContent": ["x"]}]}], ""),
        ([{**FOLDER, "directories": [7]}], ""),
        ([RULE, {"type": "later"}], ""),
    ],
)
def test_labels_say_what_is_remembered(suggestions: list[Any], label: str) -> None:
    assert label_of(suggestions) == label
    assert (ALWAYS in ids(ask(*suggestions))) == bool(label)


def test_a_label_that_is_cut_shows_it() -> None:
    label = label_of([rule_update("Bash", "x" * 200)])
    assert len(label) == MAX_LABEL
    assert label.endswith("…")


def test_always_is_not_offered_where_the_cli_forbids_it() -> None:
    request = ask(RULE, suppress_always_allow_rule=True)
    assert ids(request) == ["allow", "reject"]
    assert isinstance(decision(request, ALWAYS), Deny)


def test_the_safe_answer_comes_first_where_the_cli_wants_it() -> None:
    assert ids(ask(RULE)) == ["allow", "allow_always", "reject"]
    assert ids(ask(RULE, default_to_no=True)) == ["reject", "allow_always", "allow"]


def test_the_end_of_planning_switches_the_mode() -> None:
    request = CanUseTool(tool_name="ExitPlanMode", permission_suggestions=[RULE])
    for option, mode in (("accept_edits", "acceptEdits"), ("allow", "default")):
        found = decision(request, option)
        assert isinstance(found, Allow)
        assert [update["mode"] for update in found.remember] == [mode]
    refused = decision(request, "reject")
    assert isinstance(refused, Deny)
    assert refused.interrupt
    assert isinstance(decision(request, ALWAYS), Deny)

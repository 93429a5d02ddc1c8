from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anyide.acp.option import Choices
from anyide.acp.tool_call import fence, show
from anyide.acp.translate import Translator, stop_reason
from anyide.acp.wishes import Wishes
from anyide.headless.decode import decode
from anyide.headless.messages import Result
from tests.acp.schema import check


def told(*lines: dict[str, Any], wishes: Wishes | None = None) -> list[dict[str, Any]]:
    translator = Translator(Choices(), wishes)
    found = []
    for line in lines:
        found += list(translator.translate(decode(json.dumps(line).encode())))
    return [msgspec.to_builtins(update) for update in found]


def system(subtype: str, **fields: Any) -> dict[str, Any]:
    return {"type": "system", "subtype": subtype, **fields}


def use(identity: str, name: str, **given: Any) -> dict[str, Any]:
    block = {"type": "tool_use", "id": identity, "name": name, "input": given}
    return {"type": "assistant", "message": {"id": "m", "content": [block]}}


def result(identity: str, text: str, *, is_error: bool = False) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": identity, "content": text, "is_error": is_error}
    return {"type": "user", "message": {"content": [block]}}


def test_notices_and_compaction_are_told_only_where_they_were_wished_for() -> None:
    lines = [
        system("status", status="compacting"),
        system("compact_boundary"),
        system("api_retry", attempt=1, max_retries=3, error_status=529),
    ]
    assert told(*lines) == []
    found = told(*lines, wishes=Wishes(notices=True, compaction=True))
    assert [u.get("status") or u.get("title") for u in found] == [
        "in_progress",
        "completed",
        "The API failed (529): attempt 1 of 3",
    ]


def test_the_task_tools_make_a_plan() -> None:
    found = told(
        use("a", "TaskCreate", subject="Look", activeForm="Looking"),
        result("a", "Task #1 created successfully: Look"),
        use("b", "TaskUpdate", taskId="1", status="in_progress"),
        result("b", "Updated task #1"),
        use("c", "TaskCreate", subject="Fail"),
        result("c", "no", is_error=True),
    )
    assert [u["sessionUpdate"] for u in found] == ["plan", "plan"]
    assert [e["content"] for u in found for e in u["entries"]] == ["Look", "Looking"]


def test_a_call_that_never_ended_fails_with_the_turn() -> None:
    found = told(use("a", "Bash", command="x"), {"type": "result", "subtype": "success"})
    assert [u.get("status") for u in found if "toolCallId" in u] == ["pending", "failed"]


def test_reminders_for_the_model_are_not_shown() -> None:
    text = "1\tx\n<system-reminder>secret</system-reminder>"
    (*_, last) = told(use("a", "Read", file_path="/f"), result("a", text))
    assert last["content"][0]["content"]["text"] == "```\n1\tx\n```"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"subtype": "success", "stop_reason": "end_turn"}, "end_turn"),
        ({"stop_reason": "max_tokens"}, "max_tokens"),
        ({"stop_reason": "refusal"}, "refusal"),
        ({"subtype": "error_max_turns"}, "max_turn_requests"),
        ({"terminal_reason": "aborted_tools"}, "cancelled"),
    ],
)
def test_stop_reasons(fields: dict[str, Any], reason: str) -> None:
    assert stop_reason(Result(**fields)) == reason


@pytest.mark.parametrize(
    ("name", "given", "title", "kind"),
    [
        ("Grep", {"pattern": "x", "-i": True, "path": "/p"}, 'grep -i "x" /p', "search"),
        ("Glob", {"pattern": "*.py"}, "Find *.py", "search"),
        ("WebFetch", {"url": "https://e"}, "Fetch https://e", "fetch"),
        ("mcp__a__b", {}, "a: b", "other"),
        ("Bash", {"command": "a\nb"}, "a", "execute"),
        ("NotebookEdit", {"notebook_path": "/n.ipynb", "new_source": "1"}, "Edit /n.ipynb", "edit"),
    ],
)
def test_titles_and_kinds(name: str, given: dict[str, Any], title: str, kind: str) -> None:
    shown = show(name, given)
    assert (shown.title, shown.kind) == (title, kind)


def test_a_fence_is_longer_than_what_it_holds() -> None:
    assert fence("a\n````\nb").startswith("`````\n")


IDS = st.sampled_from(["t1", "t2"])
TOOLS = st.sampled_from(
    [
        *("Edit", "MultiEdit", "Write", "NotebookEdit", "Read", "Bash", "Grep", "Glob", "WebFetch"),
        *(
            "TodoWrite",
            "TaskCreate",
            "TaskUpdate",
            "TaskList",
            "Agent",
            "ExitPlanMode",
            "mcp__a__b",
        ),
    ]
)
FIELDS = st.sampled_from(
    [
        *("file_path", "notebook_path", "old_string", "new_string", "edits", "content", "command"),
        *("todos", "taskId", "status", "subject", "offset", "limit", "plan", "questions", "text"),
    ]
)
RUBBISH = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**6) | st.text(max_size=20) | st.just("/a"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=5),
    max_leaves=8,
)


def shaped(**fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with these fields, each of which may be missing, or of another kind."""
    some = {name: value if name == "type" else value | RUBBISH for name, value in fields.items()}
    return st.fixed_dictionaries({"type": some.pop("type")}, optional=some)


BLOCKS = st.one_of(
    shaped(type=st.just("text"), text=st.text()),
    shaped(type=st.just("thinking"), thinking=st.text()),
    shaped(type=st.just("tool_use"), id=IDS, name=TOOLS, input=RUBBISH),
    shaped(type=st.just("tool_result"), tool_use_id=IDS, content=st.text(), is_error=st.booleans()),
)
MESSAGES = st.fixed_dictionaries({"id": st.text(), "content": st.lists(BLOCKS, max_size=3)})
PARTS = st.one_of(
    shaped(type=st.just("content_block_start"), index=st.just(0), content_block=BLOCKS),
    shaped(type=st.just("content_block_delta"), index=st.just(0), delta=BLOCKS),
    shaped(type=st.just("message_start"), message=MESSAGES),
)
SUBTYPES = st.sampled_from(["init", "status", "compact_boundary", "api_retry", "informational"])
LINES = st.one_of(
    shaped(type=st.sampled_from(["assistant", "user"]), message=MESSAGES, parent_tool_use_id=IDS),
    shaped(type=st.just("stream_event"), event=PARTS),
    shaped(type=st.just("system"), subtype=SUBTYPES, status=st.just("compacting"), content=IDS),
    shaped(type=st.just("result"), total_cost_usd=st.floats(0, 9), modelUsage=RUBBISH),
    shaped(type=st.just("tool_progress"), tool_use_id=IDS),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(LINES, max_size=6))
def test_whatever_the_cli_says_becomes_updates_that_fit_the_schema(lines: list[Any]) -> None:
    translator = Translator(Choices(), Wishes(notices=True, compaction=True))
    for line in lines:
        for update in translator.translate(decode(json.dumps(line).encode())):
            check("SessionUpdate", json.loads(msgspec.json.encode(update)))
    for update in [*translator.calls.run_all(), *translator.calls.abandon()]:
        check("SessionUpdate", json.loads(msgspec.json.encode(update)))

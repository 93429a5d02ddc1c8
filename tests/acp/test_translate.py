from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from anyide.acp.option import Choices
from anyide.acp.tool_call import fence, show
from anyide.acp.translate import Translator, stop_reason
from anyide.acp.wishes import Wishes
from anyide.headless.decode import decode
from anyide.headless.messages import Result


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

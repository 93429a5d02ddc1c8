"""The plan that a client shows, from TodoWrite and from the Task tools. Pure."""

from __future__ import annotations

import re
from typing import Any

from anyide.acp.messages import Plan, PlanEntry, PlanEntryStatus

TODO = "TodoWrite"
TASKS = frozenset({"TaskCreate", "TaskUpdate", "TaskList", "TaskGet"})
TOOLS = TASKS | {TODO}
"""Tools whose calls are shown as the plan, not as calls."""

_STATUS: dict[Any, PlanEntryStatus] = {
    "pending": "pending",
    "in_progress": "in_progress",
    "completed": "completed",
}
_NUMBER = re.compile(r"[Tt]ask #?(\w+)")

Json = dict[str, Any]


class Tasks:
    """The list of things to do, as far as the calls have told it."""

    def __init__(self) -> None:
        self._tasks: dict[str, Json] = {}

    def called(self, name: str, given: Json) -> Plan | None:
        """A tool was called; the new plan if the call tells it by itself."""
        if name == TODO:
            todos = given.get("todos")
            return Plan(entries=[_entry(t) for t in todos or [] if isinstance(t, dict)])
        return None

    def answered(self, name: str, given: Json, answer: str, *, is_error: bool) -> Plan | None:
        """A tool answered; the new plan if that changed it."""
        if is_error or name not in ("TaskCreate", "TaskUpdate"):
            return None
        if name == "TaskCreate":
            number = _NUMBER.search(answer)
            identity = number[1] if number else str(len(self._tasks) + 1)
            self._tasks[identity] = {"status": "pending", **given}
        else:
            self._update(given)
        return Plan(entries=[_entry(task) for task in self._tasks.values()])

    def _update(self, given: Json) -> None:
        identity = str(given.get("taskId") or "")
        if given.get("status") == "deleted":
            self._tasks.pop(identity, None)
        else:
            self._tasks[identity] = {**self._tasks.get(identity, {}), **given}


def _entry(task: Json) -> PlanEntry:
    status = _STATUS.get(task.get("status"), "pending")
    name = task.get("content") or task.get("subject") or task.get("description") or ""
    shown = task.get("activeForm") if status == "in_progress" else None
    return PlanEntry(content=str(shown or name), priority="medium", status=status)

"""The plan that a client shows, from TodoWrite and from the Task tools. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from anyide.acp.loose import text_in
from anyide.acp.messages import Plan, PlanEntry, PlanEntryStatus

TODO = "TodoWrite"
TASKS = frozenset({"TaskCreate", "TaskUpdate", "TaskList", "TaskGet"})
TOOLS = TASKS | {TODO}
"""Tools whose calls are shown as the plan, not as calls."""

_STATUSES: tuple[PlanEntryStatus, ...] = ("pending", "in_progress", "completed")
_NUMBER = re.compile(r"#(\w+)|\btask (\d+)", re.IGNORECASE)
_LISTED = re.compile(r"^#(\w+) \[(\w+)\] (.*?)(?: \[blocked by [^\]]*\])?$", re.MULTILINE)

Json = dict[str, Any]


class Tasks:
    """The list of things to do, as far as the calls have told it."""

    def __init__(self) -> None:
        self._tasks: dict[str, Json] = {}
        self._last = 0

    def called(self, name: str, given: Json) -> Plan | None:
        """A tool was called; the new plan if the call tells it by itself."""
        todos = given.get("todos")
        if name == TODO and isinstance(todos, list):
            return _plan(todos)
        return None

    def answered(self, name: str, given: Json, answer: str, *, is_error: bool) -> Plan | None:
        """A tool answered; the new plan if that changed it."""
        if is_error:
            return None
        before = _plan(self._tasks.values())
        if name == "TaskCreate":
            self._create(given, answer)
        elif name == "TaskUpdate" and "not found" not in answer:
            self._update(given)
        elif name == "TaskList":
            self._list(answer)
        plan = _plan(self._tasks.values())
        return plan if plan != before else None

    def _create(self, given: Json, answer: str) -> None:
        found = _NUMBER.search(answer)
        identity = (found[1] or found[2]) if found else str(self._last + 1)
        self._count(identity)
        self._tasks[identity] = {"status": "pending", **given}

    def _update(self, given: Json) -> None:
        identity = str(given.get("taskId") or "")
        if identity not in self._tasks:
            return  # of an earlier session, maybe: only a list would tell what it is about
        if given.get("status") == "deleted":
            del self._tasks[identity]
        else:
            self._tasks[identity] = {**self._tasks[identity], **given}

    def _list(self, answer: str) -> None:
        """What the CLI lists is all there is."""
        listed = {identity: (status, name) for identity, status, name in _LISTED.findall(answer)}
        if listed or answer.strip() == "No tasks found":
            self._tasks = {
                identity: {"subject": name, **self._tasks.get(identity, {}), "status": status}
                for identity, (status, name) in listed.items()
            }
        for identity in listed:
            self._count(identity)

    def _count(self, identity: str) -> None:
        """The CLI counts up and gives no number twice."""
        if identity.isdecimal():
            self._last = max(self._last, int(identity))


def _plan(tasks: Iterable[Any]) -> Plan:
    entries = [_entry(task) for task in tasks if isinstance(task, dict)]
    return Plan(entries=[entry for entry in entries if entry.content])


def _entry(task: Json) -> PlanEntry:
    names = ("content", "subject", "description")
    told = task.get("status")
    status: PlanEntryStatus = next((known for known in _STATUSES if known == told), "pending")
    name = next((text for field in names if (text := text_in(task, field).strip())), "")
    shown = text_in(task, "activeForm").strip() if status == "in_progress" else ""
    return PlanEntry(content=shown or name, priority="medium", status=status)

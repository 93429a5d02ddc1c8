from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from anyide.acp.plan import TOOLS, Tasks
from tests.acp.schema import check

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just("in_progress"),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=4,
)
NAMES = "todos taskId status subject activeForm content description"
FIELDS = st.sampled_from(NAMES.split())
TASK = st.dictionaries(FIELDS, VALUES, max_size=4)
GIVEN = TASK | st.fixed_dictionaries({"todos": st.lists(TASK | VALUES, max_size=3)})
CALL = st.tuples(st.sampled_from(sorted(TOOLS)), GIVEN, st.text(max_size=12) | st.just("Task #1"))


def entries(plan: Any) -> list[tuple[str, str]]:
    return [(entry.content, entry.status) for entry in plan.entries]


def create(tasks: Tasks, subject: str, answer: str) -> Any:
    return tasks.answered("TaskCreate", {"subject": subject}, answer, is_error=False)


def update(tasks: Tasks, answer: str = "Updated task #1 status", **given: Any) -> Any:
    return tasks.answered("TaskUpdate", given, answer, is_error=False)


@given(st.lists(CALL, max_size=6))
def test_whatever_is_called_a_plan_passes_the_schema(calls: list[Any]) -> None:
    tasks = Tasks()
    for name, what, answer in calls:
        for plan in (
            tasks.called(name, what),
            tasks.answered(name, what, answer, is_error=False),
        ):
            if plan is not None:
                check("Plan", msgspec.to_builtins(plan))
                assert all(entry.content for entry in plan.entries)


def test_todos_are_the_plan_by_themselves() -> None:
    todos = [
        {"content": "Look", "status": "completed", "activeForm": "Looking"},
        {"content": "Do", "status": "in_progress", "activeForm": "Doing"},
        {"content": "Rest", "status": ["odd"]},
        {"status": "pending"},
        "rubbish",
    ]
    plan = Tasks().called("TodoWrite", {"todos": todos})
    assert entries(plan) == [("Look", "completed"), ("Doing", "in_progress"), ("Rest", "pending")]
    assert entries(Tasks().called("TodoWrite", {"todos": []})) == []


def test_what_is_no_list_changes_no_plan() -> None:
    for todos in (None, 5, "Look", {"content": "Look"}):
        assert Tasks().called("TodoWrite", {"todos": todos}) is None


def test_tasks_come_change_and_go() -> None:
    tasks = Tasks()
    create(tasks, "Look", "Task #1 created successfully: Look at #7")
    assert entries(create(tasks, "Do", "Task #2 created successfully: Do")) == [
        ("Look", "pending"),
        ("Do", "pending"),
    ]
    plan = update(tasks, taskId="2", status="in_progress", activeForm="Doing")
    assert entries(plan)[1] == ("Doing", "in_progress")
    assert entries(update(tasks, taskId=2, status="completed"))[1] == ("Do", "completed")
    assert entries(update(tasks, taskId="1", status="deleted")) == [("Do", "completed")]


def test_what_changes_nothing_is_not_told_again() -> None:
    tasks = Tasks()
    create(tasks, "Look", "Task #1 created")
    assert update(tasks, taskId="1", owner="me") is None
    assert update(tasks, taskId="1", status="pending") is None
    assert tasks.answered("TaskGet", {"taskId": "1"}, "Task #1: Look", is_error=False) is None
    assert (
        tasks.answered("TaskUpdate", {"taskId": "1", "status": "deleted"}, "no", is_error=True)
        is None
    )


def test_a_task_that_nobody_knows_is_not_shown_without_a_name() -> None:
    tasks = Tasks()
    assert update(tasks, taskId="3", status="in_progress") is None
    create(tasks, "Look", "Task #4 created")
    assert update(tasks, taskId="3", status="completed") is None


def test_an_update_that_failed_is_none() -> None:
    tasks = Tasks()
    create(tasks, "Look", "Task #1 created")
    # The CLI does not call this an error.
    assert update(tasks, "Task #1 not found", taskId="1", status="completed") is None


def test_answers_in_other_words_still_give_numbers() -> None:
    tasks = Tasks()
    create(tasks, "a", "Task created successfully")
    create(tasks, "b", "created task 2")
    create(tasks, "c", "done")
    update(tasks, taskId="3", status="deleted")
    create(tasks, "d", "done")
    assert entries(update(tasks, taskId="1", status="completed"))[0] == ("a", "completed")
    assert entries(update(tasks, taskId="4", status="completed"))[2] == ("d", "completed")


def test_a_list_tells_all_there_is() -> None:
    tasks = Tasks()
    create(tasks, "Gone", "Task #1 created")
    listed = "#2 [completed] Look\n#3 [in_progress] Do [it] (bob) [blocked by #2, #5]"
    plan = tasks.answered("TaskList", {}, listed, is_error=False)
    assert entries(plan) == [("Look", "completed"), ("Do [it] (bob)", "in_progress")]
    assert tasks.answered("TaskList", {}, listed, is_error=False) is None
    create(tasks, "Next", "done")
    assert entries(update(tasks, taskId="4", status="completed"))[-1] == ("Next", "completed")
    assert tasks.answered("TaskList", {}, "something else", is_error=False) is None
    assert entries(tasks.answered("TaskList", {}, "No tasks found", is_error=False)) == []

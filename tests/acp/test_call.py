from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from anyide.acp.call import Calls
from anyide.acp.messages import SessionUpdate
from anyide.headless.control import CanUseTool
from anyide.headless.messages import ToolResultBlock, ToolUseBlock
from tests.acp.schema import check

Json = dict[str, Any]
LS: Json = {"command": "ls"}
EDIT: Json = {"file_path": "/f", "old_string": "b", "new_string": "c"}


def told(updates: Iterable[SessionUpdate]) -> list[Json]:
    found: list[Json] = [msgspec.to_builtins(update) for update in updates]
    for update in found:
        check("SessionUpdate", update)
    return found


def statuses(updates: list[Json]) -> list[str]:
    return [u["status"] for u in updates if "status" in u]


def begin(calls: Calls, identity: str, name: str = "Bash") -> list[Json]:
    return told(calls.begin(ToolUseBlock(id=identity, name=name)))


def use(calls: Calls, identity: str, name: str = "Bash", **more: Any) -> list[Json]:
    return told(calls.use(identity, name, more.pop("input", LS), **more))


def end(calls: Calls, identity: str, content: Any = "out", *, is_error: bool = False) -> list[Json]:
    block = ToolResultBlock(tool_use_id=identity, content=content, is_error=is_error)
    return told(calls.end(block))


def ask(calls: Calls, identity: str, name: str = "Bash", **fields: Any) -> tuple[list[Json], Json]:
    fields = {"input": LS, **fields}
    before, question = calls.ask(CanUseTool(tool_name=name, tool_use_id=identity, **fields))
    shown: Json = msgspec.to_builtins(question)
    check("ToolCallUpdate", shown)
    return told(before), shown


def test_a_call_that_the_stream_begins_is_completed_by_its_message() -> None:
    calls = Calls()
    (first,) = begin(calls, "a")
    assert (first["sessionUpdate"], first["status"]) == ("tool_call", "pending")
    assert (first["title"], first["rawInput"]) == ("Terminal", {})
    (second,) = use(calls, "a")
    assert second["sessionUpdate"] == "tool_call_update"
    assert (second["title"], second["rawInput"]) == ("ls", LS)


def test_what_is_known_is_not_told_again() -> None:
    calls = Calls()
    begin(calls, "a")
    use(calls, "a")
    assert begin(calls, "a") == use(calls, "a") == use(calls, "a", input={}) == []
    assert statuses(told(calls.run("a"))) == ["in_progress"]
    assert told(calls.run("a")) == told(calls.run_all()) == []


def test_a_call_ends_once() -> None:
    calls = Calls()
    use(calls, "a")
    running, done = end(calls, "a")
    assert (running["status"], done["status"]) == ("in_progress", "completed")
    assert done["content"][0]["content"]["text"] == "```\nout\n```"
    assert end(calls, "a") == told(calls.run("a")) == told(calls.abandon()) == []
    use(calls, "b")
    assert statuses(end(calls, "b", "no", is_error=True)) == ["failed"]


def test_nothing_is_told_of_calls_that_nobody_knows() -> None:
    calls = Calls()
    assert end(calls, "x") == told(calls.run("x")) == told(calls.embed("x", "t")) == []


def test_parallel_calls_run_when_all_are_said_and_end_in_any_order() -> None:
    calls = Calls()
    for identity in ("a", "b"):
        begin(calls, identity)
        use(calls, identity)
    begin(calls, "c")
    assert [u["toolCallId"] for u in told(calls.run_all())] == ["a", "b"]
    assert statuses(end(calls, "b")) == ["completed"]
    assert statuses(end(calls, "a")) == ["completed"]
    assert [u["toolCallId"] for u in told(calls.abandon())] == ["c"]


def test_a_question_comes_after_its_call() -> None:
    calls = Calls()
    before, question = ask(calls, "a", title="Claude wants to run ls")
    assert [u["sessionUpdate"] for u in before] == ["tool_call"]
    assert (question["title"], question["status"]) == ("Claude wants to run ls", "pending")
    assert ask(calls, "a")[0] == []


def test_who_is_asked_about_is_not_said_to_run() -> None:
    calls = Calls()
    use(calls, "a")
    told(calls.run("a"))
    ask(calls, "a")
    assert told(calls.run_all()) == []
    assert statuses(told(calls.run("a"))) == ["in_progress"]
    assert statuses(end(calls, "a")) == ["completed"]


def test_a_question_about_a_change_shows_the_whole_file() -> None:
    calls = Calls()
    calls.remember("a", "a\nb\n")
    assert calls.has_text("a")
    _, question = ask(calls, "a", "Edit", input=EDIT)
    diff = {"type": "diff", "path": "/f", "oldText": "a\nb\n", "newText": "a\nc\n"}
    assert question["content"] == [diff]
    (failed,) = end(calls, "a", "no", is_error=True)
    assert failed["content"][0] == diff
    assert not calls.has_text("a")


def test_a_call_of_a_subagent_names_the_call_that_it_is_in() -> None:
    calls = Calls()
    use(calls, "outer", "Agent", input={"prompt": "look"})
    (inner,) = use(calls, "inner", parent="outer")
    assert inner["_meta"]["claudeCode"] == {"toolName": "Bash", "parentToolUseId": "outer"}
    assert end(calls, "inner")[-1]["_meta"] == inner["_meta"]


def test_a_terminal_stays_when_the_call_has_ended() -> None:
    calls = Calls()
    use(calls, "a")
    running, shown = told(calls.embed("a", "term"))
    assert running["status"] == "in_progress"
    assert shown["content"] == [{"type": "terminal", "terminalId": "term"}]
    (done,) = end(calls, "a")
    assert "content" not in done


def test_the_plan_is_told_and_its_calls_are_not() -> None:
    calls = Calls()
    todos = {"todos": [{"content": "Look", "status": "pending"}]}
    assert begin(calls, "a", "TodoWrite") == []
    assert [u["sessionUpdate"] for u in use(calls, "a", "TodoWrite", input=todos)] == ["plan"]
    assert told(calls.run_all()) == end(calls, "a") == told(calls.abandon()) == []


STEPS = st.sampled_from(["begin", "use", "ask", "run", "end"])


def take(calls: Calls, step: str, identity: str) -> list[Json]:
    if step == "ask":
        return ask(calls, identity)[0]
    if step == "run":
        return told([*calls.run(identity), *calls.run_all(), *calls.embed(identity, "t")])
    ways: Json = {"begin": begin, "use": use, "end": end}
    return list(ways[step](calls, identity))


@given(st.lists(st.tuples(STEPS, st.sampled_from(["a", "b"])), max_size=14))
def test_whatever_happens_a_call_begins_once_and_ends_once(steps: list[tuple[str, str]]) -> None:
    calls, found, ended = Calls(), list[Json](), set[str]()
    for step, identity in steps:
        if identity in ended and step in ("begin", "use", "ask"):
            continue
        found += take(calls, step, identity)
        ended |= {u["toolCallId"] for u in found if u.get("status") in ("completed", "failed")}
    found += told(calls.abandon())
    for identity in {u["toolCallId"] for u in found}:
        ours = [u for u in found if u["toolCallId"] == identity]
        kinds = [u["sessionUpdate"] for u in ours]
        assert kinds == ["tool_call"] + ["tool_call_update"] * (len(ours) - 1)
        finals = [status in ("completed", "failed") for status in statuses(ours)]
        assert finals == [False] * (len(finals) - 1) + [True]


def test_a_question_that_overtakes_its_message_does_not_lose_the_subagent() -> None:
    calls = Calls()
    ask(calls, "inner")
    use(calls, "inner", parent="outer")
    (*_, done) = end(calls, "inner")
    assert done["_meta"]["claudeCode"].get("parentToolUseId") == "outer"


def test_the_todos_of_a_subagent_are_not_the_plan() -> None:
    calls = Calls()
    use(calls, "a", "TodoWrite", input={"todos": [{"content": "Mine", "status": "pending"}]})
    inner = {"todos": [{"content": "Of the subagent", "status": "pending"}]}
    assert use(calls, "b", "TodoWrite", input=inner, parent="outer") == []

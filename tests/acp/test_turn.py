"""Turns with the real CLI, through the official Python client."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import acp
import pytest
from acp.schema import McpServerStdio

if TYPE_CHECKING:
    from tests.acp.conftest import StartEditor
    from tests.real.model import StandInModel


PIXEL = (  # a picture of one pixel
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def call(tool: str, **given: Any) -> str:
    return f"CALL {tool} {json.dumps(given)}"


async def test_a_plain_turn_streams_text_and_ends(start_editor: StartEditor, project: Path) -> None:
    editor = await start_editor()
    session = await editor.open(project)
    assert await editor.prompt(session, "DELTAS 4 SAY Hello there, editor") == "end_turn"
    chunks = editor.updates("agent_message_chunk")
    assert editor.text() == "Hello there, editor"
    assert len(chunks) == 4
    assert len({chunk["messageId"] for chunk in chunks}) == 1
    (usage,) = [u for u in editor.updates("usage_update") if "cost" in u]
    assert usage["used"] == 120
    assert usage["cost"]["amount"] > 0
    assert editor.updates("session_info_update") == [
        {"sessionUpdate": "session_info_update", "title": "DELTAS 4 SAY Hello there, editor"}
    ]


async def test_thinking_is_told_as_thought(start_editor: StartEditor, project: Path) -> None:
    editor = await start_editor()
    session = await editor.open(project)
    await editor.prompt(session, "THINK step by step SAY done")
    assert editor.text("agent_thought_chunk") == "step by step"
    assert editor.text() == "done"


async def test_a_read_shows_path_line_and_what_was_read(
    start_editor: StartEditor, project: Path
) -> None:
    file = project / "a.txt"
    file.write_text("one\ntwo\nthree\n")
    editor = await start_editor()
    session = await editor.open(project)
    await editor.prompt(session, call("Read", file_path=str(file), offset=2, limit=1))
    shown = editor.call("Read")
    assert shown["statuses"] == ["pending", "in_progress", "completed"]
    assert (shown["kind"], shown["title"]) == ("read", f"Read {file} (2 - 2)")
    assert shown["locations"] == [{"path": str(file), "line": 2}]
    assert "two" in shown["content"][0]["content"]["text"]
    assert editor.requests("session/request_permission") == []


async def test_an_accepted_edit_is_asked_about_with_its_diff_and_done(
    start_editor: StartEditor, project: Path
) -> None:
    file = project / "a.txt"
    file.write_text("one\ntwo\n")
    editor = await start_editor()
    session = await editor.open(project)
    edit = call("Edit", file_path=str(file), old_string="two", new_string="2")
    await editor.prompt(session, f"{call('Read', file_path=str(file))} {edit} SAY done")
    assert file.read_text() == "one\n2\n"
    (asked,) = editor.requests("session/request_permission")
    diff = {"type": "diff", "path": str(file), "oldText": "one\ntwo\n", "newText": "one\n2\n"}
    assert asked["toolCall"]["content"] == [diff]
    assert asked["toolCall"]["locations"] == [{"path": str(file), "line": 2}]
    assert [o["kind"] for o in asked["options"]] == ["allow_once", "allow_always", "reject_once"]
    shown = editor.call("Edit")
    assert shown["statuses"] == ["pending", "in_progress", "completed"]
    assert shown["content"] == [diff]


async def test_a_rejected_edit_is_not_done(start_editor: StartEditor, project: Path) -> None:
    editor = await start_editor()
    editor.choose = lambda request: "reject_once"
    session = await editor.open(project)
    file = project / "new.txt"
    write = call("Write", file_path=str(file), content="x\n")
    assert await editor.prompt(session, f"{write} SAY well then") == "end_turn"
    assert not file.exists()
    shown = editor.call("Write")
    assert shown["statuses"][-1] == "failed"
    assert shown["content"][0] == {
        "type": "diff",
        "path": str(file),
        "oldText": None,
        "newText": "x\n",
    }
    assert "rejected" in shown["content"][1]["content"]["text"]
    assert editor.text() == "well then"


async def test_allow_always_is_not_asked_again(start_editor: StartEditor, project: Path) -> None:
    editor = await start_editor()
    editor.choose = lambda request: "allow_always"
    session = await editor.open(project)
    for name in ("a", "b"):
        await editor.prompt(session, call("Write", file_path=str(project / name), content="x"))
    assert (project / "b").exists()
    assert len(editor.requests("session/request_permission")) == 1
    assert editor.updates("current_mode_update")[-1]["currentModeId"] == "acceptEdits"


async def test_a_command_without_the_clients_terminal_shows_its_output(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor()
    session = await editor.open(project)
    await editor.prompt(session, call("Bash", command="printf a; printf b > f; cat f"))
    shown = editor.call("Bash")
    assert (shown["kind"], shown["title"]) == ("execute", "printf a; printf b > f; cat f")
    assert shown["content"][0]["content"]["text"] == "```\nab\n```"


async def test_a_command_in_the_background_is_followed_to_its_end(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor()
    session = await editor.open(project)
    go = project / "go"
    command = f"while [ ! -e {go} ]; do sleep 0.05; done; echo over"
    await editor.prompt(session, call("Bash", command=command, run_in_background=True))
    assert editor.call("Bash")["status"] == "completed"
    go.touch()
    await editor.saw(lambda: "I was told:" in editor.text())


async def test_todos_are_the_plan(start_editor: StartEditor, project: Path) -> None:
    editor = await start_editor()
    session = await editor.open(project)
    todos = [
        {"content": "Look", "status": "completed", "activeForm": "Looking"},
        {"content": "Leap", "status": "in_progress", "activeForm": "Leaping"},
    ]
    await editor.prompt(session, f"{call('TodoWrite', todos=todos)} SAY on it")
    (plan,) = editor.updates("plan")
    assert [(e["content"], e["status"]) for e in plan["entries"]] == [
        ("Look", "completed"),
        ("Leaping", "in_progress"),
    ]
    assert editor.calls() == {}
    assert editor.text() == "on it"


async def test_tasks_are_the_plan_too(start_editor: StartEditor, project: Path) -> None:
    editor = await start_editor()
    session = await editor.open(project)
    look = call("TaskCreate", subject="Look", description="first", activeForm="Looking")
    leap = call("TaskCreate", subject="Leap", description="then", activeForm="Leaping")
    done = call("TaskUpdate", taskId="1", status="completed")
    begun = call("TaskUpdate", taskId="2", status="in_progress")
    await editor.prompt(session, f"{look} {leap} {done} {begun} SAY on it")
    plans = [
        [(entry["content"], entry["status"]) for entry in plan["entries"]]
        for plan in editor.updates("plan")
    ]
    assert plans[0] == [("Look", "pending")]
    assert plans[-1] == [("Look", "completed"), ("Leaping", "in_progress")]
    assert editor.calls() == {}


async def test_a_changed_cell_is_asked_about_with_its_diff(
    start_editor: StartEditor, project: Path
) -> None:
    file = project / "n.ipynb"
    cell = {"cell_type": "code", "id": "c1", "metadata": {}, "source": ["x = 1"], "outputs": []}
    file.write_text(
        json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    )
    editor = await start_editor()
    session = await editor.open(project)
    read = call("Read", file_path=str(file))
    edit = call("NotebookEdit", notebook_path=str(file), cell_id="c1", new_source="x = 2")
    await editor.prompt(session, f"{read} {edit} SAY done")
    assert json.loads(file.read_text())["cells"][0]["source"] == "x = 2"
    (asked,) = editor.requests("session/request_permission")
    diff = {"type": "diff", "path": str(file), "oldText": "x = 1", "newText": "x = 2"}
    assert asked["toolCall"]["content"] == [diff]
    assert editor.call("NotebookEdit")["content"] == [diff]
    assert editor.call("NotebookEdit")["kind"] == "edit"


async def test_an_approved_plan_is_shown_and_ends_plan_mode(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor("--permission-mode", "plan")
    editor.choose = lambda request: "accept_edits"
    session = await editor.open(project)
    plan = "# The plan\n1. Do it"
    assert await editor.prompt(session, f"{call('ExitPlanMode', plan=plan)} SAY go") == "end_turn"
    (asked,) = editor.requests("session/request_permission")
    assert asked["toolCall"]["content"][0]["content"]["text"] == plan
    assert asked["toolCall"]["kind"] == "switch_mode"
    assert [o["kind"] for o in asked["options"]] == ["allow_always", "allow_once", "reject_once"]
    assert editor.updates("current_mode_update")[-1]["currentModeId"] == "acceptEdits"
    options = editor.updates("config_option_update")[-1]["configOptions"]
    assert options[0]["currentValue"] == "acceptEdits"
    assert editor.text() == "go"


async def test_a_refused_plan_keeps_plan_mode(start_editor: StartEditor, project: Path) -> None:
    editor = await start_editor("--permission-mode", "plan")
    editor.choose = lambda request: "reject_once"
    session = await editor.open(project)
    reason = await editor.prompt(session, f"{call('ExitPlanMode', plan='p')} SAY never")
    assert reason == "cancelled"
    assert editor.updates("current_mode_update") == []
    assert editor.call("ExitPlanMode")["status"] == "failed"
    assert editor.text() == ""


async def test_a_subagents_calls_are_nested_in_its_own(
    start_editor: StartEditor, project: Path
) -> None:
    file = project / "a.txt"
    file.write_text("one\n")
    editor = await start_editor()
    session = await editor.open(project)
    prompt = f"{call('Read', file_path=str(file))} SAY inner words"
    outer = {"description": "look", "prompt": prompt, "subagent_type": "general-purpose"}
    await editor.prompt(session, f"{call('Agent', **outer, run_in_background=False)} SAY outer")
    agent, read = editor.call("Agent"), editor.call("Read")
    assert (agent["kind"], agent["title"], agent["status"]) == ("think", "look", "completed")
    assert read["_meta"]["claudeCode"]["parentToolUseId"] == agent["toolCallId"]
    assert read["status"] == "completed"
    assert editor.text() == "outer"


async def test_a_question_is_a_form(start_editor: StartEditor, project: Path) -> None:
    editor = await start_editor(elicitation={"form": {}})
    forms = []

    def fill(form: dict[str, Any]) -> dict[str, Any]:
        forms.append(form)
        return {"question_0": "blue"}

    editor.fill = fill
    session = await editor.open(project)
    options = [{"label": label, "description": f"so {label}"} for label in ("red", "blue")]
    question = {
        "question": "Which colour?",
        "header": "Colour",
        "multiSelect": False,
        "options": options,
    }
    await editor.prompt(session, call("AskUserQuestion", questions=[question]))
    assert forms[0]["message"] == "Which colour?"
    assert "blue" in editor.text()


async def test_without_forms_the_model_has_no_question_tool(
    start_editor: StartEditor, project: Path, model: StandInModel
) -> None:
    editor = await start_editor()
    await editor.prompt(await editor.open(project), "SAY hi")
    assert "AskUserQuestion" not in model.requests[-1].tools


async def test_an_image_and_embedded_text_reach_the_model(
    start_editor: StartEditor, project: Path, model: StandInModel
) -> None:
    editor = await start_editor()
    session = await editor.open(project)
    resource = acp.resource_block(
        acp.embedded_text_resource("file:///x/notes.txt", "remember the milk")
    )
    link = acp.resource_link_block(name="b.py", uri="file:///x/b.py")
    image = acp.image_block(PIXEL, "image/png")
    await editor.prompt(session, "SAY seen ", image, resource, link)
    sent = json.dumps(model.requests[-1].messages)
    assert '"type": "image"' in sent
    assert "remember the milk" in sent
    assert "[@b.py](file:///x/b.py)" in sent
    assert editor.text().startswith("seen")


async def test_an_mcp_server_of_the_client_is_used(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor()
    script = str(Path(__file__).with_name("mcp_server.py"))
    server = McpServerStdio(name="adder", command=sys.executable, args=[script], env=[])
    session = await editor.open(project, mcp_servers=[server])
    await editor.prompt(session, call("mcp__adder__add", a=40, b=2))
    shown = editor.call("mcp__adder__add")
    assert (shown["title"], shown["status"]) == ("adder: add", "completed")
    assert shown["content"][0]["content"]["text"] == "42"


async def test_no_more_model_calls_than_prompts(
    start_editor: StartEditor, project: Path, model: StandInModel
) -> None:
    editor = await start_editor()
    session = await editor.open(project)
    await editor.prompt(session, "SAY one")
    await editor.prompt(session, "SAY two")
    assert len(model.requests) + len(model.side_requests) == 2


async def test_a_failed_turn_is_an_error_with_the_reason(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor()
    session = await editor.open(project)
    with pytest.raises(acp.RequestError, match=r"the turn failed.*told to fail") as caught:
        await editor.prompt(session, "FAIL 400")
    assert caught.value.code == -32603


async def test_a_missing_login_is_told_by_its_own_code(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor()
    session = await editor.open(project)
    with pytest.raises(acp.RequestError) as caught:
        await editor.prompt(session, "FAIL 401")
    assert caught.value.code == -32000

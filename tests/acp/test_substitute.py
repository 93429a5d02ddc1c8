"""The person's rules, settings and hooks hold for the client's tools too. With the real CLI."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.acp.conftest import FULL
from tests.acp.test_turn import call

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acp.conftest import StartEditor
    from tests.real.model import StandInModel


def settings(project: Path, **fields: Any) -> None:
    """The person's settings in this project."""
    folder = project / ".claude"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps(fields))


async def test_the_persons_rules_hold_for_files(start_editor: StartEditor, project: Path) -> None:
    settings(
        project,
        permissions={"deny": ["Read(./secret.txt)", "Edit(/docs/**)"], "allow": ["Edit(/src/**)"]},
    )
    editor = await start_editor(**FULL)
    session = await editor.open(project)
    await editor.prompt(session, call("Read", file_path=str(project / "secret.txt")))
    assert "denied by a rule" in editor.text()
    await editor.prompt(session, call("Write", file_path=f"{project}/docs/a/b", content="x"))
    await editor.prompt(session, call("Write", file_path=f"{project}/src/a/b", content="x"))
    assert editor.written == [f"{project}/src/a/b"]
    assert editor.requests("session/request_permission") == []


async def test_the_persons_rules_hold_for_commands(
    start_editor: StartEditor, project: Path
) -> None:
    settings(project, permissions={"deny": ["Bash(rm:*)"], "allow": ["Bash(touch:*)"]})
    editor = await start_editor(**FULL)
    editor.choose = lambda request: "reject_once"
    session = await editor.open(project)
    await editor.prompt(session, call("Bash", command="touch kept"))
    await editor.prompt(session, call("Bash", command="echo x && rm kept"))
    assert "denied by a rule" in editor.text()
    assert editor.requests("session/request_permission") == []
    await editor.prompt(session, call("Bash", command="touch kept; curl example.invalid"))
    (asked,) = editor.requests("session/request_permission")
    assert asked["toolCall"]["title"] == "touch kept; curl example.invalid"
    assert len(editor.terminals) == 1
    assert (project / "kept").exists()


async def test_an_allowed_command_is_remembered(start_editor: StartEditor, project: Path) -> None:
    editor = await start_editor(**FULL)
    editor.choose = lambda request: "allow_always"
    session = await editor.open(project)
    for _ in range(2):
        await editor.prompt(session, call("Bash", command="echo $HOME"))
    (asked,) = editor.requests("session/request_permission")
    names = [option["name"] for option in asked["options"]]
    assert names == ["Allow", "Always allow Bash(echo $HOME)", "Reject"]
    assert len(editor.terminals) == 2


async def test_the_flags_turn_it_off(
    start_editor: StartEditor, project: Path, model: StandInModel
) -> None:
    file = project / "a.txt"
    file.write_text("on disk\n")
    editor = await start_editor("--no-client-files", "--no-client-terminal", **FULL)
    editor.buffers[str(file)] = "in the buffer\n"
    session = await editor.open(project)
    await editor.prompt(session, call("Read", file_path=str(file)))
    await editor.prompt(session, call("Bash", command="echo hi > /dev/null; echo ho"))
    assert "on disk" in editor.text()
    methods: list[Any] = [message.get("method", "") for message in editor.wire]
    assert not [m for m in methods if m.startswith(("fs/", "terminal/"))]


async def test_in_a_sandbox_commands_are_left_to_the_cli(
    start_editor: StartEditor, project: Path, model: StandInModel
) -> None:
    settings(project, sandbox={"enabled": True, "failIfUnavailable": False})
    editor = await start_editor(**FULL)
    session = await editor.open(project)
    await editor.prompt(session, call("Bash", command="echo hi; pwd"))
    assert editor.terminals == {}
    assert str(project) in editor.text()
    file = project / "a.txt"
    editor.buffers[str(file)] = "in the buffer\n"
    await editor.prompt(session, call("Read", file_path=str(file)))
    assert "in the buffer" in editor.text()


@pytest.mark.parametrize("way", ["flag", "settings"])
async def test_where_nobody_is_asked_the_cli_holds_its_own_rules(
    start_editor: StartEditor, project: Path, way: str
) -> None:
    flags = ("--permission-mode", "dontAsk") if way == "flag" else ()
    mode = {} if way == "flag" else {"defaultMode": "dontAsk"}
    settings(project, permissions={"allow": ["Bash(touch:*)"], **mode})
    editor = await start_editor(*flags, **FULL)
    session = await editor.open(project)
    await editor.prompt(session, call("Bash", command="touch allowed"))
    await editor.prompt(session, call("Bash", command="mkdir refused"))
    assert (project / "allowed").exists()
    assert not (project / "refused").exists()
    assert editor.requests("session/request_permission") == []


async def test_the_persons_hooks_run(start_editor: StartEditor, project: Path) -> None:
    hook = {"type": "command", "command": "echo no, never >&2; exit 2"}
    settings(project, hooks={"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]})
    editor = await start_editor(**FULL)
    session = await editor.open(project)
    await editor.prompt(session, call("Bash", command="touch x"))
    assert "no, never" in editor.text()
    assert editor.terminals == {}


async def test_a_hook_that_wants_a_question_gets_it(
    start_editor: StartEditor, project: Path
) -> None:
    wish = {"hookEventName": "PreToolUse", "permissionDecision": "ask"}
    answer = json.dumps({"hookSpecificOutput": {**wish, "permissionDecisionReason": "look here"}})
    hook = {"type": "command", "command": f"echo '{answer}'"}
    settings(
        project,
        hooks={"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]},
        permissions={"allow": ["Bash(touch:*)"]},
    )
    editor = await start_editor(**FULL)
    editor.choose = lambda request: "reject_once"
    session = await editor.open(project)
    await editor.prompt(session, call("Bash", command="touch x"))
    (asked,) = editor.requests("session/request_permission")
    assert "look here" in json.dumps(asked["toolCall"]["content"])
    assert editor.terminals == {}


async def test_a_subagent_works_with_the_same_buffers(
    start_editor: StartEditor, project: Path
) -> None:
    file = project / "a.txt"
    editor = await start_editor(**FULL)
    editor.buffers[str(file)] = "in the buffer\n"
    session = await editor.open(project)
    read = call("Read", file_path=str(file))
    edit = call("Edit", file_path=str(file), old_string="buffer", new_string="BUFFER")
    inner = {"description": "look", "prompt": f"{read} {edit} SAY inner"}
    agent = call("Agent", **inner, subagent_type="general-purpose", run_in_background=False)
    await editor.prompt(session, f"{agent} SAY outer")
    assert editor.buffers[str(file)] == "in the BUFFER\n"
    (asked,) = editor.requests("session/request_permission")
    assert asked["toolCall"]["name"] == "Edit"
    outer = editor.call("Agent")["toolCallId"]
    assert editor.call("Edit")["_meta"]["claudeCode"]["parentToolUseId"] == outer
    assert editor.call("Edit")["statuses"] == ["pending", "in_progress", "completed"]


async def test_what_is_remembered_is_no_pattern(start_editor: StartEditor, project: Path) -> None:
    editor = await start_editor(**FULL)
    session = await editor.open(project)
    await editor.prompt(session, call("Bash", command="rm -f *.tmp"))
    (asked,) = editor.requests("session/request_permission")
    assert [option["name"] for option in asked["options"]] == ["Allow", "Reject"]


async def test_a_link_does_not_lead_a_command_out_of_the_folder(
    start_editor: StartEditor, project: Path
) -> None:
    (project / "inside").write_text("x")
    (project / "link").symlink_to("/etc/hostname")
    editor = await start_editor(**FULL)
    editor.choose = lambda request: "reject_once"
    session = await editor.open(project)
    await editor.prompt(session, call("Bash", command="cat inside"))
    assert editor.requests("session/request_permission") == []
    await editor.prompt(session, call("Bash", command="cat link"))
    assert len(editor.requests("session/request_permission")) == 1


async def test_more_folders_are_read_and_changed_as_the_first(
    start_editor: StartEditor, project: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.txt").write_text("there\n")
    read = call("Read", file_path=str(other / "a.txt"))
    write = call("Write", file_path=str(other / "b.txt"), content="x")
    for abilities in (FULL, {}):
        editor = await start_editor("--permission-mode", "acceptEdits", **abilities)
        session = await editor.open(project, additional_directories=[str(other)])
        await editor.prompt(session, f"{read} {write} SAY done")
        assert editor.text() == "done"
        assert editor.requests("session/request_permission") == []
    assert (other / "b.txt").read_text() == "x"

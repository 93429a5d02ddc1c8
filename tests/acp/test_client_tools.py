"""The editor's buffers and terminals in the place of the built-in tools, with the real CLI."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from tests.acp.conftest import FULL
from tests.acp.test_turn import call

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acp.conftest import StartEditor
    from tests.real.model import StandInModel


def rules(project: Path, **lists: list[str]) -> None:
    folder = project / ".claude"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps({"permissions": lists}))


async def test_an_unsaved_buffer_is_read(start_editor: StartEditor, project: Path) -> None:
    file = project / "a.txt"
    file.write_text("on disk\n")
    editor = await start_editor(**FULL)
    editor.buffers[str(file)] = "first\nin the buffer\n"
    session = await editor.open(project)
    await editor.prompt(session, call("Read", file_path=str(file), offset=2))
    assert "2\tin the buffer" in editor.text()
    shown = editor.call("Read")
    assert shown["statuses"] == ["pending", "in_progress", "completed"]
    assert shown["title"] == f"Read {file} (from line 2)"
    assert editor.requests("session/request_permission") == []


async def test_an_edit_lands_in_the_buffer(start_editor: StartEditor, project: Path) -> None:
    file = project / "a.txt"
    file.write_text("on disk\n")
    editor = await start_editor(**FULL)
    editor.buffers[str(file)] = "in the buffer\n"
    session = await editor.open(project)
    edit = call("Edit", file_path=str(file), old_string="buffer", new_string="BUFFER")
    await editor.prompt(session, f"{call('Read', file_path=str(file))} {edit} SAY done")
    assert editor.buffers[str(file)] == "in the BUFFER\n"
    assert file.read_text() == "on disk\n"
    (asked,) = editor.requests("session/request_permission")
    assert asked["toolCall"]["name"] == "Edit"
    assert asked["toolCall"]["content"] == [
        {
            "type": "diff",
            "path": str(file),
            "oldText": "in the buffer\n",
            "newText": "in the BUFFER\n",
        }
    ]
    assert editor.call("Edit")["status"] == "completed"
    assert editor.text() == "done"


async def test_a_new_file_is_written_through_the_client(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor(**FULL)
    session = await editor.open(project)
    file = str(project / "new.txt")
    await editor.prompt(session, call("Write", file_path=file, content="x\n"))
    assert editor.buffers == {file: "x\n"}
    assert "has been created" in editor.text()


async def test_what_the_built_in_would_refuse_is_refused(
    start_editor: StartEditor, project: Path
) -> None:
    file = project / "a.txt"
    file.write_text("one one\n")
    editor = await start_editor(**FULL)
    session = await editor.open(project)
    edit = call("Edit", file_path=str(file), old_string="one", new_string="1")
    await editor.prompt(session, edit)
    assert "has not been read" in editor.text()
    await editor.prompt(session, f"{call('Read', file_path=str(file))} {edit}")
    assert "Found 2 matches" in editor.text()
    await editor.prompt(session, call("Read", file_path=str(project / "none")))
    assert "does not exist" in editor.text()
    assert editor.written == []


async def test_a_rejected_edit_leaves_the_buffer(start_editor: StartEditor, project: Path) -> None:
    editor = await start_editor(**FULL)
    editor.choose = lambda request: "reject_once"
    session = await editor.open(project)
    await editor.prompt(session, call("Write", file_path=str(project / "n"), content="x"))
    assert editor.written == []
    assert editor.call("Write")["status"] == "failed"


async def test_the_persons_rules_hold_for_files(start_editor: StartEditor, project: Path) -> None:
    rules(project, deny=["Read(./secret.txt)", "Edit(/docs/**)"], allow=["Edit(/src/**)"])
    editor = await start_editor(**FULL)
    session = await editor.open(project)
    await editor.prompt(session, call("Read", file_path=str(project / "secret.txt")))
    assert "denied by a rule" in editor.text()
    await editor.prompt(session, call("Write", file_path=f"{project}/docs/a/b", content="x"))
    await editor.prompt(session, call("Write", file_path=f"{project}/src/a/b", content="x"))
    assert editor.written == [f"{project}/src/a/b"]
    assert editor.requests("session/request_permission") == []


async def test_a_commands_output_is_live_in_a_terminal(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor(**FULL)
    session = await editor.open(project)
    go = project / "go"
    command = f"echo begun; pwd; while [ ! -e {go} ]; do sleep 0.05; done; echo over"
    prompt = asyncio.ensure_future(editor.prompt(session, call("Bash", command=command)))
    embedded = {"type": "terminal", "terminalId": "term-1"}
    await editor.saw(lambda: editor.calls() and embedded in editor.call("Bash").get("content", []))
    await asyncio.wait_for(editor.terminals["term-1"].printed.wait(), 10)
    assert editor.terminals["term-1"].output.startswith(b"begun")
    assert editor.call("Bash")["status"] == "in_progress"
    go.touch()
    assert await prompt == "end_turn"
    assert "over" in editor.text()
    assert str(project) in editor.text()
    assert editor.call("Bash")["content"] == [embedded]
    assert editor.terminals["term-1"].is_released


async def test_a_failing_command_is_told_with_its_exit_code(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor(**FULL)
    session = await editor.open(project)
    await editor.prompt(session, call("Bash", command="echo no; exit 3"))
    assert "Exit code 3" in editor.text()
    assert editor.call("Bash")["status"] == "failed"


async def test_a_command_that_takes_too_long_is_ended(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor(**FULL)
    session = await editor.open(project)
    await editor.prompt(session, call("Bash", command="echo begun; exec sleep 60", timeout=300))
    assert "timed out after 0.3s" in editor.text()
    assert editor.terminals["term-1"].process.returncode == -9


async def test_cancelling_ends_the_command_in_the_terminal(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor(**FULL)
    session = await editor.open(project)
    command = "echo begun; exec sleep 60"
    prompt = asyncio.ensure_future(editor.prompt(session, call("Bash", command=command)))
    await editor.saw(lambda: editor.requests("terminal/wait_for_exit"))
    await editor.agent.cancel(session_id=session)
    assert await prompt == "cancelled"
    await editor.saw(lambda: editor.requests("terminal/release"))
    assert editor.terminals["term-1"].process.returncode == -9


async def test_a_background_command_can_be_asked_for_its_output(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor(**FULL)
    session = await editor.open(project)
    command = "echo begun; exec sleep 60"
    await editor.prompt(session, call("Bash", command=command, run_in_background=True))
    assert "terminal term-1" in editor.text()
    await asyncio.wait_for(editor.terminals["term-1"].printed.wait(), 10)
    output = call("mcp__anyide__terminal_output", terminal_id="term-1")
    await editor.prompt(session, output)
    assert "It still runs.\nbegun" in editor.text()
    await editor.agent.close_session(session_id=session)
    assert editor.terminals["term-1"].process.returncode == -9


async def test_the_persons_rules_hold_for_commands(
    start_editor: StartEditor, project: Path
) -> None:
    rules(project, deny=["Bash(rm:*)"], allow=["Bash(touch:*)"])
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

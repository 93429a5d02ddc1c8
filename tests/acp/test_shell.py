"""Commands in the client's terminals, with the real CLI."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tests.acp.conftest import FULL
from tests.acp.test_substitute import settings
from tests.acp.test_turn import call

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acp.conftest import StartEditor
    from tests.real.model import StandInModel


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


async def test_the_model_is_told_when_a_background_command_ends(
    start_editor: StartEditor, project: Path, model: StandInModel
) -> None:
    editor = await start_editor(**FULL)
    session = await editor.open(project)
    go = project / "go"
    command = f"while [ ! -e {go} ]; do sleep 0.05; done; exit 3"
    await editor.prompt(session, call("Bash", command=command, run_in_background=True))
    assert "ended with" not in model.requests[-1].everything
    go.touch()
    await editor.terminals["term-1"].wait()
    note = "ended with exit code 3, in the terminal term-1"
    for _ in range(10):  # the editor's answer may be a moment behind
        await editor.prompt(session, "SAY and then")
        if note in model.requests[-1].everything:
            break
    assert note in model.requests[-1].everything
    assert editor.text().endswith("and then")
    output = call("mcp__anyide__terminal_output", terminal_id="term-1")
    await editor.prompt(session, output)
    assert "It has ended." in editor.text()


async def test_two_equal_commands_at_once_have_each_their_terminal(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor(**FULL)
    session = await editor.open(project)
    both = f"{call('Bash', command='echo $$')} AND {call('Bash', command='echo $$')} SAY done"
    await editor.prompt(session, both)
    contents = [call["content"] for call in editor.calls().values()]
    assert sorted(content[0]["terminalId"] for content in contents) == ["term-1", "term-2"]


async def test_the_settings_variables_are_in_the_terminal(
    start_editor: StartEditor, project: Path
) -> None:
    settings(project, env={"COLOUR": "blue"})
    editor = await start_editor(**FULL)
    session = await editor.open(project)
    await editor.prompt(session, call("Bash", command="echo it is $COLOUR"))
    assert "it is blue" in editor.text()

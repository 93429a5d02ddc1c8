"""What the real CLI does with an IDE, measured without anyide: the ground our server stands on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.real.scripted_ide import ScriptedIde, text

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.real.claude import Home
    from tests.real.fixtures import StartClaude
    from tests.real.model import StandInModel
    from tests.real.terminal import Terminal

QUESTION = "Do you want to create b.py?"


@pytest.fixture
async def ide(home: Home, project: Path) -> AsyncIterator[ScriptedIde]:
    async with ScriptedIde(home.ide_folder, [project]) as server:
        yield server


@pytest.fixture
async def terminal(start_claude: StartClaude, ide: ScriptedIde, project: Path) -> Terminal:
    """Return a CLI that uses the IDE."""
    started = await start_claude(env={"CLAUDE_CODE_SSE_PORT": str(ide.port)})
    await ide.until("tools/list")
    await adopt(ide, started, project)
    return started


def write(path: Path) -> str:
    return f"CALL Write {json.dumps({'file_path': str(path), 'content': 'one'})}"


def selection(path: Path, chosen: str, *, line: int, character: int) -> dict[str, Any]:
    end = {"line": line, "character": character}
    span = {"start": {"line": 0, "character": 0}, "end": end, "isEmpty": not chosen}
    return {
        "text": chosen,
        "filePath": str(path),
        "fileUrl": path.as_uri(),
        "selection": span,
    }


async def adopt(ide: ScriptedIde, terminal: Terminal, project: Path) -> None:
    """Wait until the CLI uses the IDE.

    For a moment after its `tools/list` (30 ms, more under load) the CLI drops notifications and
    runs a turn without the IDE. No message tells the end of it; that a selection is shown does.
    """
    nothing = selection(project / "a.py", "", line=0, character=0)
    await terminal.ready()
    await terminal.insist(lambda: ide.notify("selection_changed", nothing), "⧉ In a.py")


async def test_cli_introduces_itself_in_this_order(ide: ScriptedIde, terminal: Terminal) -> None:
    order = ["initialize", "notifications/initialized", "ide_connected", "tools/list"]
    assert [heard.method for heard in ide.heard] == order
    assert (await ide.until("ide_connected")).message["params"] == {"pid": terminal.pid}


async def test_cli_connects_by_option(ide: ScriptedIde, start_claude: StartClaude) -> None:
    await start_claude("--ide")
    await ide.until("ide_connected")


async def test_cli_answers_ping_and_tells_its_folder(
    ide: ScriptedIde, terminal: Terminal, project: Path
) -> None:
    await ide.send({"id": "p", "method": "ping"})
    assert (await ide.until("answer")).message["result"] == {}
    await ide.send({"id": "r", "method": "roots/list"})
    roots = (await ide.until("answer", 2)).message["result"]["roots"]
    assert roots == [{"uri": project.as_uri()}]


async def test_selection_is_shown_and_reaches_the_model(
    ide: ScriptedIde, terminal: Terminal, model: StandInModel, project: Path
) -> None:
    chosen = selection(project / "a.py", "x = 1\ny = 2", line=1, character=5)
    await ide.notify("selection_changed", chosen)
    await terminal.until("⧉ 2 lines selected")
    await terminal.submit("what is this")
    await terminal.until("Selected 2 lines from a.py in Scripted")
    request = await model.requested()
    assert f"lines 1 to 2 from {project / 'a.py'}:\nx = 1\ny = 2\n" in request.everything


async def test_saved_diff_is_written_as_the_person_changed_it(
    ide: ScriptedIde, terminal: Terminal, project: Path
) -> None:
    await terminal.submit(write(project / "b.py"))
    diff = await ide.until("openDiff")
    await terminal.until(QUESTION)
    await ide.answer(diff, text("FILE_SAVED", "two"))
    await terminal.until("The user modified your proposed content")
    assert (project / "b.py").read_text() == "two"


async def test_rejected_diff_is_not_written(
    ide: ScriptedIde, terminal: Terminal, project: Path
) -> None:
    await terminal.submit(write(project / "b.py"))
    diff = await ide.until("openDiff")
    await terminal.until(QUESTION)
    await ide.answer(diff, text("DIFF_REJECTED", diff.arguments["tab_name"]))
    await terminal.until("User rejected write to b.py")
    assert not (project / "b.py").exists()


async def test_failed_diff_leaves_the_question_in_the_terminal(
    ide: ScriptedIde, terminal: Terminal, project: Path
) -> None:
    await terminal.submit(write(project / "b.py"))
    diff = await ide.until("openDiff")
    await terminal.until(QUESTION)
    await ide.answer(diff, text("cannot", error=True))
    await ide.until("close_tab")
    await terminal.choose("1", QUESTION)
    await terminal.until("The tool said: File created successfully")
    assert (project / "b.py").read_text() == "one"


async def test_cli_comes_back_to_a_restarted_ide(
    home: Home, project: Path, start_claude: StartClaude
) -> None:
    async with ScriptedIde(home.ide_folder, [project]) as ide:
        port = ide.port
        await start_claude(env={"CLAUDE_CODE_SSE_PORT": str(port)})
        await ide.until("tools/list")
    async with ScriptedIde(home.ide_folder, [project], port=port) as again:
        await again.until("ide_connected")


@pytest.mark.parametrize("tool", ["getDiagnostics", "executeCode"])
async def test_model_may_call_two_tools_of_the_ide(
    ide: ScriptedIde, terminal: Terminal, tool: str
) -> None:
    ide.answers[tool] = text("forty-two")
    await terminal.submit(f'CALL mcp__ide__{tool} {{"code": "6 * 7"}}')
    await terminal.choose("1", "Do you want to proceed?")
    await terminal.until("The tool said: forty-two")
    assert (await ide.until(tool)).arguments == {"code": "6 * 7"}

"""What the editor tells the real CLI, and what the model may ask of the editor."""

from __future__ import annotations

from pathlib import Path

from anyide.editor.model import Diagnostic, Mention, Position, Range, Severity
from tests.ide.real.conftest import Desk, connect
from tests.real.fixtures import StartClaude
from tests.real.model import StandInModel
from tests.real.terminal import Terminal


async def test_a_selection_is_shown_and_its_text_reaches_the_model(
    desk: Desk, terminal: Terminal, project: Path, model: StandInModel
) -> None:
    file = project / "a.py"
    file.write_text("alpha = 1\nbeta = '🎉'\ngamma = 3\n")
    await desk.select(file, 0, 1)
    await terminal.until("⧉ 2 lines selected")
    await terminal.submit("what is this")
    request = await model.requested()
    assert "alpha = 1\nbeta = '🎉'" in request.everything
    assert "gamma" not in request.everything


async def test_the_file_that_is_open_is_shown_without_a_selection(
    desk: Desk, terminal: Terminal, project: Path
) -> None:
    file = project / "a.py"
    file.write_text("alpha = 1\n")
    await desk.editor.open_file(str(file), preview=False, focus=True, select=None)
    await terminal.until("⧉ In a.py")


async def test_a_denied_file_never_reaches_the_model_and_takes_the_old_text_back(
    desk: Desk, terminal: Terminal, project: Path, model: StandInModel
) -> None:
    shown, secret = project / "a.py", project / ".env"
    shown.write_text("alpha = 1\nbeta = 2\n")
    secret.write_text("PASSWORD=hunter2\n")
    await desk.select(shown, 0, 1)
    await terminal.until("⧉ 2 lines selected")
    await desk.select(secret, 0, 0)
    await terminal.until("⧉ In a.py")
    await terminal.submit("what is this")
    request = await model.requested()
    assert "hunter2" not in request.everything
    assert ".env" not in request.everything
    assert "alpha = 1" not in request.everything


async def test_a_pause_takes_the_selection_back(
    desk: Desk, terminal: Terminal, project: Path, model: StandInModel
) -> None:
    file = project / "a.py"
    file.write_text("alpha = 1\nbeta = 2\n")
    await desk.select(file, 0, 1)
    await terminal.until("⧉ 2 lines selected")
    desk.server.pause()
    await terminal.until("⧉ In a.py")
    await terminal.submit("what is this")
    assert "alpha = 1" not in (await model.requested()).everything


async def test_a_mention_is_typed_into_the_prompt_of_the_session_it_is_for(
    desk: Desk, terminal: Terminal, start_claude: StartClaude, project: Path
) -> None:
    known = desk.server.sessions[0].id
    other = await connect(desk, start_claude, project)
    file = project / "a file.py"
    file.write_text("1\n2\n3\n")
    desk.editor.mention(Mention(str(file), 0, 1), session=known)
    await terminal.until("#L1-2")
    desk.editor.mention(Mention(str(project / "here.py")))
    await terminal.until("@here.py")
    await other.until("@here.py")
    assert "#L1-2" not in other.screen


async def test_the_model_may_ask_for_diagnostics(
    desk: Desk, terminal: Terminal, project: Path
) -> None:
    place = Range(Position(0, 0), Position(0, 4))
    found = Diagnostic("'here' is never read", Severity.WARNING, place, source="ruff", code="F841")
    desk.editor.set_diagnostics(str(project / "here.py"), [found])
    await terminal.submit("CALL mcp__ide__getDiagnostics {}")
    await terminal.choose("1", "Do you want to proceed?")
    await terminal.until("'here' is never read")


async def test_the_model_may_execute_code(terminal: Terminal) -> None:
    await terminal.submit('CALL mcp__ide__executeCode {"code": "6 * 7"}')
    await terminal.choose("1", "Do you want to proceed?")
    await terminal.until("The tool said: 42")


async def test_a_session_is_known_by_its_folder_process_and_version(
    desk: Desk, terminal: Terminal, project: Path
) -> None:
    (session,) = desk.server.sessions
    assert session.folders == (str(project.resolve()),)
    assert session.pid == terminal.pid
    assert session.client == "claude-code"
    assert session.version[0].isdigit()

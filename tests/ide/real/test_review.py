"""Changes that the real CLI proposes, decided in our editor, in the terminal, or by nobody."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from anyide.editor.model import Accepted, Cause, Rejected, Withdrawn
from tests.ide.real.conftest import Desk, connect, edit, write
from tests.real.fixtures import StartClaude
from tests.real.model import StandInModel
from tests.real.terminal import Terminal

QUESTION = "Do you want to create b.py?"
EXACT = ["", "one", "one\n", "one\r\ntwo\r\n", "\ufeffwith a mark\n", "tab\tand ✻ 🎉 e\u0301\n\n\n"]


@pytest.mark.parametrize("content", EXACT, ids=ascii)
async def test_a_new_file_accepted_is_written_by_the_cli_byte_for_byte(
    desk: Desk, terminal: Terminal, project: Path, content: str
) -> None:
    await terminal.submit(write(project / "b.py", content))
    proposal = await desk.proposal()
    assert (proposal.old_text, proposal.new_text) == (None, content)
    desk.editor.accept(proposal.id)
    await terminal.until("File created successfully")
    assert (project / "b.py").read_bytes() == content.encode()
    assert await desk.ended(proposal) == Accepted(content)


async def test_an_edit_accepted_is_written_and_the_model_is_told(
    desk: Desk, terminal: Terminal, project: Path
) -> None:
    file = project / "b.py"
    file.write_bytes(b"one = 1\r\ntwo = 2\r\n")
    await terminal.submit(edit(file, "two = 2", "two = 3"))
    proposal = await desk.proposal()
    assert proposal.old_text == "one = 1\r\ntwo = 2\r\n"
    desk.editor.accept(proposal.id)
    await terminal.until("has been updated")
    assert file.read_bytes() == b"one = 1\r\ntwo = 3\r\n"


async def test_what_the_person_changed_before_accepting_is_what_is_written(
    desk: Desk, terminal: Terminal, project: Path, model: StandInModel
) -> None:
    await terminal.submit(write(project / "b.py", "one\n"))
    proposal = await desk.proposal()
    desk.editor.accept(proposal.id, "mine, without a newline")
    await terminal.until("The user modified your proposed content")
    assert (project / "b.py").read_bytes() == b"mine, without a newline"
    told = await model.requested(lambda request: bool(request.results))
    assert "The user modified your proposed content" in told.everything


async def test_a_rejected_change_is_not_written(
    desk: Desk, terminal: Terminal, project: Path
) -> None:
    await terminal.submit(write(project / "b.py", "one\n"))
    proposal = await desk.proposal()
    desk.editor.reject(proposal.id)
    await terminal.until("User rejected write to b.py")
    assert not (project / "b.py").exists()
    assert await desk.ended(proposal) == Rejected()


async def test_decided_in_the_terminal_the_review_closes_by_itself(
    desk: Desk, terminal: Terminal, project: Path
) -> None:
    await terminal.submit(write(project / "b.py", "one\n"))
    proposal = await desk.proposal()
    await terminal.choose("1", QUESTION)
    assert await desk.ended(proposal) == Withdrawn(Cause.CLOSED_BY_CLI)
    await terminal.until("File created successfully")
    assert (project / "b.py").read_text() == "one\n"
    assert desk.editor.pending == ()


async def test_refused_in_the_terminal_nothing_is_written(
    desk: Desk, terminal: Terminal, project: Path
) -> None:
    await terminal.submit(write(project / "b.py", "one\n"))
    proposal = await desk.proposal()
    await terminal.choose("escape", QUESTION)
    assert await desk.ended(proposal) == Withdrawn(Cause.CLOSED_BY_CLI)
    await terminal.until("User rejected write to b.py")
    assert not (project / "b.py").exists()


async def test_when_the_editor_goes_away_the_question_stays_in_the_terminal(
    desk: Desk, terminal: Terminal, project: Path
) -> None:
    await terminal.submit(write(project / "b.py", "one\n"))
    proposal = await desk.proposal()
    await terminal.until(QUESTION)
    desk.editor.close()
    assert await desk.ended(proposal) == Withdrawn(Cause.EDITOR_GONE)
    assert not (project / "b.py").exists()
    await terminal.choose("1", QUESTION)
    await terminal.until("File created successfully")
    assert (project / "b.py").read_text() == "one\n"


async def test_when_the_server_stops_the_question_stays_in_the_terminal(
    open_desk: Callable[[], Awaitable[Desk]], start_claude: StartClaude, project: Path
) -> None:
    desk = await open_desk()
    async with desk.server:
        terminal = await connect(desk, start_claude, project)
        await terminal.submit(write(project / "b.py", "one\n"))
        await desk.proposal()
        await terminal.until(QUESTION)
    assert not (project / "b.py").exists()
    await terminal.choose("1", QUESTION)
    await terminal.until("File created successfully")
    assert (project / "b.py").read_text() == "one\n"


async def test_a_killed_cli_takes_its_review_along(
    desk: Desk, terminal: Terminal, project: Path
) -> None:
    await terminal.submit(write(project / "b.py", "one\n"))
    proposal = await desk.proposal()
    terminal.kill()
    assert await desk.ended(proposal) == Withdrawn(Cause.CLI_GONE)
    await desk.until(lambda: desk.server.sessions == ())
    assert desk.editor.pending == ()
    assert not (project / "b.py").exists()


async def test_a_new_turn_of_one_cli_leaves_the_review_of_another_alone(
    desk: Desk, terminal: Terminal, start_claude: StartClaude, project: Path
) -> None:
    other = await connect(desk, start_claude, project)
    await terminal.submit(write(project / "b.py", "one\n"))
    first = await desk.proposal()
    await other.submit(write(project / "c.py", "two\n"))
    second = await desk.proposal()
    await other.choose("escape", "Do you want to create c.py?")
    assert await desk.ended(second) == Withdrawn(Cause.CLOSED_BY_CLI)
    await other.until("User rejected write to c.py")  # or it misses what is typed
    await other.submit("SAY a new turn began")
    await other.until("a new turn began")
    assert [proposal.id for proposal in desk.editor.pending] == [first.id]
    desk.editor.accept(first.id)
    await terminal.until("File created successfully")
    assert (project / "b.py").read_text() == "one\n"


async def test_a_dirty_document_is_proposed_with_its_unsaved_text(
    desk: Desk, terminal: Terminal, project: Path
) -> None:
    file = project / "b.py"
    file.write_text("one = 1\n")
    await desk.editor.open_file(str(file), preview=False, focus=True, select=None)
    desk.editor.edit(str(file), "one = 1\nunsaved = 2\n")
    await terminal.submit(edit(file, "one = 1", "one = 10"))
    proposal = await desk.proposal()
    assert (proposal.old_text, proposal.is_unsaved) == ("one = 1\nunsaved = 2\n", True)
    async with asyncio.timeout(30):
        document = await desk.editor.document(str(file))
    assert document is not None
    assert document.text == "one = 1\nunsaved = 2\n"
    desk.editor.reject(proposal.id)
    await terminal.until("User rejected update to b.py")
    assert file.read_text() == "one = 1\n"

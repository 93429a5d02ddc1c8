from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from anyide.editor.memory import MemoryEditor
from anyide.editor.model import (
    Ability,
    Accepted,
    Cause,
    Diagnostic,
    Document,
    FileDiagnostics,
    ImageOutput,
    Mention,
    Output,
    Position,
    Proposal,
    Range,
    Rejected,
    Selection,
    Severity,
    TextOutput,
    Verdict,
    Withdrawn,
)
from anyide.editor.review import DiffRejected, Review, Saved
from anyide.errors import EditorError, EditorGone

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from anyide.editor.seam import Editor

NOWHERE = Range(Position(0, 0), Position(0, 0))
FINDING = Diagnostic("unused", Severity.WARNING, NOWHERE, source="ruff", code="F401")


class Notes:
    def __init__(self) -> None:
        self.heard: list[object] = []

    def selection_changed(self, selection: Selection) -> None:
        self.heard.append(selection)

    def mentioned(self, mention: Mention, session: str | None) -> None:
        self.heard.append((mention, session))

    def diagnostics_changed(self, changed: FileDiagnostics) -> None:
        self.heard.append(changed)


async def upper(document: Document) -> str:
    return document.text.upper()


async def echo(code: str) -> Sequence[Output]:
    return [TextOutput(code), ImageOutput("aGk=", "image/png")]


def proposal(name: str = "1", new_text: str = "new") -> Proposal:
    return Proposal(name, "s", "/a", "/a", None, new_text, f"tab {name}")


def ending(review: Review) -> Callable[[Verdict], None]:
    def end(verdict: Verdict) -> None:
        review.end(verdict)

    return end


def test_its_abilities_follow_from_what_it_was_given() -> None:
    plain: Editor = MemoryEditor()
    full: Editor = MemoryEditor(formatter=upper, executor=echo)
    assert full.abilities == frozenset(Ability)
    assert full.abilities - plain.abilities == {Ability.FORMAT, Ability.EXECUTE}
    assert Ability.REVIEW not in MemoryEditor(reviews=False).abilities


async def test_an_ability_that_is_missing_is_an_error_with_a_sentence() -> None:
    editor = MemoryEditor()
    with pytest.raises(EditorError, match="cannot execute"):
        await editor.execute("1")
    with pytest.raises(EditorError, match="cannot format"):
        await editor.format("/a")


async def test_code_is_executed_by_the_executor() -> None:
    outputs = await MemoryEditor(executor=echo).execute("1 + 1")
    assert outputs == [TextOutput("1 + 1"), ImageOutput("aGk=", "image/png")]


async def test_diagnostics_are_told_and_can_be_asked_for(tmp_path: Path) -> None:
    editor, notes = MemoryEditor([str(tmp_path)]), Notes()
    editor.subscribe(notes)
    path = str(tmp_path / "a.py")
    editor.set_diagnostics("a.py", [FINDING])
    known = FileDiagnostics(path, (FINDING,))
    assert await editor.diagnostics(None) == await editor.diagnostics(path) == (known,)
    assert await editor.diagnostics("/other.py") == ()
    editor.set_diagnostics(path, [])
    assert await editor.diagnostics(None) == await editor.diagnostics(path) == ()
    assert notes.heard == [known, FileDiagnostics(path, ())]


def test_a_mention_goes_to_one_session_or_to_all(tmp_path: Path) -> None:
    editor, notes = MemoryEditor([str(tmp_path)]), Notes()
    editor.subscribe(notes)
    path = str(tmp_path / "a.py")
    editor.mention(Mention("a.py", 0, 2))
    editor.mention(Mention(path), session="s")
    assert notes.heard == [(Mention(path, 0, 2), None), (Mention(path), "s")]


async def test_formatting_a_closed_file_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\n")
    editor = MemoryEditor(formatter=upper)
    assert await editor.format(str(path))
    assert path.read_bytes() == b"\xef\xbb\xbfONE\r\n"
    assert await editor.tabs() == ()
    assert not await editor.format(str(tmp_path / "gone"))


async def test_formatting_a_clean_document_saves_it_and_a_dirty_one_not(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one")
    editor = MemoryEditor(formatter=upper)
    await editor.open_file(str(path), preview=False, focus=True, select=None)
    assert await editor.format(str(path))
    assert path.read_text() == "ONE"
    editor.edit(str(path), "two")
    assert await editor.format(str(path))
    assert path.read_text() == "ONE"
    document = await editor.document(str(path))
    assert document is not None
    assert (document.text, document.is_dirty) == ("TWO", True)


async def test_what_is_typed_while_formatting_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one")

    async def type_meanwhile(document: Document) -> str:
        editor.edit(document.path, "typed")
        return "formatted"

    editor = MemoryEditor(formatter=type_meanwhile)
    await editor.open_file(str(path), preview=False, focus=True, select=None)
    with pytest.raises(EditorError, match="edited while"):
        await editor.format(str(path))
    document = await editor.document(str(path))
    assert document is not None
    assert document.text == "typed"


async def test_reviews_are_answered_by_code() -> None:
    editor, answers = MemoryEditor(), list[Verdict]()
    for name in ("1", "2", "3"):
        await editor.show(proposal(name), answers.append)
    async with asyncio.timeout(5):
        assert (await editor.next_proposal()).id == "1"
    assert [pending.id for pending in editor.pending] == ["1", "2", "3"]
    editor.accept("1")
    editor.accept("2", "edited")
    editor.reject("3", "no")
    assert answers == [Accepted("new"), Accepted("edited"), Rejected("no")]
    assert editor.pending == ()


async def test_the_end_of_a_review_is_told_with_its_cause() -> None:
    editor = MemoryEditor()
    await editor.show(proposal(), lambda _: None)
    await editor.dismiss("1", Withdrawn(Cause.REPLACED))
    async with asyncio.timeout(5):
        assert await editor.ended("1") == Withdrawn(Cause.REPLACED)
    assert editor.pending == ()


async def test_an_editor_that_goes_away_decides_nothing() -> None:
    editor, answers = MemoryEditor(), list[Verdict]()
    await editor.show(proposal(), answers.append)
    editor.close()
    assert answers == [Withdrawn(Cause.EDITOR_GONE)]
    with pytest.raises(EditorGone):
        await editor.show(proposal("2"), answers.append)


async def test_accepting_does_not_write_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("old")
    editor = MemoryEditor([str(tmp_path)])
    review = Review(Proposal("1", "s", str(path), str(path), "old", "new", "tab"))
    await editor.show(review.proposal, ending(review))
    editor.accept("1")
    assert review.verdict == Accepted("new")
    assert review.answer(Accepted("new")) == Saved("new")
    assert path.read_text() == "old"


async def test_a_person_who_is_later_than_the_terminal_changes_nothing() -> None:
    editor, review = MemoryEditor(), Review(proposal())
    await editor.show(review.proposal, ending(review))
    review.end(Withdrawn(Cause.CLOSED_BY_CLI))
    editor.accept("1")
    assert review.answer(Accepted("new")) == DiffRejected("tab 1")

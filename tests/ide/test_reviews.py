from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from anyide.editor.memory import MemoryEditor
from anyide.editor.model import Accepted, Cause, Proposal, Withdrawn
from anyide.editor.review import DiffRejected, Failed, Saved
from anyide.errors import EditorError
from anyide.ide.reviews import Reviews

if TYPE_CHECKING:
    from anyide.editor.model import Verdict


def proposal(identity: str = "1", tab_name: str = "tab") -> Proposal:
    return Proposal(identity, "session", "/a", "/a", None, f"text {identity}", tab_name)


async def made(it: Proposal) -> Proposal:
    return it


async def test_a_review_is_pending_from_its_first_moment_to_its_end() -> None:
    editor = MemoryEditor()
    reviews = Reviews(editor)
    answer = asyncio.ensure_future(reviews.propose("tab", made(proposal())))
    await editor.next_proposal()
    assert len(reviews) == 1
    editor.accept("1")
    assert await answer == Saved("text 1")
    assert len(reviews) == 0
    await reviews.dismissed(5)
    assert await editor.ended("1") == Accepted("text 1")


async def test_one_that_is_closed_while_it_is_made_is_never_shown() -> None:
    editor = MemoryEditor()
    reviews = Reviews(editor)
    ready = asyncio.Event()

    async def slowly() -> Proposal:
        await ready.wait()
        return proposal()

    answer = asyncio.ensure_future(reviews.propose("tab", slowly()))
    await asyncio.sleep(0)
    assert reviews.close("tab")
    assert not reviews.close("tab")
    ready.set()
    assert await answer == DiffRejected("tab")
    assert editor.pending == ()


async def test_the_later_of_two_with_one_name_wins_however_long_they_take_to_make() -> None:
    editor = MemoryEditor()
    reviews = Reviews(editor)
    ready = asyncio.Event()

    async def slowly() -> Proposal:
        await ready.wait()
        return proposal("1")

    first = asyncio.ensure_future(reviews.propose("tab", slowly()))
    await asyncio.sleep(0)
    second = asyncio.ensure_future(reviews.propose("tab", made(proposal("2"))))
    assert (await editor.next_proposal()).id == "2"
    ready.set()
    assert await first == DiffRejected("tab")
    editor.accept("2")
    assert await second == Saved("text 2")


async def test_one_that_cannot_be_made_leaves_nothing_behind() -> None:
    reviews = Reviews(MemoryEditor())

    async def fails() -> Proposal:
        raise EditorError("no such disk")

    with pytest.raises(EditorError, match="no such disk"):
        await reviews.propose("tab", fails())
    assert len(reviews) == 0


async def test_a_cancelled_one_is_withdrawn_because_the_cli_is_gone() -> None:
    editor = MemoryEditor()
    reviews = Reviews(editor)
    answer = asyncio.ensure_future(reviews.propose("tab", made(proposal())))
    await editor.next_proposal()
    answer.cancel()
    assert await editor.ended("1") == Withdrawn(Cause.CLI_GONE)
    assert len(reviews) == 0


async def test_all_are_withdrawn_undecided_when_the_editor_goes() -> None:
    editor = MemoryEditor()
    reviews = Reviews(editor)
    answers = [
        asyncio.ensure_future(reviews.propose(name, made(proposal(name, name)))) for name in "ab"
    ]
    for _ in answers:
        await editor.next_proposal()
    assert reviews.close_all(Cause.EDITOR_GONE) == 2
    for answer in answers:
        assert isinstance(await answer, Failed)


async def test_a_view_that_cannot_be_closed_does_not_spoil_the_answer(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Stuck(MemoryEditor):
        async def dismiss(self, proposal_id: str, verdict: Verdict) -> None:
            raise EditorError("stuck")

    editor = Stuck()
    reviews = Reviews(editor)
    answer = asyncio.ensure_future(reviews.propose("tab", made(proposal())))
    await editor.next_proposal()
    editor.accept("1")
    assert await answer == Saved("text 1")
    await reviews.dismissed(5)
    assert "stuck" in caplog.text

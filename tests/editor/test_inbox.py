from __future__ import annotations

import asyncio

import pytest

from anyide.editor.inbox import VERDICTS_KEPT, Inbox
from anyide.editor.model import Accepted, Cause, Proposal, Rejected, Verdict, Withdrawn
from anyide.errors import EditorError, EditorGone


def proposal(name: str, new_text: str = "new") -> Proposal:
    return Proposal(name, "s", "/a", "/a", None, new_text, f"tab {name}")


def ignore(_: Verdict) -> None:
    pass


@pytest.mark.parametrize("text", ["", "no newline", "a\r\nb\r", "\ufeffx\n\n"])
def test_an_untouched_proposal_is_accepted_as_it_is(text: str) -> None:
    inbox, answers = Inbox(), list[Verdict]()
    inbox.show(proposal("1", text), answers.append)
    inbox.accept("1")
    assert answers == [Accepted(text)]
    assert inbox.pending == ()


def test_an_edited_proposal_is_accepted_with_the_edit_even_if_that_is_empty() -> None:
    inbox, answers = Inbox(), list[Verdict]()
    inbox.show(proposal("1"), answers.append)
    inbox.accept("1", "")
    assert answers == [Accepted("")]


def test_a_review_is_answered_once() -> None:
    inbox, answers = Inbox(), list[Verdict]()
    inbox.show(proposal("1"), answers.append)
    inbox.reject("1", "not like this")
    with pytest.raises(EditorError, match="no review '1' is pending"):
        inbox.accept("1")
    inbox.close()
    assert answers == [Rejected("not like this")]


def test_a_dismissed_review_cannot_be_answered() -> None:
    inbox, answers = Inbox(), list[Verdict]()
    inbox.show(proposal("1"), answers.append)
    inbox.dismiss("1", Withdrawn(Cause.CLOSED_BY_CLI))
    with pytest.raises(EditorError):
        inbox.accept("1")
    assert answers == []


def test_the_same_id_is_not_shown_twice() -> None:
    inbox = Inbox()
    inbox.show(proposal("1"), ignore)
    with pytest.raises(EditorError, match="shown already"):
        inbox.show(proposal("1"), ignore)


def test_leaving_withdraws_what_is_pending_and_shows_nothing_more() -> None:
    inbox, answers = Inbox(), list[Verdict]()
    inbox.show(proposal("1"), answers.append)
    inbox.show(proposal("2"), answers.append)
    inbox.close()
    assert answers == [Withdrawn(Cause.EDITOR_GONE)] * 2
    with pytest.raises(EditorGone):
        inbox.show(proposal("3"), ignore)


def test_an_answer_that_dismisses_the_others_does_no_harm_to_leaving() -> None:
    inbox, answers = Inbox(), list[Verdict]()

    def dismiss_other(verdict: Verdict) -> None:
        answers.append(verdict)
        inbox.dismiss("2", verdict)

    inbox.show(proposal("1"), dismiss_other)
    inbox.show(proposal("2"), answers.append)
    inbox.close()
    assert answers == [Withdrawn(Cause.EDITOR_GONE)]


async def test_waiting_gives_each_proposal_once_in_order() -> None:
    inbox = Inbox()
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        first = group.create_task(inbox.next_proposal())
        second = group.create_task(inbox.next_proposal())
        await asyncio.sleep(0)  # both wait now
        inbox.show(proposal("1"), ignore)
        inbox.show(proposal("2"), ignore)
    assert [first.result().id, second.result().id] == ["1", "2"]
    assert [pending.id for pending in inbox.pending] == ["1", "2"]


async def test_a_proposal_that_ended_unseen_is_not_given() -> None:
    inbox = Inbox()
    inbox.show(proposal("1"), ignore)
    inbox.dismiss("1", Rejected())
    inbox.show(proposal("2"), ignore)
    async with asyncio.timeout(5):
        assert (await inbox.next_proposal()).id == "2"


async def test_who_waits_for_a_proposal_learns_that_the_editor_left() -> None:
    inbox = Inbox()
    waiting = asyncio.create_task(inbox.next_proposal())
    await asyncio.sleep(0)
    inbox.close()
    async with asyncio.timeout(5):
        with pytest.raises(EditorGone):
            await waiting


async def test_the_end_of_a_review_can_be_waited_for() -> None:
    inbox = Inbox()
    waiting = asyncio.create_task(inbox.ended("1"))
    await asyncio.sleep(0)
    inbox.dismiss("other", Rejected())
    inbox.dismiss("1", Withdrawn(Cause.CLI_GONE))
    async with asyncio.timeout(5):
        assert await waiting == Withdrawn(Cause.CLI_GONE)


async def test_only_the_latest_verdicts_are_kept() -> None:
    inbox = Inbox()
    for number in range(VERDICTS_KEPT + 1):
        inbox.dismiss(str(number), Rejected(str(number)))
    async with asyncio.timeout(5):
        assert await inbox.ended("1") == Rejected("1")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await inbox.ended("0")

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from anyide.editor.model import Accepted, Cause, Proposal, Rejected, Verdict, Withdrawn
from anyide.state.review import MAX_DECISION_CHARACTERS, MAX_DECISIONS
from anyide.state.store import State
from anyide.web.messages import ReviewDraft
from anyide.web.review import Shelf

FOLDERS = ["/project"]


def proposal(identity: str = "1", old: str | None = "a\nb\n", new: str = "a\nc\nd\n") -> Proposal:
    path = "/project/x.py"
    return Proposal(identity, "session", path, path, old, new, tab_name="t")


@pytest.fixture(params=[True, False], ids=["with state", "without state"])
def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shelf]:
    with State.open(tmp_path / "state.db") as state:
        yield Shelf(state if request.param else None, FOLDERS)


def test_the_queue_tells_what_is_new_and_how_much(shelf: Shelf) -> None:
    summary = shelf.opened(proposal())
    assert (summary.added, summary.removed, summary.is_new) == (2, 1, False)
    assert shelf.opened(proposal("2", old=None)).is_new
    assert [each.id for each in shelf.summaries] == ["1", "2"]
    assert shelf.review(proposal()).language_id == "python"


@pytest.mark.parametrize(
    ("verdict", "end"),
    [
        (Accepted("final"), ("accepted", "editor", None)),
        (Rejected("why"), ("rejected", "editor", None)),
        (Withdrawn(Cause.CLOSED_BY_CLI), ("withdrawn", "terminal", "closed-by-cli")),
        (Withdrawn(Cause.REPLACED), ("withdrawn", "replaced", "replaced")),
        (Withdrawn(Cause.CLI_GONE), ("withdrawn", "gone", "cli-gone")),
        (Withdrawn(Cause.EDITOR_GONE), ("withdrawn", "gone", "editor-gone")),
    ],
)
def test_every_end_is_told_and_kept(
    shelf: Shelf, verdict: Verdict, end: tuple[str, str, str | None]
) -> None:
    shelf.opened(proposal())
    ended = shelf.ended(proposal(), verdict)
    assert (ended.verdict, ended.by, ended.cause) == end
    assert shelf.summaries == ()
    (decision,) = shelf.history(10)
    assert (decision.verdict, decision.cause) == (end[0], end[2])
    assert (decision.old_text, decision.proposed_text) == ("a\nb\n", "a\nc\nd\n")
    assert decision.final_text == ("final" if isinstance(verdict, Accepted) else None)
    assert decision.reason == ("why" if isinstance(verdict, Rejected) else "")
    assert shelf.how_it_ended("1") != shelf.how_it_ended("2")


def test_the_history_holds_a_hundred_the_last_first(shelf: Shelf) -> None:
    for number in range(MAX_DECISIONS + 5):
        shelf.opened(proposal(str(number)))
        shelf.ended(proposal(str(number)), Rejected())
    history = shelf.history(1000)
    assert (len(history), history[0].id) == (MAX_DECISIONS, str(MAX_DECISIONS + 4))
    assert [each.id for each in shelf.history(2)] == [str(MAX_DECISIONS + n) for n in (4, 3)]
    assert shelf.history(-1) == []


def test_texts_that_are_too_long_are_left_out_of_the_history(tmp_path: Path) -> None:
    with State.open(tmp_path / "state.db") as state:
        shelf = Shelf(state, FOLDERS)
        big = proposal(new="x" * (MAX_DECISION_CHARACTERS + 1))
        shelf.opened(big)
        shelf.ended(big, Accepted("x"))
        (decision,) = shelf.history(1)
    assert (decision.is_cut, decision.proposed_text, decision.final_text) == (True, "", None)
    assert decision.verdict == "accepted"


def test_what_was_made_of_a_proposal_is_there_when_it_comes_again(tmp_path: Path) -> None:
    draft = ReviewDraft("mine", {"0": "rejected"})
    with State.open(tmp_path / "state.db") as state:
        first = Shelf(state, FOLDERS)
        first.opened(proposal())
        assert first.review(proposal()).draft is None
        first.keep_draft(proposal(), draft)
        assert first.review(proposal()).draft == draft
        first.ended(proposal(), Withdrawn(Cause.EDITOR_GONE))
        again = Shelf(state, FOLDERS)
        again.opened(proposal("2"))
        assert again.review(proposal("2")).draft == draft
        again.opened(proposal("3", new="other"))
        assert again.review(proposal("3", new="other")).draft is None
        again.ended(proposal("2"), Rejected())
        again.opened(proposal("4"))
        assert again.review(proposal("4")).draft is None

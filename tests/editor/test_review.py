from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyide.editor.model import Accepted, Cause, Proposal, Rejected, Verdict, Withdrawn
from anyide.editor.review import (
    TRANSITIONS,
    Answer,
    DiffRejected,
    Failed,
    Review,
    Saved,
    Silence,
    State,
)

PROPOSAL = Proposal("1", "s", "/a.py", "/a.py", "old", "new", "✻ [Claude Code] a.py ⧉")

VERDICTS = st.one_of(
    st.builds(Accepted, st.text()),
    st.builds(Rejected, st.text()),
    st.builds(Withdrawn, st.sampled_from(Cause)),
)


def test_a_new_review_is_pending_and_has_no_verdict() -> None:
    review = Review(PROPOSAL)
    assert review.state is State.PENDING
    assert review.verdict is None


@pytest.mark.parametrize(
    ("verdict", "state", "answer"),
    [
        (Accepted("final\r\n"), State.ACCEPTED, Saved("final\r\n")),
        (Accepted(""), State.ACCEPTED, Saved("")),
        (Rejected("no"), State.REJECTED, DiffRejected(PROPOSAL.tab_name)),
        (Withdrawn(Cause.CLOSED_BY_CLI), State.WITHDRAWN, DiffRejected(PROPOSAL.tab_name)),
        (Withdrawn(Cause.REPLACED), State.WITHDRAWN, DiffRejected(PROPOSAL.tab_name)),
        (Withdrawn(Cause.CLI_GONE), State.WITHDRAWN, Silence()),
    ],
)
def test_each_end_gives_the_answer_of_the_table(
    verdict: Verdict, state: State, answer: Answer
) -> None:
    review = Review(PROPOSAL)
    assert review.end(verdict)
    assert (review.state, review.verdict) == (state, verdict)
    assert review.answer(verdict) == answer


@pytest.mark.parametrize("cause", [Cause.EDITOR_GONE, Cause.CANNOT_SHOW])
def test_an_editor_that_cannot_decide_gives_an_error_that_says_so(cause: Cause) -> None:
    answer = Review(PROPOSAL).answer(Withdrawn(cause))
    assert isinstance(answer, Failed)
    assert "the editor" in answer.message
    assert "decided" in answer.message


@given(st.sampled_from(Cause))
def test_every_cause_has_an_answer_and_none_is_saved(cause: Cause) -> None:
    assert not isinstance(Review(PROPOSAL).answer(Withdrawn(cause)), Saved)


def test_the_three_ends_have_no_way_out() -> None:
    assert {state for state, _ in TRANSITIONS} == {State.PENDING}
    assert set(TRANSITIONS.values()) == set(State) - {State.PENDING}


@given(st.lists(st.tuples(st.sampled_from(["end", "answer"]), VERDICTS), min_size=1))
def test_the_first_verdict_stands_and_only_an_acceptance_is_ever_saved(
    events: list[tuple[str, Verdict]],
) -> None:
    review = Review(PROPOSAL)
    first = events[0][1]
    expected = Review(PROPOSAL).answer(first)
    for number, (event, verdict) in enumerate(events):
        if event == "end":
            assert review.end(verdict) is (number == 0)
        else:
            assert review.answer(verdict) == expected
        assert review.verdict is first
    final = review.answer(Accepted("too late"))
    assert isinstance(final, Saved) is isinstance(first, Accepted)
    if isinstance(first, Accepted):
        assert final == Saved(first.text)

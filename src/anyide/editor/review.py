"""What may become of a proposed change, and what the CLI is told of it; pure, decided only here.

Nothing but a person's act produces `Saved`. A review ends once: the first verdict stands, whatever
comes later.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, assert_never

import msgspec

from anyide.editor.model import Accepted, Cause, Rejected, Verdict, Withdrawn

if TYPE_CHECKING:
    from anyide.editor.model import Proposal


class State(enum.Enum):
    """Where a review stands."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


# What is not in the table does not happen: the three ends have no way out.
TRANSITIONS: dict[tuple[State, type[Verdict]], State] = {
    (State.PENDING, Accepted): State.ACCEPTED,
    (State.PENDING, Rejected): State.REJECTED,
    (State.PENDING, Withdrawn): State.WITHDRAWN,
}


class Saved(msgspec.Struct, frozen=True, tag="saved"):
    """`FILE_SAVED` and the final text, byte for byte."""

    text: str


class DiffRejected(msgspec.Struct, frozen=True, tag="rejected"):
    """`DIFF_REJECTED` and the name of the tab."""

    tab_name: str


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """An error result: the CLI's own prompt stays and nothing is decided."""

    message: str


class Silence(msgspec.Struct, frozen=True, tag="silence"):
    """Nothing to answer: the CLI is gone."""


Answer = Saved | DiffRejected | Failed | Silence

_UNDECIDED = {
    Cause.EDITOR_GONE: "the editor went away before the change was decided",
    Cause.CANNOT_SHOW: "the editor cannot show this change, so it was not decided there",
}


class Review:
    """One proposed change from its proposal to its end."""

    def __init__(self, proposal: Proposal) -> None:
        self.proposal = proposal
        self._state = State.PENDING
        self._verdict: Verdict | None = None

    @property
    def state(self) -> State:
        """Where the review stands."""
        return self._state

    @property
    def verdict(self) -> Verdict | None:
        """How it ended, None while it is pending."""
        return self._verdict

    def end(self, verdict: Verdict) -> bool:
        """End the review; False, and nothing changes, when it had ended already."""
        after = TRANSITIONS.get((self._state, type(verdict)))
        if after is None:
            return False
        self._state, self._verdict = after, verdict
        return True

    def answer(self, verdict: Verdict) -> Answer:
        """End the review if it is pending; tell what the CLI gets for the verdict that stands."""
        self.end(verdict)
        standing = self._verdict
        assert standing is not None, "a review that was ended has a verdict"
        match standing:
            case Accepted(text=text):
                return Saved(text)
            case Rejected():
                return DiffRejected(self.proposal.tab_name)
            case Withdrawn(cause=cause):
                return self._answer_to_withdrawal(cause)
        assert_never(standing)

    def _answer_to_withdrawal(self, cause: Cause) -> Answer:
        match cause:
            case Cause.CLOSED_BY_CLI | Cause.REPLACED:
                return DiffRejected(self.proposal.tab_name)
            case Cause.EDITOR_GONE | Cause.CANNOT_SHOW:
                return Failed(_UNDECIDED[cause])
            case Cause.CLI_GONE:
                return Silence()
        assert_never(cause)

"""What the page shows of reviews: the queue, what a person made of each so far, the history."""

from __future__ import annotations

import hashlib
import logging
import time
from collections import Counter, deque
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from anyide.editor.language import language_id
from anyide.editor.model import Accepted, Cause, Proposal, Rejected, Verdict, Withdrawn
from anyide.errors import StateError
from anyide.state.review import MAX_DECISIONS, Decision
from anyide.state.store import State
from anyide.web.keeping import keeping
from anyide.web.messages import Review, ReviewDraft, ReviewEnded, ReviewSummary

By = Literal["editor", "terminal", "replaced", "gone"]

_ENDED_KEPT = 200
_BY: dict[Cause, By] = {Cause.CLOSED_BY_CLI: "terminal", Cause.REPLACED: "replaced"}
_WORDS = {
    "accepted": "it was accepted already",
    "rejected": "it was rejected already",
    "terminal": "it was decided in the terminal",
    "replaced": "Claude proposed another change in its place",
    "gone": "its session is gone",
}

log = logging.getLogger(__name__)


class Shelf:
    """Reviews as the pages know them; who decides them is the editor's inbox."""

    def __init__(self, state: State | None, folders: Sequence[str]) -> None:
        self._state = state
        self._folders = [Path(folder) for folder in folders]
        self._summaries: dict[str, ReviewSummary] = {}
        self._drafts: dict[str, ReviewDraft] = {}
        self._ends: dict[str, str] = {}
        self._decisions: deque[Decision] = deque(maxlen=MAX_DECISIONS)

    def opened(self, proposal: Proposal) -> ReviewSummary:
        """Take a new review in."""
        added, removed = _counted(proposal.old_text or "", proposal.new_text)
        summary = self._summaries[proposal.id] = ReviewSummary(
            id=proposal.id,
            session=proposal.session,
            path=proposal.path,
            new_path=proposal.new_path,
            tab_name=proposal.tab_name,
            is_new=proposal.old_text is None,
            is_unsaved=proposal.is_unsaved,
            created_at=time.time(),
            added=added,
            removed=removed,
        )
        return summary

    @property
    def summaries(self) -> tuple[ReviewSummary, ...]:
        """The pending reviews, the oldest first."""
        return tuple(self._summaries.values())

    def review(self, proposal: Proposal) -> Review:
        """A review with its texts and what was made of it so far."""
        return Review(
            id=proposal.id,
            session=proposal.session,
            path=proposal.path,
            new_path=proposal.new_path,
            tab_name=proposal.tab_name,
            old_text=proposal.old_text,
            new_text=proposal.new_text,
            is_unsaved=proposal.is_unsaved,
            created_at=self._summaries[proposal.id].created_at,
            language_id=language_id(proposal.new_path),
            draft=self._draft(proposal),
        )

    def keep_draft(self, proposal: Proposal, draft: ReviewDraft) -> None:
        """Keep what a person made of a proposal, also for when it is proposed again."""
        self._drafts[proposal.id] = draft
        if self._state is not None:
            with keeping("a review"):
                kept = msgspec.json.encode(draft).decode()
                self._state.review_drafts.keep(_fingerprint(proposal), kept)

    def _draft(self, proposal: Proposal) -> ReviewDraft | None:
        if proposal.id not in self._drafts and self._state is not None:
            with keeping("a review"):
                kept = self._state.review_drafts.find(_fingerprint(proposal))
                if kept is not None:
                    self._drafts[proposal.id] = msgspec.json.decode(kept, type=ReviewDraft)
        return self._drafts.get(proposal.id)

    def ended(self, proposal: Proposal, verdict: Verdict) -> ReviewEnded:
        """Put a review away and remember how it ended."""
        self._summaries.pop(proposal.id, None)
        self._drafts.pop(proposal.id, None)
        end = _end(proposal, verdict)
        self._ends[proposal.id] = _WORDS[end.verdict if end.by == "editor" else end.by]
        while len(self._ends) > _ENDED_KEPT:
            del self._ends[next(iter(self._ends))]
        self._remember(_decision(proposal, verdict, end), _fingerprint(proposal))
        return end

    def _remember(self, decision: Decision, fingerprint: str) -> None:
        if self._state is None:
            self._decisions.appendleft(decision)
            return
        with keeping("a review"):
            self._state.decisions.add(self._folders, decision)
            if decision.verdict != "withdrawn":
                self._state.review_drafts.drop(fingerprint)

    def how_it_ended(self, review: str) -> str:
        """Why a review that is asked for is not there."""
        return self._ends.get(review, "there is no such review")

    def history(self, limit: int) -> list[Decision]:
        """The latest decisions, the last first."""
        limit = max(0, min(limit, MAX_DECISIONS))
        if self._state is None:
            return list(self._decisions)[:limit]
        try:
            return self._state.decisions.of(self._folders, limit)
        except StateError as error:
            log.warning("the history cannot be read: %s", error)
            return []


def _end(proposal: Proposal, verdict: Verdict) -> ReviewEnded:
    match verdict:
        case Accepted():
            return ReviewEnded(proposal.id, proposal.path, "accepted", "editor")
        case Rejected():
            return ReviewEnded(proposal.id, proposal.path, "rejected", "editor")
        case Withdrawn(cause=cause):
            by = _BY.get(cause, "gone")
            return ReviewEnded(proposal.id, proposal.path, "withdrawn", by, cause.value)


def _decision(proposal: Proposal, verdict: Verdict, end: ReviewEnded) -> Decision:
    return Decision(
        id=proposal.id,
        path=proposal.path,
        session=proposal.session,
        verdict=end.verdict,
        at=time.time(),
        old_text=proposal.old_text,
        proposed_text=proposal.new_text,
        final_text=verdict.text if isinstance(verdict, Accepted) else None,
        cause=end.cause,
        reason=verdict.reason if isinstance(verdict, Rejected) else "",
    )


def _counted(old: str, new: str) -> tuple[int, int]:
    """About how many lines come and go; lines that only moved do not count."""
    before, after = Counter(old.splitlines()), Counter(new.splitlines())
    return (after - before).total(), (before - after).total()


def _fingerprint(proposal: Proposal) -> str:
    parts = (proposal.path, proposal.new_path, proposal.old_text, proposal.new_text)
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()

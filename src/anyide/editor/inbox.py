"""The reviews that an editor shows and that code, or a page, answers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from anyide.editor.model import Accepted, Cause, Rejected, Withdrawn
from anyide.errors import EditorError, EditorGone

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyide.editor.model import Proposal, Verdict

VERDICTS_KEPT = 32  # of ended reviews; each may hold a whole text


class Inbox:
    """Proposals waiting for a person; each is answered once and then gone."""

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[Proposal, Callable[[Verdict], None]]] = {}
        self._unseen: dict[str, Proposal] = {}
        self._verdicts: dict[str, Verdict] = {}
        self._changed = asyncio.Event()
        self._is_closed = False

    @property
    def pending(self) -> tuple[Proposal, ...]:
        """The proposals that nobody decided yet, oldest first."""
        return tuple(proposal for proposal, _ in self._waiting.values())

    def show(self, proposal: Proposal, answer: Callable[[Verdict], None]) -> None:
        """Take a proposal in; raises EditorGone after `close`, EditorError for an id twice."""
        if self._is_closed:
            raise EditorGone("the editor was closed")
        if proposal.id in self._waiting:
            raise EditorError(f"the review {proposal.id!r} is shown already")
        self._waiting[proposal.id] = (proposal, answer)
        self._unseen[proposal.id] = proposal
        self._changed.set()

    def dismiss(self, proposal_id: str, verdict: Verdict) -> None:
        """Forget a review that ended; `verdict` may be asked for with `ended`."""
        self._take(proposal_id)
        self._verdicts[proposal_id] = verdict
        while len(self._verdicts) > VERDICTS_KEPT:
            del self._verdicts[next(iter(self._verdicts))]
        self._changed.set()

    def accept(self, proposal_id: str, text: str | None = None) -> None:
        """Accept a change as it was proposed or, with `text`, as it was edited."""
        proposal, answer = self._take_pending(proposal_id)
        answer(Accepted(proposal.new_text if text is None else text))

    def reject(self, proposal_id: str, reason: str = "") -> None:
        """Refuse a change."""
        _, answer = self._take_pending(proposal_id)
        answer(Rejected(reason))

    def close(self) -> None:
        """Leave: what is pending is withdrawn undecided, nothing more can be shown."""
        self._is_closed = True
        for proposal in self.pending:
            taken = self._take(proposal.id)
            if taken is not None:  # an answer may end other reviews
                taken[1](Withdrawn(Cause.EDITOR_GONE))
        self._changed.set()

    async def next_proposal(self) -> Proposal:
        """Wait for a pending proposal that this method did not give before.

        Raises EditorGone once the inbox is closed.
        """
        while not self._unseen:
            if self._is_closed:
                raise EditorGone("the editor was closed")
            await self._wait_for_change()
        return self._unseen.pop(next(iter(self._unseen)))

    async def ended(self, proposal_id: str) -> Verdict:
        """Wait until a review was dismissed and tell how it ended (the latest 32 are known)."""
        while proposal_id not in self._verdicts:
            await self._wait_for_change()
        return self._verdicts[proposal_id]

    async def _wait_for_change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    def _take_pending(self, proposal_id: str) -> tuple[Proposal, Callable[[Verdict], None]]:
        taken = self._take(proposal_id)
        if taken is None:
            raise EditorError(f"no review {proposal_id!r} is pending: it was decided or withdrawn")
        return taken

    def _take(self, proposal_id: str) -> tuple[Proposal, Callable[[Verdict], None]] | None:
        self._unseen.pop(proposal_id, None)
        return self._waiting.pop(proposal_id, None)

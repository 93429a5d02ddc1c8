"""The pending reviews of one session. What a review's end means is decided in `editor.review`.

Each session has its own: another CLI's `closeAllDiffTabs` cannot touch them.
"""

from __future__ import annotations

import asyncio
import logging

from anyide.editor.model import Cause, Proposal, Verdict, Withdrawn
from anyide.editor.review import Answer, Review
from anyide.editor.seam import Editor
from anyide.errors import EditorError, EditorGone

log = logging.getLogger(__name__)


class Reviews:
    """Proposals of one session that wait for a person, by tab name."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._pending: dict[str, _Pending] = {}
        self._farewells: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._pending)

    async def propose(self, proposal: Proposal) -> Answer:
        """Show a change and wait for its end; the same tab name again replaces the older one."""
        self.close(proposal.tab_name, Cause.REPLACED)
        pending = self._pending[proposal.tab_name] = _Pending(proposal)
        verdict: Verdict = Withdrawn(Cause.CANNOT_SHOW)
        try:
            verdict = await self._decide(pending)
        except asyncio.CancelledError:
            verdict = Withdrawn(Cause.CLI_GONE)
            raise
        finally:
            self._forget(pending)
            answer = pending.review.answer(verdict)
            self._dismiss(pending.review)
        return answer

    def close(self, tab_name: str, cause: Cause = Cause.CLOSED_BY_CLI) -> bool:
        """Withdraw the review under a tab name; False when there is none."""
        pending = self._pending.get(tab_name)
        if pending is None:
            return False
        self._forget(pending)
        pending.end(Withdrawn(cause))
        return True

    def close_all(self, cause: Cause = Cause.CLOSED_BY_CLI) -> int:
        """Withdraw every review of this session; tell how many there were."""
        return sum([self.close(tab_name, cause) for tab_name in list(self._pending)])

    async def _decide(self, pending: _Pending) -> Verdict:
        try:
            await self._editor.show(pending.review.proposal, pending.end)
        except EditorGone:
            return Withdrawn(Cause.EDITOR_GONE)
        except EditorError as error:
            log.warning("a change cannot be shown: %s", error)
            return Withdrawn(Cause.CANNOT_SHOW)
        return await pending.verdict

    def _forget(self, pending: _Pending) -> None:
        tab_name = pending.review.proposal.tab_name
        if self._pending.get(tab_name) is pending:  # else replaced by a newer one
            del self._pending[tab_name]

    def _dismiss(self, review: Review) -> None:
        # In a task of its own: the CLI's answer must not wait for a view to close.
        assert review.verdict is not None
        task = asyncio.get_running_loop().create_task(
            self._say_farewell(review.proposal.id, review.verdict)
        )
        self._farewells.add(task)
        task.add_done_callback(self._farewells.discard)

    async def _say_farewell(self, proposal_id: str, verdict: Verdict) -> None:
        try:
            await self._editor.dismiss(proposal_id, verdict)
        except EditorError as error:
            log.warning("the view of a review cannot be closed: %s", error)


class _Pending:
    """A review and the future that its verdict is awaited by; the first verdict stands."""

    def __init__(self, proposal: Proposal) -> None:
        self.review = Review(proposal)
        self.verdict: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()

    def end(self, verdict: Verdict) -> None:
        if self.review.end(verdict) and not self.verdict.done():
            self.verdict.set_result(verdict)

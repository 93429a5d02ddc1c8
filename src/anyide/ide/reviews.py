"""The pending reviews of one session. What a review's end means is decided in `editor.review`.

Each session has its own: another CLI's `closeAllDiffTabs` cannot touch them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable

from anyide.editor.model import Cause, Proposal, Verdict, Withdrawn
from anyide.editor.review import Answer, Review
from anyide.editor.seam import Editor
from anyide.errors import EditorError, EditorGone

log = logging.getLogger(__name__)


class Reviews:
    """Proposals of one session that wait for a person, by tab name."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._pending: dict[str, asyncio.Future[Verdict]] = {}
        self._farewells: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._pending)

    async def propose(self, tab_name: str, making: Awaitable[Proposal]) -> Answer:
        """Show a change and wait for its end; the same tab name again replaces the older one.

        It is pending from the first moment: to make the proposal takes a look at the disk, and the
        CLI may close the tab meanwhile.
        """
        self.close(tab_name, Cause.REPLACED)
        ended: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        self._pending[tab_name] = ended
        try:
            return await self._review(Review(await making), ended)
        finally:
            if self._pending.get(tab_name) is ended:  # else replaced by a newer one
                del self._pending[tab_name]

    def close(self, tab_name: str, cause: Cause = Cause.CLOSED_BY_CLI) -> bool:
        """Withdraw the review under a tab name; False when there is none."""
        ended = self._pending.pop(tab_name, None)
        if ended is None:
            return False
        _end(ended, Withdrawn(cause))
        return True

    def close_all(self, cause: Cause = Cause.CLOSED_BY_CLI) -> int:
        """Withdraw every review of this session; tell how many there were."""
        return sum([self.close(tab_name, cause) for tab_name in list(self._pending)])

    async def dismissed(self, timeout: float) -> None:
        """Wait until the views of ended reviews are closed, but not for ever."""
        if self._farewells:
            await asyncio.wait(self._farewells, timeout=timeout)

    async def _review(self, review: Review, ended: asyncio.Future[Verdict]) -> Answer:
        if ended.done():
            return review.answer(ended.result())
        verdict: Verdict = Withdrawn(Cause.CANNOT_SHOW)
        try:
            verdict = await self._decide(review, ended)
        except asyncio.CancelledError:
            verdict = Withdrawn(Cause.CLI_GONE)
            raise
        finally:
            answer = review.answer(verdict)
            self._dismiss(review.proposal, verdict)
        return answer

    async def _decide(self, review: Review, ended: asyncio.Future[Verdict]) -> Verdict:
        try:
            await self._editor.show(review.proposal, lambda verdict: _end(ended, verdict))
        except EditorGone:
            return Withdrawn(Cause.EDITOR_GONE)
        except EditorError as error:
            log.warning("a change cannot be shown: %s", error)
            return Withdrawn(Cause.CANNOT_SHOW)
        return await ended

    def _dismiss(self, proposal: Proposal, verdict: Verdict) -> None:
        # In a task of its own: the CLI's answer must not wait for a view to close.
        task = asyncio.get_running_loop().create_task(self._say_farewell(proposal.id, verdict))
        self._farewells.add(task)
        task.add_done_callback(self._farewells.discard)

    async def _say_farewell(self, proposal_id: str, verdict: Verdict) -> None:
        try:
            await self._editor.dismiss(proposal_id, verdict)
        except EditorError as error:
            log.warning("the view of a review cannot be closed: %s", error)


def _end(ended: asyncio.Future[Verdict], verdict: Verdict) -> None:
    """The first verdict stands, whatever comes later."""
    if not ended.done():
        ended.set_result(verdict)

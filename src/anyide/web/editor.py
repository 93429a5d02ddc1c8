"""The browser editor as the protocol sees it: the documents of `documents.py`, and reviews."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from anyide.editor.model import Accepted, Proposal, Verdict
from anyide.errors import EditorError
from anyide.state.store import State
from anyide.web.documents import Documents
from anyide.web.messages import ReviewOpened
from anyide.web.pages import Pages
from anyide.web.review import Shelf

if TYPE_CHECKING:
    from anyide.editor.memory import Executor, Formatter

ACCEPTED_KEPT = 20


class BrowserEditor(Documents):
    """An `Editor` for people with a browser.

    `on_unwatched` is called with a proposal that nobody can see because no page is open,
    `on_reviews` whenever a review comes or goes.
    """

    def __init__(
        self,
        folders: Sequence[str],
        *,
        pages: Pages | None = None,
        state: State | None = None,
        formatter: Formatter | None = None,
        executor: Executor | None = None,
    ) -> None:
        super().__init__(folders, pages=pages, state=state, formatter=formatter, executor=executor)
        self.reviews = Shelf(state, self.folders)
        self.on_unwatched: Callable[[Proposal], None] = lambda _: None
        self.on_reviews: Callable[[], None] = lambda: None
        self._shown: dict[str, Proposal] = {}

    async def show(self, proposal: Proposal, answer: Callable[[Verdict], None]) -> None:
        """Put a proposal into every page's queue; no focus moves."""
        await super().show(proposal, answer)
        summary = self.reviews.opened(proposal)
        self._shown[proposal.id] = proposal
        self.pages.tell("reviewOpened", ReviewOpened(summary))
        self.on_reviews()
        if not len(self.pages):
            self.on_unwatched(proposal)

    async def dismiss(self, proposal_id: str, verdict: Verdict) -> None:
        """Take a review out of every page's queue and keep how it ended."""
        await super().dismiss(proposal_id, verdict)
        proposal = self._shown.pop(proposal_id, None)
        if proposal is None:
            return
        if isinstance(verdict, Accepted):
            self._accepted[self._absolute(proposal.path)] = (proposal.old_text, verdict.text)
            while len(self._accepted) > ACCEPTED_KEPT:
                del self._accepted[next(iter(self._accepted))]
        self.pages.tell("reviewEnded", self.reviews.ended(proposal, verdict))
        self.on_reviews()

    def proposal(self, review: str) -> Proposal:
        """A pending proposal; raises EditorError that says how it ended."""
        for pending in self.pending:
            if pending.id == review:
                return pending
        raise EditorError(f"This change is not pending: {self.reviews.how_it_ended(review)}.")

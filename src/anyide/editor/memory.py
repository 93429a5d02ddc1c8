"""A complete editor without a window: real files, documents and tabs in memory, reviews by code.

The double of every test, and the start of an editor of one's own. What a person would do (edit,
select, mention, accept) are plain methods; what the protocol asks is the `Editor` seam.
`desk.py` keeps the documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyide.editor.desk import Desk
from anyide.editor.inbox import Inbox
from anyide.editor.model import Ability, FileDiagnostics, Mention
from anyide.errors import EditorError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from anyide.editor.file import Disk
    from anyide.editor.model import Diagnostic, Document, Output, Proposal, Verdict

    Formatter = Callable[[Document], Awaitable[str]]
    Executor = Callable[[str], Awaitable[Sequence[Output]]]


class MemoryEditor(Desk):
    """An `Editor` in this process, complete.

    `formatter` gives the formatted text of a document, `executor` what a piece of code puts out;
    without one the editor does not have that ability. Without `reviews` nobody is there to decide
    on changes, and the CLI is left to ask in its terminal.
    """

    def __init__(
        self,
        folders: Sequence[str] = (),
        *,
        formatter: Formatter | None = None,
        executor: Executor | None = None,
        reviews: bool = True,
        disk: Disk | None = None,
    ) -> None:
        super().__init__(folders, disk)
        self._formatter = formatter
        self._executor = executor
        given = {
            Ability.FORMAT: formatter is not None,
            Ability.EXECUTE: executor is not None,
            Ability.REVIEW: reviews,
        }
        self._abilities = frozenset(each for each in Ability if given.get(each, True))
        self._inbox = Inbox()
        self._diagnostics: dict[str, FileDiagnostics] = {}

    @property
    def abilities(self) -> frozenset[Ability]:
        """Everything, except what was not given."""
        return self._abilities

    # Mentions and diagnostics

    def mention(self, mention: Mention, *, session: str | None = None) -> None:
        """Mention a file, or lines of it, to one session or to all."""
        path = self._absolute(mention.path)
        self._listeners.mentioned(Mention(path, mention.line_start, mention.line_end), session)

    def set_diagnostics(self, path: str, diagnostics: Sequence[Diagnostic]) -> None:
        """Say what is wrong with a file now, perhaps nothing."""
        changed = FileDiagnostics(self._absolute(path), tuple(diagnostics))
        self._diagnostics.pop(changed.path, None)
        if changed.diagnostics:
            self._diagnostics[changed.path] = changed
        self._listeners.diagnostics_changed(changed)

    async def diagnostics(self, path: str | None) -> Sequence[FileDiagnostics]:
        """Give the findings about one file or about all; nothing for a file without any."""
        if path is None:
            return tuple(self._diagnostics.values())
        found = self._diagnostics.get(self._absolute(path))
        return (found,) if found else ()

    # Formatting and running code

    async def format(self, path: str) -> bool:
        """Format a file, False when there is none; unsaved changes stay unsaved, else it is saved.

        Raises EditorError without a formatter, or when the text changed while it was formatted.
        """
        if self._formatter is None:
            raise EditorError("this editor cannot format files")
        path = self._absolute(path)
        if self._row.find(path) is None and self._disk.state(path) is None:
            return False
        buffer = await self._load(path)
        before = buffer.snapshot()
        text = await self._formatter(before)
        if buffer.text != before.text:
            raise EditorError(f"{path} was edited while it was formatted")
        buffer.edit(text)
        self._text_changed(buffer)
        if not before.is_dirty and not before.is_untitled:
            await self._write(buffer, overwrite=False)
        return True

    async def execute(self, code: str) -> Sequence[Output]:
        """Run code with the executor; raises EditorError without one."""
        if self._executor is None:
            raise EditorError("this editor cannot execute code")
        return await self._executor(code)

    # Reviews

    async def show(self, proposal: Proposal, answer: Callable[[Verdict], None]) -> None:
        """Make a proposal pending; raises EditorGone after `close`."""
        self._inbox.show(proposal, answer)

    async def dismiss(self, proposal_id: str, verdict: Verdict) -> None:
        """Drop a review that ended; `ended` tells how."""
        self._inbox.dismiss(proposal_id, verdict)

    @property
    def pending(self) -> tuple[Proposal, ...]:
        """The proposals that nobody decided yet, oldest first."""
        return self._inbox.pending

    def accept(self, proposal_id: str, text: str | None = None) -> None:
        """Accept a change as proposed or, with `text`, as edited; EditorError if not pending."""
        self._inbox.accept(proposal_id, text)

    def reject(self, proposal_id: str, reason: str = "") -> None:
        """Refuse a change; EditorError if it is not pending."""
        self._inbox.reject(proposal_id, reason)

    async def next_proposal(self) -> Proposal:
        """Wait for a pending proposal not given before; raises EditorGone after `close`."""
        return await self._inbox.next_proposal()

    async def ended(self, proposal_id: str) -> Verdict:
        """Wait until a review was dismissed and tell how it ended."""
        return await self._inbox.ended(proposal_id)

    def close(self) -> None:
        """Go away: every pending review is withdrawn undecided."""
        self._inbox.close()

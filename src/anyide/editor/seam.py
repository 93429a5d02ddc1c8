"""The seam between the protocol and an editor: what the tools need of one, and no more.

Any method may raise `EditorError`, or `EditorGone` when the editor is no longer there. A method
behind an ability that `abilities` does not name is not called, and raises `EditorError` if it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from anyide.editor.model import (
        Ability,
        Document,
        FileDiagnostics,
        Mention,
        Output,
        Proposal,
        Selection,
        Tab,
        TextSearch,
        Verdict,
    )


class Listener(Protocol):
    """Who wants to know what happens in an editor; called in the editor's event loop."""

    def selection_changed(self, selection: Selection) -> None:
        """The selection of the active editor is another one now."""

    def mentioned(self, mention: Mention, session: str | None) -> None:
        """A person wants to talk about a file, with one session or, for None, with all."""

    def diagnostics_changed(self, changed: FileDiagnostics) -> None:
        """The findings about one file are others now, perhaps none."""


class Editor(Protocol):
    """An editor, whatever it looks like."""

    @property
    def abilities(self) -> frozenset[Ability]:
        """What this editor can do."""

    async def open_file(
        self, path: str, *, preview: bool, focus: bool, select: TextSearch | None
    ) -> Document:
        """Open a file in a tab; a text that is not found is no error, nothing is selected then.

        Raises EditorError when the file cannot be opened.
        """

    async def close_file(self, path: str) -> bool:
        """Close a document, False when it is not open.

        Raises EditorError when unsaved text would be lost; the document stays open then.
        """

    async def document(self, path: str) -> Document | None:
        """Give an open document as it is now, None when it is not open."""

    async def tabs(self) -> Sequence[Tab]:
        """Give the open documents in the order of their tabs."""

    async def selection(self) -> Selection | None:
        """Give the selection of the active editor, a bare cursor included; None: no active one."""

    async def latest_selection(self) -> Selection | None:
        """Give the selection last made anywhere, even if its editor is not active any more."""

    async def diagnostics(self, path: str | None) -> Sequence[FileDiagnostics]:
        """Give what is known about one file or, for None, about every file that has findings."""

    async def save(self, path: str) -> bool:
        """Save a document, False when it is not open.

        Raises EditorError when it cannot be written.
        """

    async def format(self, path: str) -> bool:
        """Format a file, open or not; False when there is no such file."""

    async def execute(self, code: str) -> Sequence[Output]:
        """Run code in the notebook kernel and give what it put out."""

    async def show(self, proposal: Proposal, answer: Callable[[Verdict], None]) -> None:
        """Show a proposed change and return; `answer` is called once, when a person decided.

        It is called with Withdrawn(EDITOR_GONE) if the editor goes away first. Raises EditorError
        when the change cannot be shown; `answer` is not called then.
        """

    async def dismiss(self, proposal_id: str, verdict: Verdict) -> None:
        """Close the view of a review that ended, in whatever way, and tell the person why.

        An id that is not, or no longer, shown is no error.
        """

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Tell a listener from now on what happens; the returned function ends that."""

"""What the calls of a page work with: the editor, the IDE server, the files, who listens."""

from __future__ import annotations

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from anyide import __version__
from anyide.editor.model import FileDiagnostics, Mention, Selection
from anyide.errors import EditorError
from anyide.ide.server import IdeServer
from anyide.web.editor import BrowserEditor
from anyide.web.find import find
from anyide.web.messages import (
    Claude,
    Entries,
    MentionLines,
    OfferedDraft,
    Paths,
    Problem,
    Session,
    Sessions,
    Sharing,
    TreeChanged,
    Welcome,
)
from anyide.web.tree import Tree

MAX_FOUND = 200
_UNTITLED = "untitled:"


class Context:
    """One editor and one IDE server as the pages see them; a `Listener` of the editor."""

    def __init__(self, editor: BrowserEditor, ide: IdeServer, claude: Claude) -> None:
        self.editor = editor
        self.ide = ide
        self.claude = claude
        # A pause denies everything; a lock on a file is to tell what stays denied.
        self._rules = ide.policy.pause(paused=False)
        self.tree = Tree(editor.workspace, self.is_denied)
        editor.is_denied = self.is_denied
        editor.on_reviews = self.tell_sessions
        self._selection: Selection | None = None
        self._told: Sharing | None = None
        self._files: dict[str, str] | None = None
        self._unsubscribe: Callable[[], None] | None = None

    def start(self) -> None:
        """Listen to the editor."""
        self._unsubscribe = self.editor.subscribe(self)

    def stop(self) -> None:
        """Listen no more."""
        if self._unsubscribe is not None:
            self._unsubscribe()

    # What is shared.

    def is_denied(self, path: str) -> bool:
        """Whether a file is never shared."""
        if path.startswith(_UNTITLED):
            return False
        return not self._rules.allows(path, os.path.realpath(path))

    def sharing(self) -> Sharing:
        """What is being shared right now."""
        paused = self.ide.policy.paused
        selection = self._selection
        if selection is None:
            return Sharing(paused=paused)
        is_denied = self.is_denied(selection.path)
        lines = 0 if selection.is_empty else _line_count(selection)
        return Sharing(paused, selection.path, lines, is_denied)

    def pause(self, *, paused: bool) -> Sharing:
        """Share nothing from now on, or share again."""
        self.ide.pause(paused=paused)
        self._tell_sharing()
        return self.sharing()

    def _tell_sharing(self) -> None:
        sharing = self.sharing()
        if sharing != self._told:
            self._told = sharing
            self.editor.pages.tell("sharing", sharing)

    def mention(self, asked: MentionLines) -> None:
        """Put a file into a prompt; raises EditorError when it is not shared or nobody is there."""
        path = self.editor.workspace.absolute(asked.path)
        if self.ide.policy.paused:
            raise EditorError("Sharing is paused, so the file was not mentioned.")
        if self.is_denied(path):
            raise EditorError(f"{Path(path).name} is not shared, so it was not mentioned.")
        if not self.ide.sessions:
            raise EditorError("No Claude Code session is connected.")
        mention = Mention(path, asked.line_start, asked.line_end)
        self.editor.mention(mention, session=asked.session)

    # As a listener of the editor.

    def selection_changed(self, selection: Selection) -> None:
        """The selection is another one now."""
        self._selection = selection
        self._tell_sharing()

    def mentioned(self, mention: Mention, session: str | None) -> None:
        """Nothing to show: the page that mentioned it knows."""

    def diagnostics_changed(self, changed: FileDiagnostics) -> None:
        """The findings about a file are others now."""
        self.editor.pages.tell("problems", Problem(changed.path, changed.diagnostics))

    # Who is connected.

    def sessions(self) -> Sessions:
        """The connected CLIs."""
        waiting = Counter(review.session for review in self.editor.reviews.summaries)
        return Sessions(
            tuple(
                Session(
                    id=session.info.id,
                    folder=session.info.folders[0] if session.info.folders else "",
                    version=session.info.version,
                    pid=session.info.pid,
                    is_silent=session.info.is_silent,
                    pending=waiting[session.info.id],
                    client=session.info.client,
                )
                for session in self.ide.sessions_open
                if session.info.client
            )
        )

    def tell_sessions(self) -> None:
        """Tell the pages who is connected."""
        self.editor.pages.tell("sessions", self.sessions())

    # Files.

    async def entries(self, path: str) -> Entries:
        """What is in a folder."""
        return await asyncio.to_thread(self.tree.entries, path)

    async def find(self, query: str, limit: int) -> Paths:
        """Files by the letters of their path."""
        files = self._files
        if files is None:
            files = self._files = await asyncio.to_thread(self._list_files)
        limit = max(0, min(limit, MAX_FOUND))
        found = await asyncio.to_thread(find, query, files, limit)
        return Paths(tuple(files[name] for name in found))

    def _list_files(self) -> dict[str, str]:
        """The files by the names that people know: from their folder, named if there are some."""
        folders = self.editor.workspace.folders
        if len(folders) == 1:
            return {path[len(folders[0]) + 1 :]: path for path in self.tree.files()}
        by_name: dict[str, str] = {}
        for path in self.tree.files():
            folder = next(each for each in folders if Path(path).is_relative_to(each))
            name = path[len(str(Path(folder).parent)) :].lstrip("/\\")
            by_name[path if by_name.get(name, path) != path else name] = path
        return by_name

    def files_changed(self, folders: set[str]) -> None:
        """Files came or went in these folders."""
        self._files = None
        self.editor.pages.tell("treeChanged", TreeChanged(tuple(sorted(folders))))

    # The beginning.

    async def welcome(self) -> Welcome:
        """Everything a page needs to begin."""
        editor = self.editor
        problems = [Problem(each.path, each.diagnostics) for each in await editor.diagnostics(None)]
        tabs = editor.page_tabs()
        return Welcome(
            version=__version__,
            folders=editor.workspace.folders,
            name=self.ide.name,
            platform=sys.platform,
            claude=self.claude,
            sharing=self.sharing(),
            sessions=self.sessions().sessions,
            tabs=tabs.tabs,
            active=tabs.active,
            reviews=editor.reviews.summaries,
            problems=tuple(problems),
            drafts=tuple(
                OfferedDraft(draft.path, draft.kept_at, draft.path.startswith(_UNTITLED))
                for draft in editor.drafts.offered
            ),
        )


def _line_count(selection: Selection) -> int:
    start, end = selection.range.start, selection.range.end
    return end.line - start.line + (1 if end.character or end.line == start.line else 0)

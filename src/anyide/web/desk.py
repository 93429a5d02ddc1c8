"""Documents on the files of the workspace alone, and what the pages are told of them.

The server holds every text, a page is a view. A text follows its file; where both changed, the file
is "astray" and saving asks first. What pages ask for is in `documents.py`.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from anyide.editor.buffer import Buffer
from anyide.editor.memory import MemoryEditor
from anyide.editor.model import Document, TextSearch
from anyide.state.draft import Draft
from anyide.state.store import State
from anyide.web.draft import Drafts
from anyide.web.messages import DiskChanged, DocumentState, PageDocument, Reloaded, Reveal, Tabs
from anyide.web.pages import Pages
from anyide.web.view import page_document, page_tab, span_of
from anyide.web.workspace import Workspace

if TYPE_CHECKING:
    from anyide.editor.memory import Executor, Formatter

CURSOR_RESTS = 0.3
CLOSED_KEPT = 20
UNTITLED = "untitled:"


class PageDesk(MemoryEditor):
    """Open documents with any number of pages on them; `is_denied` tells which are not shared."""

    def __init__(
        self,
        folders: Sequence[str],
        *,
        pages: Pages | None = None,
        state: State | None = None,
        formatter: Formatter | None = None,
        executor: Executor | None = None,
    ) -> None:
        self.workspace = Workspace(folders)
        super().__init__(
            self.workspace.folders, formatter=formatter, executor=executor, disk=self.workspace
        )
        self.pages = pages or Pages()
        self.drafts = Drafts(state, self.folders, self._draft)
        self.is_denied: Callable[[str], bool] = lambda _: False
        self._astray: set[str] = set()  # its file is another one than the text was typed over
        self._baseless: set[str] = set()  # a draft, and what it was typed over is not known
        self._accepted: dict[str, tuple[str | None, str]] = {}
        self._closed: deque[tuple[str, str | None]] = deque(maxlen=CLOSED_KEPT)
        self._told_tabs: Tabs | None = None
        self._tabs_due = False
        self._cursor_due: asyncio.TimerHandle | None = None

    async def open_file(
        self, path: str, *, preview: bool, focus: bool, select: TextSearch | None
    ) -> Document:
        """Open a file of the workspace and show it, and the place in it, in every page."""
        buffer = await self._open(path, preview=preview, focus=focus, select=select)
        if focus or select is not None:
            span = span_of(buffer)
            self.pages.tell("reveal", Reveal(buffer.path, span.start, span.end, focus=focus))
        return buffer.snapshot()

    async def _open(
        self, path: str, *, preview: bool, focus: bool, select: TextSearch | None = None
    ) -> Buffer:
        document = await super().open_file(path, preview=preview, focus=focus, select=select)
        return self._row.get(document.path)

    async def document(self, path: str) -> Document | None:
        """Give an open document; what is no text has none."""
        document = await super().document(path)
        is_text = document is None or self.workspace.kind(document.path) == "text"
        return document if is_text else None

    def new_document(self, text: str = "") -> Document:
        """Open an untitled document in front."""
        document = super().new_document(text)
        self._row.get(document.path).version = first_version()
        return document

    def close(self) -> None:
        """Go away: pending reviews are withdrawn undecided, unsaved text is kept."""
        self.drafts.flush()
        super().close()

    # The disk.

    async def look_at_disk(self, path: str) -> None:
        """Follow a file that changed, or tell that it is in the way of unsaved text."""
        buffer = self._row.find(path)
        if buffer is None or buffer.is_untitled:
            return
        found = self.workspace.state(buffer.path)
        if found == buffer.on_disk:
            self._astray.discard(buffer.path)
        elif found is None:
            self._tell_astray(buffer, deleted=True)
        elif not buffer.is_dirty:
            await self._follow_disk(buffer)
            self._astray.discard(buffer.path)
        else:
            await self._compare_with_disk(buffer)

    async def _compare_with_disk(self, buffer: Buffer) -> None:
        known = buffer.on_disk
        read, on_disk = await asyncio.to_thread(self.workspace.read, buffer.path)
        if buffer.on_disk is not known:
            return  # saved or reloaded meanwhile
        is_accepted = self._accepted.get(buffer.path) == (buffer.text, read.text)
        is_touched = read.text == buffer.saved.text and buffer.path not in self._baseless
        if is_touched or is_accepted or read.text == buffer.text:
            # Touched only, or saved elsewhere, or what was accepted on top of our unsaved text.
            buffer.was_saved(read, on_disk)
            self._settle(buffer)
            if is_accepted:
                buffer.edit(read.text)
                self._text_changed(buffer)
            self._tell_state(buffer)
        else:
            self._tell_astray(buffer, deleted=False)

    def _tell_astray(self, buffer: Buffer, *, deleted: bool) -> None:
        if buffer.path not in self._astray:
            self._astray.add(buffer.path)
            self.pages.tell("diskChanged", DiskChanged(buffer.path, deleted=deleted))

    def _settle(self, buffer: Buffer) -> None:
        self._astray.discard(buffer.path)
        self._baseless.discard(buffer.path)

    async def _load(self, path: str) -> Buffer:
        known = self._row.find(path)
        buffer = await super()._load(path)
        if known is None and buffer.version == 1:
            buffer.version = first_version()
        return buffer

    async def _write(self, buffer: Buffer, *, overwrite: bool) -> None:
        await super()._write(buffer, overwrite=overwrite)
        self._settle(buffer)
        self.drafts.touch(buffer.path)
        self._tell_state(buffer)

    def _close(self, buffer: Buffer) -> None:
        self._closed.append((buffer.path, buffer.text if buffer.is_dirty else None))
        self._settle(buffer)
        super()._close(buffer)
        self.drafts.touch(buffer.path)

    def _text_changed(self, buffer: Buffer) -> None:
        super()._text_changed(buffer)
        self.pages.tell("reloaded", Reloaded(buffer.path, buffer.version, buffer.text))
        self.drafts.touch(buffer.path)

    def _absolute(self, path: str) -> str:
        return path if path.startswith(UNTITLED) else self.workspace.absolute(path)

    def _draft(self, path: str) -> Draft | None:
        buffer = self._row.find(path)
        if buffer is None or not buffer.is_dirty:
            return None
        base = None if buffer.on_disk is None else msgspec.json.encode(buffer.on_disk).decode()
        return Draft(path, buffer.text, base)

    # What the pages are told.

    def _tell_state(self, buffer: Buffer) -> None:
        self.pages.tell(
            "documentState",
            DocumentState(
                buffer.path,
                buffer.version,
                is_dirty=buffer.is_dirty,
                disk_changed=buffer.path in self._astray,
                is_read_only=self.workspace.is_read_only(buffer.path),
            ),
        )
        self._tell_tabs_soon()

    def _tell_selection(self) -> None:
        super()._tell_selection()
        self._tell_tabs_soon()

    def _tell_cursor_soon(self, work: Callable[[], None] | None = None) -> None:
        """Tell the cursor when it rests: to count the lines of a big text takes a while."""
        if self._cursor_due is not None:
            self._cursor_due.cancel()
        loop = asyncio.get_running_loop()
        self._cursor_due = loop.call_later(CURSOR_RESTS, work or self._tell_selection)

    def _tell_tabs_soon(self) -> None:
        if not self._tabs_due:
            self._tabs_due = True
            asyncio.get_running_loop().call_soon(self._tell_tabs)

    def _tell_tabs(self) -> None:
        self._tabs_due = False
        tabs = self.page_tabs()
        if tabs != self._told_tabs:
            self._told_tabs = tabs
            self.pages.tell("tabs", tabs)

    def page_tabs(self) -> Tabs:
        """The row of tabs as pages show it."""
        tabs = tuple(
            page_tab(tab, is_denied=self.is_denied(tab.path), kind=self.workspace.kind(tab.path))
            for tab in self._row.tabs()
        )
        active = self._row.active
        return Tabs(tabs, active.path if active else None)

    def _page_document(self, buffer: Buffer) -> PageDocument:
        return page_document(
            buffer,
            is_denied=self.is_denied(buffer.path),
            is_read_only=self.workspace.is_read_only(buffer.path),
            kind=self.workspace.kind(buffer.path),
            disk_changed=buffer.path in self._astray,
        )

    @property
    def open_paths(self) -> tuple[str, ...]:
        """The files that are open."""
        return tuple(tab.path for tab in self._row.tabs() if not tab.is_untitled)


def first_version() -> int:
    """A version that was never used for another text, not even by a server before this one."""
    # Microseconds: a text is opened again within a millisecond. A page's numbers go up to 2**53.
    return int(time.time() * 1_000_000)

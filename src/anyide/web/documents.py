"""The documents of the browser editor: the server holds every text, a page is a view.

They are those of `editor.desk`, on the files of the workspace alone. What happens to them is told
to all pages; what pages type is applied in the order of versions, never merged by guessing.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from anyide.editor.buffer import Buffer
from anyide.editor.file import DiskState
from anyide.editor.memory import MemoryEditor
from anyide.editor.model import Document, Range, TextSearch
from anyide.errors import EditorError, RpcError
from anyide.state import Draft, State
from anyide.web.change import apply
from anyide.web.draft import Drafts
from anyide.web.messages import (
    Changed,
    ChangeText,
    Closed,
    Conflict,
    DiskChanged,
    DocumentState,
    PageDocument,
    Reloaded,
    Reveal,
    Saved,
    Tabs,
)
from anyide.web.pages import Pages
from anyide.web.view import page_document, page_tab, span_of
from anyide.web.workspace import MAX_TEXT_BYTES, Workspace

if TYPE_CHECKING:
    from anyide.editor.memory import Executor, Formatter

OUTDATED = 4090
"""The code of the error for an edit of a version that is not the latest any more."""
BIG_TEXT = 1_000_000
"""Characters from which on a cursor is only looked at when it rests."""
CURSOR_RESTS = 0.3
CLOSED_KEPT = 20
_UNTITLED = "untitled:"


class Documents(MemoryEditor):
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

    # Documents, as the protocol asks for them.

    async def open_file(
        self, path: str, *, preview: bool, focus: bool, select: TextSearch | None
    ) -> Document:
        """Open a file of the workspace and show it, and the place in it, in every page."""
        document = await super().open_file(path, preview=preview, focus=focus, select=select)
        buffer = self._row.get(document.path)
        if focus or select is not None:
            span = span_of(buffer)
            self.pages.tell("reveal", Reveal(buffer.path, span.start, span.end, focus=focus))
        return document

    async def document(self, path: str) -> Document | None:
        """Give an open document; what is no text has none."""
        document = await super().document(path)
        is_text = document is None or self.workspace.kind(document.path) == "text"
        return document if is_text else None

    def close(self) -> None:
        """Go away: pending reviews are withdrawn undecided, unsaved text is kept."""
        self.drafts.flush()
        super().close()

    # Documents, as a page asks for them.

    async def open_in_page(self, path: str, *, preview: bool, focus: bool) -> PageDocument:
        """Open a file of the workspace, or give the document that is open."""
        if path.startswith(_UNTITLED):
            buffer = self._row.get(path)
            if focus:
                self.activate(path)
            return self._page_document(buffer)
        document = await super().open_file(path, preview=preview, focus=focus, select=None)
        return self._page_document(self._row.get(document.path))

    def new_document(self, text: str = "") -> Document:
        """Open an untitled document in front."""
        document = super().new_document(text)
        self._row.get(document.path).version = _first_version()
        return document

    def new_in_page(self, text: str = "") -> PageDocument:
        """Open an untitled document."""
        return self._page_document(self._row.get(self.new_document(text).path))

    def activate(self, path: str) -> None:
        """Bring a tab to the front."""
        self._row.activate(self._row.get(self._absolute(path)))
        self._tell_selection()

    def pin(self, path: str) -> None:
        """Make a preview a lasting tab."""
        self._row.get(self._absolute(path)).is_preview = False
        self._tell_tabs_soon()

    def change(self, asked: ChangeText, *, page: object = None) -> int:
        """Apply a page's edit and give the new version.

        Raises RpcError with the code OUTDATED when the text is of another version by now.
        """
        buffer = self._row.get(self._absolute(asked.path))
        if self.workspace.kind(buffer.path) != "text":
            raise EditorError(f"{buffer.path} is not a text")
        if asked.version != buffer.version:
            data = {"version": buffer.version}
            raise RpcError(OUTDATED, "the document was changed elsewhere meanwhile", data)
        text = apply(buffer.text, asked.changes)
        if len(text) > MAX_TEXT_BYTES:
            raise EditorError(f"a document may not have more than {MAX_TEXT_BYTES} characters")
        was_dirty, buffer.is_preview = buffer.is_dirty, False
        buffer.edit(text)
        buffer.version = asked.version + 1  # also for an edit that changes nothing: pages count
        changed = Changed(buffer.path, buffer.version, asked.changes, asked.window)
        self.pages.tell("changed", changed, but=page)
        if buffer.is_dirty != was_dirty:
            self._tell_state(buffer)
        self.drafts.touch(buffer.path)
        self._tell_cursor_soon()
        return buffer.version

    def select_in_page(self, path: str, start: int, end: int) -> None:
        """Take note of a page's cursor or selection."""
        buffer = self._row.get(self._absolute(path))
        if len(buffer.text) > BIG_TEXT:
            self._tell_cursor_soon(lambda: self._select_span(buffer, start, end))
        else:
            self._select_span(buffer, start, end)

    def _select_span(self, buffer: Buffer, start: int, end: int) -> None:
        if self._row.find(buffer.path) is buffer:
            first, last = (buffer.index.offset_of_utf16(offset) for offset in (start, end))
            place = Range(buffer.index.position(first), buffer.index.position(last))
            self.select(buffer.path, place)

    async def close_in_page(self, path: str, *, discard: bool) -> Closed:
        """Close a document unless that would lose unsaved text."""
        buffer = self._row.find(self._absolute(path))
        if buffer is not None:
            if buffer.is_dirty and not discard:
                return Closed(closed=False, needs_decision=True)
            self._close(buffer)
        return Closed(closed=True)

    async def reopen(self) -> PageDocument | None:
        """Open what was closed last, with the text that was thrown away."""
        while self._closed:
            path, text = self._closed.pop()
            if path.startswith(_UNTITLED):
                return self.new_in_page(text or "")
            try:
                document = await self.open_in_page(path, preview=False, focus=True)
            except EditorError:  # its file is gone; its text need not be
                if text is not None:
                    return self.new_in_page(text)
                continue
            if text is None:
                return document
            self.edit(path, text)
            return self._page_document(self._row.get(path))
        return None

    async def save_in_page(self, path: str, *, overwrite: bool) -> Saved:
        """Save a document, or tell what is in the way."""
        buffer = self._row.get(self._absolute(path))
        if not overwrite:
            await self.look_at_disk(buffer.path)
            if buffer.path in self._astray and buffer.is_dirty:
                conflict = await self._conflict(buffer)
                if conflict is not None:
                    return Saved(saved=False, version=buffer.version, conflict=conflict)
        await self.save(buffer.path, overwrite=overwrite)
        return Saved(saved=True, version=buffer.version)

    async def _conflict(self, buffer: Buffer) -> Conflict | None:
        """What the file holds now; None when it was deleted: nothing is lost by saving then."""
        if self.workspace.state(buffer.path) is None:
            return None
        read, _ = await asyncio.to_thread(self.workspace.read, buffer.path)
        return Conflict(read.text)

    async def save_as_in_page(self, path: str, target: str) -> PageDocument:
        """Save a document as a new file of the workspace."""
        document = await self.save_as(path, target)
        buffer = self._row.get(document.path)
        buffer.version = _first_version()
        self.drafts.touch(path)
        return self._page_document(buffer)

    async def revert(self, path: str) -> PageDocument:
        """Take what the file holds in the place of unsaved text."""
        buffer = self._row.get(self._absolute(path))
        read, on_disk = await asyncio.to_thread(self.workspace.read, buffer.path)
        buffer.was_saved(read, on_disk)
        buffer.edit(read.text)
        self._settle(buffer)
        self._text_changed(buffer)
        self._tell_state(buffer)
        return self._page_document(buffer)

    async def take_draft(self, path: str) -> PageDocument:
        """Open unsaved text that an earlier run left behind, unsaved again."""
        draft = self.drafts.find(path)
        if draft is None:
            raise EditorError(f"no unsaved text of {path} is kept")
        buffer = await self._buffer_for(draft)
        buffer.edit(draft.text)
        base = draft.on_disk and msgspec.json.decode(draft.on_disk, type=DiskState)
        if base and base != buffer.on_disk and not buffer.is_untitled:
            buffer.on_disk = base  # so that saving it asks first
            self._astray.add(buffer.path)
            self._baseless.add(buffer.path)
        self._text_changed(buffer)
        self._tell_state(buffer)
        self.drafts.flush()
        self.drafts.drop(path)
        return self._page_document(buffer)

    async def _buffer_for(self, draft: Draft) -> Buffer:
        if draft.path.startswith(_UNTITLED):
            return self._row.get(self.new_document().path)
        try:
            document = await self.open_in_page(draft.path, preview=False, focus=True)
        except EditorError:  # its file is gone; its text need not be
            return self._row.get(self.new_document().path)
        if document.is_dirty:
            raise EditorError(f"{draft.path} has unsaved changes: save or discard them first")
        return self._row.get(document.path)

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

    async def _write(self, buffer: Buffer, *, overwrite: bool) -> None:
        await super()._write(buffer, overwrite=overwrite)
        self._settle(buffer)
        self.drafts.touch(buffer.path)
        self._tell_state(buffer)

    def _draft(self, path: str) -> Draft | None:
        buffer = self._row.find(path)
        if buffer is None or not buffer.is_dirty:
            return None
        base = None if buffer.on_disk is None else msgspec.json.encode(buffer.on_disk).decode()
        return Draft(path, buffer.text, base)

    # What the pages are told of documents.

    async def _load(self, path: str) -> Buffer:
        known = self._row.find(path)
        buffer = await super()._load(path)
        if known is None and buffer.version == 1:
            buffer.version = _first_version()
        return buffer

    def _absolute(self, path: str) -> str:
        return path if path.startswith(_UNTITLED) else self.workspace.absolute(path)

    def _close(self, buffer: Buffer) -> None:
        self._closed.append((buffer.path, buffer.text if buffer.is_dirty else None))
        self._settle(buffer)
        super()._close(buffer)
        self.drafts.touch(buffer.path)

    def _text_changed(self, buffer: Buffer) -> None:
        super()._text_changed(buffer)
        self.pages.tell("reloaded", Reloaded(buffer.path, buffer.version, buffer.text))
        self.drafts.touch(buffer.path)

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


def _first_version() -> int:
    """A version that was never used for another text, not even by a server before this one."""
    return int(time.time() * 1000)

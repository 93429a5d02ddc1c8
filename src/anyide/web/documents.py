"""What a page asks of the documents of the browser editor.

What it types is applied in the order of versions, never merged by guessing.
"""

from __future__ import annotations

import asyncio

import msgspec

from anyide.editor.buffer import Buffer
from anyide.editor.file import DiskState
from anyide.editor.model import Range
from anyide.errors import EditorError, RpcError
from anyide.state.draft import Draft
from anyide.web.change import apply
from anyide.web.desk import UNTITLED, PageDesk, first_version
from anyide.web.messages import Changed, ChangeText, Closed, Conflict, PageDocument, Saved
from anyide.web.workspace import MAX_TEXT_BYTES

OUTDATED = 4090
"""The code of the error for an edit of a version that is not the latest any more."""
BIG_TEXT = 1_000_000
"""Characters from which on a cursor is only looked at when it rests."""


class Documents(PageDesk):
    """The documents, as a page opens, changes, saves and closes them."""

    async def open_in_page(self, path: str, *, preview: bool, focus: bool) -> PageDocument:
        """Open a file of the workspace, or give the document that is open."""
        if path.startswith(UNTITLED):
            buffer = self._row.get(path)
            if focus:
                self.activate(path)
            return self._page_document(buffer)
        return self._page_document(await self._open(path, preview=preview, focus=focus))

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
            if path.startswith(UNTITLED):
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
        buffer.version = first_version()
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
        if draft.path.startswith(UNTITLED):
            return self._row.get(self.new_document().path)
        try:
            document = await self.open_in_page(draft.path, preview=False, focus=True)
        except EditorError:  # its file is gone; its text need not be
            return self._row.get(self.new_document().path)
        if document.is_dirty:
            raise EditorError(f"{draft.path} has unsaved changes: save or discard them first")
        return self._row.get(document.path)

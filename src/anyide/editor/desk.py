"""Open documents on real files: tabs, unsaved text, the cursor in each, what is active.

- A document that is not dirty follows its file: it is read again when the file changed.
- A dirty one is never lost without a word: `close_file` refuses it, `discard` says it.
- A dirty one is not saved over a file that changed since it was read, unless told to `overwrite`.
"""

from __future__ import annotations

import asyncio
import os.path
from pathlib import Path
from typing import TYPE_CHECKING

from anyide.editor.buffer import Buffer
from anyide.editor.document import DecodedText
from anyide.editor.file import WholeDisk
from anyide.editor.listeners import Listeners
from anyide.editor.position import search
from anyide.editor.tab_row import TabRow
from anyide.errors import EditorError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from anyide.editor.file import Disk
    from anyide.editor.model import Document, Range, Selection, Tab, TextSearch
    from anyide.editor.seam import Listener

_UNTITLED = "untitled:"


class Desk:
    """The documents of one editor; relative paths are taken from the first of `folders`.

    `disk` says which files there are: without it, all of this machine.
    """

    def __init__(self, folders: Sequence[str] = (), disk: Disk | None = None) -> None:
        self.folders = tuple(str(Path(folder).absolute()) for folder in folders)
        self._disk: Disk = disk or WholeDisk()
        self._row = TabRow()
        self._listeners = Listeners()
        self._latest: Selection | None = None
        self._told: Selection | None = None
        self._untitled_count = 0
        self._writing = asyncio.Lock()

    async def open_file(
        self, path: str, *, preview: bool, focus: bool, select: TextSearch | None
    ) -> Document:
        """Open a file in a tab, in front if `focus`; raises EditorError when it cannot be read."""
        buffer = await self._load(self._absolute(path))
        if self._row.find(buffer.path) is None:
            self._row.add(buffer, preview=preview)
        elif not preview:
            buffer.is_preview = False
        place = search(buffer.text, select, buffer.index) if select else None
        if place is not None:
            buffer.select(place)
            self._latest = buffer.selection
        if focus:
            self._row.activate(buffer)
        self._tell_selection()
        return buffer.snapshot()

    def new_document(self, text: str = "") -> Document:
        """Open an untitled document in front."""
        self._untitled_count += 1
        buffer = Buffer(f"{_UNTITLED}Untitled-{self._untitled_count}", DecodedText(""), None)
        buffer.edit(text)
        self._row.add(buffer, preview=False)
        self._row.activate(buffer)
        self._tell_selection()
        return buffer.snapshot()

    def edit(self, path: str, text: str) -> None:
        """Replace the text of an open document; a preview becomes a lasting tab."""
        buffer = self._row.get(self._absolute(path))
        buffer.is_preview = False
        buffer.edit(text)
        self._text_changed(buffer)

    async def close_file(self, path: str) -> bool:
        """Close a document, False when it is not open.

        Raises EditorError, and it stays open, when it has unsaved changes.
        """
        buffer = self._row.find(self._absolute(path))
        if buffer is None:
            return False
        if buffer.is_dirty:
            raise EditorError(f"{path} has unsaved changes: save or discard them first")
        self._close(buffer)
        return True

    def discard(self, path: str) -> None:
        """Close an open document and throw its unsaved changes away."""
        self._close(self._row.get(self._absolute(path)))

    async def document(self, path: str) -> Document | None:
        """Give an open document as it is now, None when it is not open."""
        buffer = self._row.find(self._absolute(path))
        if buffer is None:
            return None
        await self._follow_disk(buffer)
        return buffer.snapshot()

    async def tabs(self) -> Sequence[Tab]:
        """Give the open documents in the order in which they were opened."""
        return self._row.tabs()

    async def save(self, path: str, *, overwrite: bool = False) -> bool:
        """Save a document, False when it is not open.

        Raises EditorError when it is untitled, cannot be written, or its file changed meanwhile.
        """
        buffer = self._row.find(self._absolute(path))
        if buffer is None:
            return False
        if buffer.is_untitled:
            raise EditorError(f"{path} has no file yet: give it one with save_as")
        await self._write(buffer, overwrite=overwrite)
        return True

    async def save_as(self, path: str, target: str) -> Document:
        """Save an open document as a new file and go on with that.

        Raises EditorError when the target is there already or cannot be written.
        """
        old, target = self._row.get(self._absolute(path)), self._absolute(target)
        async with self._writing:
            if self._row.find(target) is not None or self._disk.state(target) is not None:
                raise EditorError(f"{target} exists already")
            written = old.unsaved()
            new = Buffer(
                target, written, await asyncio.to_thread(self._disk.write, target, written)
            )
        new.edit(old.text)
        new.select(old.cursor)
        was_active = old is self._row.active
        self._row.remove(old)
        self._row.add(new, preview=False)
        if was_active:
            self._row.activate(new)
        self._tell_selection()
        return new.snapshot()

    def select(self, path: str, place: Range) -> Selection:
        """Select in an open document, clamped to its text, and bring it to the front."""
        buffer = self._row.get(self._absolute(path))
        buffer.select(place)
        self._row.activate(buffer)
        self._latest = buffer.selection
        self._tell_selection()
        return buffer.selection

    async def selection(self) -> Selection | None:
        """Give the selection of the active document, None when none is active."""
        active = self._row.active
        return active.selection if active else None

    async def latest_selection(self) -> Selection | None:
        """Give the selection last made in any document, open or closed by now."""
        return self._latest

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Tell a listener from now on what happens; the returned function ends that."""
        return self._listeners.subscribe(listener)

    def _absolute(self, path: str) -> str:
        if path.startswith(_UNTITLED):
            return path
        return os.path.abspath(os.path.join(*self.folders[:1], path))  # noqa: PTH100, PTH118

    async def _load(self, path: str) -> Buffer:
        """Give the document of a path, read from the disk unless it is open."""
        buffer = self._row.find(path)
        if buffer is not None:
            await self._follow_disk(buffer)
        else:
            read, on_disk = await asyncio.to_thread(self._disk.read, path)
            buffer = Buffer(path, read, on_disk)
        return self._row.find(path) or buffer  # it may have been opened meanwhile

    async def _follow_disk(self, buffer: Buffer) -> None:
        known = buffer.on_disk
        if known is None or buffer.is_dirty or self._disk.state(buffer.path) in (None, known):
            return
        try:
            read, on_disk = await asyncio.to_thread(self._disk.read, buffer.path)
        except EditorError:
            return  # a document whose file cannot be read any more stays as it was
        if buffer.on_disk is known and buffer.was_read(read, on_disk):
            self._text_changed(buffer)

    async def _write(self, buffer: Buffer, *, overwrite: bool) -> None:
        async with self._writing:
            found = self._disk.state(buffer.path)
            if found is not None and not buffer.is_dirty:
                return
            if found not in (None, buffer.on_disk) and not overwrite:
                raise EditorError(f"{buffer.path} changed on the disk since it was read")
            written = buffer.unsaved()
            on_disk = await asyncio.to_thread(self._disk.write, buffer.path, written)
            buffer.was_saved(written, on_disk)

    def _close(self, buffer: Buffer) -> None:
        self._row.remove(buffer)
        self._tell_selection()

    def _text_changed(self, buffer: Buffer) -> None:
        if self._row.find(buffer.path) is not buffer:
            return
        if self._latest is not None and self._latest.path == buffer.path:
            self._latest = buffer.selection
        self._tell_selection()

    def _tell_selection(self) -> None:
        active = self._row.active
        if active is not None and active.selection != self._told:
            self._told = active.selection
            self._listeners.selection_changed(self._told)

"""One open document: its text, what of it is on the disk, and the cursor in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyide.editor.document import DecodedText
from anyide.editor.language import language_id
from anyide.editor.model import Document, Position, Range, Selection
from anyide.editor.position import LineIndex

if TYPE_CHECKING:
    from anyide.editor.file import DiskState

_TOP = Range(Position(0, 0), Position(0, 0))


class Buffer:
    """A document being edited.

    `saved` is what its file holds as far as we know, and how that is encoded; `on_disk` is the
    file's state at that time, None for a document without a file. `version` grows with every
    change of the text.
    """

    def __init__(self, path: str, saved: DecodedText, on_disk: DiskState | None) -> None:
        self.path = path
        self.language_id = language_id(path)
        self.saved = saved
        self.on_disk = on_disk
        self.is_preview = False
        self.version = 1
        self._cursor = _TOP
        self._index = LineIndex(saved.text)
        # The last answer of `selection` and what it was made from: it is asked for more often than
        # it changes.
        self._selected: tuple[tuple[LineIndex, Range, str], Selection] | None = None

    @property
    def text(self) -> str:
        """The text as it is now."""
        return self._index.text

    @property
    def index(self) -> LineIndex:
        """The text as it is now, ready for conversions."""
        return self._index

    @property
    def is_untitled(self) -> bool:
        """Whether it has no file yet."""
        return self.on_disk is None

    @property
    def is_dirty(self) -> bool:
        """Whether the text is another one than the file's; typed and taken back is not dirty."""
        return self.text != self.saved.text

    @property
    def cursor(self) -> Range:
        """Where the cursor is, or what is selected, as far as there is text."""
        return self._index.clamp(self._cursor)

    @property
    def selection(self) -> Selection:
        """What is selected, a bare cursor included."""
        made_from = (self._index, self._cursor, self.path)
        if self._selected is None or self._selected[0] != made_from:
            cursor = self.cursor
            selection = Selection(self.path, self._index.slice(cursor), cursor)
            self._selected = (made_from, selection)
        return self._selected[1]

    def snapshot(self) -> Document:
        """Give the document as it is now."""
        return Document(
            self.path,
            self.text,
            self.language_id,
            is_dirty=self.is_dirty,
            is_untitled=self.is_untitled,
        )

    def edit(self, text: str) -> None:
        """Replace the text; the cursor stays where it is as far as there is text."""
        if text == self.text:
            return
        self._index = LineIndex(text)
        self.version += 1

    def select(self, place: Range) -> None:
        """Move the cursor, or select, as far as there is text."""
        self._cursor = self._index.clamp(place)

    def unsaved(self) -> DecodedText:
        """Give the text as it would be written."""
        return DecodedText(self.text, self.saved.encoding, self.saved.has_bom)

    def was_saved(self, written: DecodedText, on_disk: DiskState) -> None:
        """Take note that its file now holds that text."""
        self.saved = written
        self.on_disk = on_disk

    def was_read(self, read: DecodedText, on_disk: DiskState) -> bool:
        """Take over what was read from its file; False, and nothing is, when it is dirty."""
        if self.is_dirty:
            return False
        self.was_saved(read, on_disk)
        self.edit(read.text)
        return True

"""The row of tabs: which documents are open, which one is active, which a preview."""

from __future__ import annotations

import os.path
import re
from typing import TYPE_CHECKING

from anyide.editor.model import Tab
from anyide.errors import EditorError

if TYPE_CHECKING:
    from anyide.editor.buffer import Buffer


class TabRow:
    """Open documents by path. At most one is a preview, which the next preview replaces."""

    def __init__(self) -> None:
        self._buffers: dict[str, Buffer] = {}
        self._recent: list[str] = []  # keys of tabs that were active, the active one last

    @property
    def active(self) -> Buffer | None:
        """The document that is in front."""
        return self._buffers[self._recent[-1]] if self._recent else None

    def find(self, path: str) -> Buffer | None:
        """Give an open document."""
        return self._buffers.get(_key(path))

    def get(self, path: str) -> Buffer:
        """Give an open document; raises EditorError when it is not open."""
        buffer = self.find(path)
        if buffer is None:
            raise EditorError(f"{path} is not open")
        return buffer

    def add(self, buffer: Buffer, *, preview: bool) -> None:
        """Open a document in a tab at the end; a preview closes the one before it."""
        if preview:
            self._end_preview()
        buffer.is_preview = preview
        self._buffers[_key(buffer.path)] = buffer

    def _end_preview(self) -> None:
        for buffer in [buffer for buffer in self._buffers.values() if buffer.is_preview]:
            buffer.is_preview = False
            if not buffer.is_dirty:
                self.remove(buffer)

    def remove(self, buffer: Buffer) -> None:
        """Close a tab; the one that was active before it becomes active."""
        key = _key(buffer.path)
        self._buffers.pop(key, None)
        if key in self._recent:
            self._recent.remove(key)

    def activate(self, buffer: Buffer) -> None:
        """Bring a tab to the front."""
        key = _key(buffer.path)
        if key in self._recent:
            self._recent.remove(key)
        self._recent.append(key)

    def tabs(self) -> tuple[Tab, ...]:
        """Give the tabs from first to last."""
        return tuple(self._tab(buffer) for buffer in self._buffers.values())

    def _tab(self, buffer: Buffer) -> Tab:
        return Tab(
            buffer.path,
            re.split(r"[/\\:]", buffer.path)[-1],
            buffer.language_id,
            is_active=buffer is self.active,
            is_dirty=buffer.is_dirty,
            is_preview=buffer.is_preview,
            is_untitled=buffer.is_untitled,
        )


def _key(path: str) -> str:
    return os.path.normcase(path)

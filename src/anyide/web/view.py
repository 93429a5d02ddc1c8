"""Documents and tabs as pages are shown them."""

from __future__ import annotations

from anyide.editor.buffer import Buffer
from anyide.editor.document import newline_style
from anyide.editor.model import Tab
from anyide.web.messages import Kind, PageDocument, PageTab, Span


def page_tab(tab: Tab, *, is_denied: bool, kind: Kind) -> PageTab:
    """A tab."""
    return PageTab(
        tab.path,
        tab.label,
        tab.language_id,
        is_active=tab.is_active,
        is_dirty=tab.is_dirty,
        is_preview=tab.is_preview,
        is_untitled=tab.is_untitled,
        is_denied=is_denied,
        kind=kind,
    )


def page_document(
    buffer: Buffer, *, is_denied: bool, is_read_only: bool, kind: Kind, disk_changed: bool
) -> PageDocument:
    """A document, whole."""
    return PageDocument(
        path=buffer.path,
        version=buffer.version,
        text=buffer.text,
        language_id=buffer.language_id,
        is_dirty=buffer.is_dirty,
        is_untitled=buffer.is_untitled,
        is_denied=is_denied,
        is_read_only=is_read_only,
        kind=kind,
        size=buffer.on_disk.size if buffer.on_disk else len(buffer.text),
        newline=newline_style(buffer.text).value or "\n",
        encoding=buffer.saved.encoding.value,
        has_bom=buffer.saved.has_bom,
        disk_changed=disk_changed,
        selection=span_of(buffer),
    )


def span_of(buffer: Buffer) -> Span:
    """Where the cursor is, or what is selected."""
    index, cursor = buffer.index, buffer.cursor
    start, end = (index.utf16_offset(index.offset(at)) for at in (cursor.start, cursor.end))
    return Span(start, end)

from __future__ import annotations

from anyide.editor.buffer import Buffer
from anyide.editor.document import DecodedText, Encoding
from anyide.editor.file import DiskState
from anyide.editor.model import Position, Range

FIRST, SECOND = DiskState(1, 1, 1), DiskState(2, 2, 2)


def buffer_of(text: str) -> Buffer:
    return Buffer("/a.py", DecodedText(text, Encoding.UTF_8, has_bom=True), FIRST)


def test_typed_and_taken_back_is_not_dirty() -> None:
    buffer = buffer_of("a")
    buffer.edit("b")
    assert buffer.is_dirty
    buffer.edit("a")
    assert not buffer.is_dirty


def test_a_selection_follows_the_text_as_far_as_there_is_text() -> None:
    buffer = buffer_of("one\ntwo\n")
    buffer.select(Range(Position(0, 1), Position(9, 9)))
    assert buffer.selection.text == "ne\ntwo\n"
    buffer.edit("ab")
    assert buffer.selection.text == "b"
    assert buffer.selection.range == Range(Position(0, 1), Position(0, 2))


def test_encoding_and_mark_go_with_the_unsaved_text() -> None:
    buffer = buffer_of("a")
    buffer.edit("b")
    assert buffer.unsaved() == DecodedText("b", Encoding.UTF_8, has_bom=True)


def test_what_was_edited_while_it_was_saved_is_still_dirty() -> None:
    buffer = buffer_of("a")
    buffer.edit("b")
    written = buffer.unsaved()
    buffer.edit("c")
    buffer.was_saved(written, SECOND)
    assert buffer.is_dirty
    assert buffer.on_disk == SECOND


def test_a_dirty_text_is_not_replaced_by_what_was_read() -> None:
    buffer = buffer_of("a")
    buffer.edit("mine")
    assert not buffer.was_read(DecodedText("theirs"), SECOND)
    assert (buffer.text, buffer.on_disk) == ("mine", FIRST)


def test_a_clean_text_is_replaced_with_its_encoding() -> None:
    buffer = buffer_of("a")
    assert buffer.was_read(DecodedText("é", Encoding.LATIN_1), SECOND)
    assert not buffer.is_dirty
    assert buffer.unsaved() == DecodedText("é", Encoding.LATIN_1)


def test_a_document_without_a_file_is_untitled() -> None:
    buffer = Buffer("untitled:Untitled-1", DecodedText(""), None)
    assert buffer.snapshot().is_untitled
    assert not buffer_of("").snapshot().is_untitled

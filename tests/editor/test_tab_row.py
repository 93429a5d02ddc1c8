from __future__ import annotations

import pytest

from anyide.editor.buffer import Buffer
from anyide.editor.document import DecodedText
from anyide.editor.file import DiskState
from anyide.editor.tab_row import TabRow
from anyide.errors import EditorError


def buffer_of(path: str) -> Buffer:
    return Buffer(path, DecodedText("x"), DiskState(1, 1, 1))


def paths(row: TabRow) -> list[str]:
    return [tab.path for tab in row.tabs()]


def test_an_empty_row_has_nothing_active() -> None:
    row = TabRow()
    assert row.active is None
    assert row.tabs() == ()
    assert row.find("/a") is None
    with pytest.raises(EditorError, match="/a is not open"):
        row.get("/a")


def test_the_next_preview_closes_the_one_before() -> None:
    row = TabRow()
    row.add(buffer_of("/kept.py"), preview=False)
    row.add(buffer_of("/one.py"), preview=True)
    row.add(buffer_of("/two.py"), preview=True)
    assert paths(row) == ["/kept.py", "/two.py"]
    assert [tab.is_preview for tab in row.tabs()] == [False, True]


def test_a_dirty_preview_is_kept_as_a_lasting_tab() -> None:
    row, dirty = TabRow(), buffer_of("/one.py")
    row.add(dirty, preview=True)
    dirty.edit("unsaved")
    row.add(buffer_of("/two.py"), preview=True)
    assert paths(row) == ["/one.py", "/two.py"]
    assert not dirty.is_preview


def test_closing_the_active_tab_brings_back_the_one_before_it() -> None:
    row, one, two, three = TabRow(), buffer_of("/1"), buffer_of("/2"), buffer_of("/3")
    for buffer in (one, two, three):
        row.add(buffer, preview=False)
    for buffer in (one, three, two):
        row.activate(buffer)
    row.remove(two)
    assert row.active is three
    row.remove(one)
    row.remove(three)
    assert row.active is None


def test_a_tab_tells_label_language_and_state() -> None:
    row, buffer = TabRow(), buffer_of("/some where/main.rs")
    row.add(buffer, preview=False)
    row.activate(buffer)
    buffer.edit("changed")
    (tab,) = row.tabs()
    assert (tab.label, tab.language_id) == ("main.rs", "rust")
    assert (tab.is_active, tab.is_dirty, tab.is_untitled) == (True, True, False)


def test_an_untitled_tab_has_its_name_as_label() -> None:
    row = TabRow()
    row.add(Buffer("untitled:Untitled-1", DecodedText(""), None), preview=False)
    assert row.tabs()[0].label == "Untitled-1"
    assert row.tabs()[0].is_untitled

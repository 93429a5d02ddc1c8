from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anyide.editor.desk import Desk
from anyide.editor.model import (
    FileDiagnostics,
    Mention,
    Position,
    Range,
    Selection,
    TextSearch,
)
from anyide.errors import EditorError

if TYPE_CHECKING:
    from pathlib import Path


class Selections:
    def __init__(self) -> None:
        self.heard: list[Selection] = []

    def selection_changed(self, selection: Selection) -> None:
        self.heard.append(selection)

    def mentioned(self, mention: Mention, session: str | None) -> None:
        raise AssertionError("nobody mentioned anything")

    def diagnostics_changed(self, changed: FileDiagnostics) -> None:
        raise AssertionError("nobody set diagnostics")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk([str(tmp_path)])


def file(folder: Path, name: str, text: str = "one\ntwo\n") -> str:
    path = folder / name
    path.write_bytes(text.encode())
    return str(path)


async def opened(desk: Desk, path: str, *, preview: bool = False) -> None:
    await desk.open_file(path, preview=preview, focus=True, select=None)


def span(start: tuple[int, int], end: tuple[int, int]) -> Range:
    return Range(Position(*start), Position(*end))


def write_later(path: str, data: bytes) -> None:
    """Write as another program would, with a time stamp that is surely another one."""
    with open(path, "wb") as out:  # noqa: PTH123
        out.write(data)
    stamp = os.stat(path).st_mtime_ns + 1_000_000_000  # noqa: PTH116
    os.utime(path, ns=(stamp, stamp))


async def test_an_opened_file_is_a_clean_active_tab(desk: Desk, tmp_path: Path) -> None:
    path = file(tmp_path, "a.py")
    document = await desk.open_file(path, preview=False, focus=True, select=None)
    assert (document.path, document.text, document.language_id) == (path, "one\ntwo\n", "python")
    (tab,) = await desk.tabs()
    assert (tab.is_active, tab.is_dirty, tab.is_preview) == (True, False, False)
    assert await desk.document(path) == document


async def test_a_relative_path_is_taken_from_the_first_folder(desk: Desk, tmp_path: Path) -> None:
    path = file(tmp_path, "a.py")
    document = await desk.open_file("x/../a.py", preview=False, focus=True, select=None)
    assert document.path == path


async def test_a_file_that_cannot_be_read_is_not_opened(desk: Desk, tmp_path: Path) -> None:
    for path in (str(tmp_path / "gone"), str(tmp_path)):
        with pytest.raises(EditorError, match="cannot read"):
            await opened(desk, path)
    assert await desk.tabs() == ()


async def test_a_file_opened_without_focus_is_not_in_front(desk: Desk, tmp_path: Path) -> None:
    front, back = file(tmp_path, "front.py"), file(tmp_path, "back.py")
    await opened(desk, front)
    await desk.open_file(back, preview=False, focus=False, select=None)
    assert [tab.is_active for tab in await desk.tabs()] == [True, False]


async def test_a_file_opened_twice_at_once_has_one_tab(desk: Desk, tmp_path: Path) -> None:
    path = file(tmp_path, "a.py")
    await asyncio.gather(*(opened(desk, path) for _ in range(5)))
    assert len(await desk.tabs()) == 1


async def test_a_preview_lasts_when_it_is_opened_for_good_or_edited(
    desk: Desk, tmp_path: Path
) -> None:
    kept, edited, last = (file(tmp_path, name) for name in ("kept", "edited", "last"))
    await opened(desk, kept, preview=True)
    await opened(desk, kept, preview=False)
    await opened(desk, edited, preview=True)
    desk.edit(edited, "new")
    await opened(desk, last, preview=True)
    await opened(desk, kept, preview=True)
    assert [(tab.path, tab.is_preview) for tab in await desk.tabs()] == [
        (kept, False),
        (edited, False),
        (last, True),
    ]


async def test_open_selects_the_text_that_is_asked_for(desk: Desk, tmp_path: Path) -> None:
    path = file(tmp_path, "a.py", "😀 one two\n")
    await desk.open_file(path, preview=False, focus=True, select=TextSearch("one"))
    wanted = Selection(path, "one", span((0, 3), (0, 6)))
    assert await desk.selection() == await desk.latest_selection() == wanted


async def test_open_with_a_text_that_is_not_there_selects_nothing(
    desk: Desk, tmp_path: Path
) -> None:
    path = file(tmp_path, "a.py")
    await desk.open_file(path, preview=False, focus=True, select=TextSearch("nowhere"))
    selection = await desk.selection()
    assert selection is not None
    assert selection.is_empty
    assert await desk.latest_selection() is None


async def test_nothing_open_has_no_selection(desk: Desk) -> None:
    assert await desk.selection() is None
    assert await desk.latest_selection() is None


async def test_a_selection_outlives_its_document_as_the_latest(desk: Desk, tmp_path: Path) -> None:
    one, other = file(tmp_path, "one.py"), file(tmp_path, "other.py")
    await opened(desk, one)
    made = desk.select(one, span((0, 0), (0, 3)))
    await opened(desk, other)
    assert await desk.close_file(one)
    assert await desk.latest_selection() == made
    current = await desk.selection()
    assert current is not None
    assert current.path == other


async def test_listeners_hear_every_other_selection_and_no_equal_one(
    desk: Desk, tmp_path: Path
) -> None:
    one, other = file(tmp_path, "one.py"), file(tmp_path, "other.py")
    listener = Selections()
    leave = desk.subscribe(listener)
    await opened(desk, one)
    desk.select(one, span((0, 0), (0, 3)))
    desk.select(one, span((0, 3), (0, 0)))  # the same, backwards
    await opened(desk, other)
    await desk.close_file(other)
    desk.edit(one, "1")
    leave()
    desk.select(one, span((0, 0), (0, 0)))
    heard = [(selection.path, selection.text) for selection in listener.heard]
    assert heard == [(one, ""), (one, "one"), (other, ""), (one, "one"), (one, "1")]


async def test_selecting_brings_a_document_to_the_front(desk: Desk, tmp_path: Path) -> None:
    one, other = file(tmp_path, "one.py"), file(tmp_path, "other.py")
    await opened(desk, one)
    await opened(desk, other)
    desk.select(one, span((1, 0), (1, 3)))
    assert [tab.is_active for tab in await desk.tabs()] == [True, False]


async def test_what_is_not_open_cannot_be_edited_or_selected(desk: Desk) -> None:
    with pytest.raises(EditorError, match="is not open"):
        desk.edit("a.py", "x")
    with pytest.raises(EditorError, match="is not open"):
        desk.select("a.py", span((0, 0), (0, 0)))
    assert await desk.document("a.py") is None
    assert not await desk.close_file("a.py")
    assert not await desk.save("a.py")


async def test_unsaved_changes_are_not_closed_but_can_be_discarded(
    desk: Desk, tmp_path: Path
) -> None:
    path = file(tmp_path, "a.py")
    await opened(desk, path)
    desk.edit(path, "precious")
    with pytest.raises(EditorError, match="unsaved changes"):
        await desk.close_file(path)
    document = await desk.document(path)
    assert document is not None
    assert document.text == "precious"
    desk.discard(path)
    assert await desk.tabs() == ()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(
    st.sampled_from([("utf-8", b""), ("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe")]),
    st.text(),
    st.text(),
)
async def test_a_saved_file_keeps_encoding_mark_and_newlines(
    tmp_path: Path, encoding: tuple[str, bytes], old: str, new: str
) -> None:
    name, mark = encoding
    if not mark and old.startswith("\ufeff"):
        return
    path = tmp_path / "a.txt"
    path.write_bytes(mark + old.encode(name))
    desk = Desk([str(tmp_path)])
    await opened(desk, str(path))
    desk.edit(str(path), new)
    assert await desk.save(str(path))
    assert path.read_bytes() == mark + new.encode(name)
    assert not (await desk.tabs())[0].is_dirty


async def test_saving_what_is_not_dirty_does_not_touch_the_file(desk: Desk, tmp_path: Path) -> None:
    path = file(tmp_path, "a.py")
    await opened(desk, path)
    write_later(path, b"theirs")
    assert await desk.save(path)
    assert (tmp_path / "a.py").read_bytes() == b"theirs"


async def test_a_file_deleted_meanwhile_is_made_again_by_saving(desk: Desk, tmp_path: Path) -> None:
    path = file(tmp_path, "a.py")
    await opened(desk, path)
    (tmp_path / "a.py").unlink()
    document = await desk.document(path)
    assert document is not None
    assert document.text == "one\ntwo\n"
    assert await desk.save(path)
    assert (tmp_path / "a.py").read_bytes() == b"one\ntwo\n"


async def test_a_clean_document_follows_its_file(desk: Desk, tmp_path: Path) -> None:
    path = file(tmp_path, "a.py")
    await opened(desk, path)
    desk.select(path, span((0, 0), (0, 3)))
    write_later(path, b"1\n")
    document = await desk.document(path)
    assert document is not None
    assert (document.text, document.is_dirty) == ("1\n", False)
    latest = await desk.latest_selection()
    assert latest is not None
    assert latest.text == "1"


async def test_a_clean_document_whose_file_became_unreadable_stays(
    desk: Desk, tmp_path: Path
) -> None:
    path = file(tmp_path, "a.py")
    await opened(desk, path)
    (tmp_path / "a.py").unlink()
    (tmp_path / "a.py").mkdir()
    document = await desk.document(path)
    assert document is not None
    assert document.text == "one\ntwo\n"


async def test_unsaved_changes_are_not_saved_over_someone_elses(desk: Desk, tmp_path: Path) -> None:
    path = file(tmp_path, "a.py")
    await opened(desk, path)
    desk.edit(path, "mine")
    write_later(path, b"theirs")
    document = await desk.document(path)
    assert document is not None
    assert document.text == "mine"
    with pytest.raises(EditorError, match="changed on the disk"):
        await desk.save(path)
    assert (tmp_path / "a.py").read_bytes() == b"theirs"
    assert await desk.save(path, overwrite=True)
    assert (tmp_path / "a.py").read_bytes() == b"mine"


async def test_saving_again_after_saving_is_no_conflict(desk: Desk, tmp_path: Path) -> None:
    path = file(tmp_path, "a.py")
    await opened(desk, path)
    for text in ("first", "second"):
        desk.edit(path, text)
        assert await desk.save(path)
        assert (tmp_path / "a.py").read_text() == text


async def test_what_is_typed_while_saving_stays_unsaved(desk: Desk, tmp_path: Path) -> None:
    path = file(tmp_path, "a.py")
    await opened(desk, path)
    desk.edit(path, "first")
    saving = asyncio.create_task(desk.save(path))
    await asyncio.sleep(0)  # the writing thread has its text now
    desk.edit(path, "second")
    async with asyncio.timeout(5):
        assert await saving
    assert (tmp_path / "a.py").read_text() == "first"
    assert (await desk.tabs())[0].is_dirty


async def test_an_untitled_document_needs_a_name_to_be_saved(desk: Desk, tmp_path: Path) -> None:
    assert not desk.new_document().is_dirty
    document = desk.new_document("draft")
    assert (document.path, document.is_untitled) == ("untitled:Untitled-2", True)
    assert document.is_dirty
    with pytest.raises(EditorError, match="no file yet"):
        await desk.save(document.path)
    desk.select(document.path, span((0, 1), (0, 3)))
    saved = await desk.save_as(document.path, "draft.md")
    assert (saved.language_id, saved.is_dirty, saved.is_untitled) == ("markdown", False, False)
    assert (tmp_path / "draft.md").read_text() == "draft"
    selection = await desk.selection()
    assert selection == Selection(saved.path, "ra", span((0, 1), (0, 3)))
    assert [tab.label for tab in await desk.tabs()] == ["Untitled-1", "draft.md"]


async def test_save_as_does_not_replace_a_file(desk: Desk, tmp_path: Path) -> None:
    path = file(tmp_path, "a.py")
    document = desk.new_document("draft")
    with pytest.raises(EditorError, match="exists already"):
        await desk.save_as(document.path, path)
    assert (tmp_path / "a.py").read_text() == "one\ntwo\n"

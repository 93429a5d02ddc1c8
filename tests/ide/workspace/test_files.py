from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyide.editor.document import DecodedText
from anyide.errors import EditorError, OutsideWorkspace
from anyide.ide.workspace.files import listed, parts_inside, read, write

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../a",
        "a/../../b",
        "a/..",
        "~",
        "~/a",
        "~root/a",
        "//server/share",
        "\\\\server\\share",
        "C:\\a",
        "c:a",
        "..\\a",
        "a\0b",
        "/../a",
    ],
)
def test_a_path_that_could_lead_out_is_refused(path: str) -> None:
    with pytest.raises(OutsideWorkspace):
        parts_inside(path)


@pytest.mark.parametrize("path", ["", "/", ".", "./", "/./"])
def test_a_path_that_names_nothing_is_refused(path: str) -> None:
    with pytest.raises(EditorError, match="empty"):
        parts_inside(path)


@given(st.text())
def test_whatever_is_let_through_stays_below(path: str) -> None:
    try:
        parts = parts_inside(path)
    except EditorError:
        return
    assert parts
    assert not {"", ".", ".."} & set(parts)
    assert not any("/" in part or "\0" in part for part in parts)


def test_what_was_written_is_read_again(folder: Path) -> None:
    assert read(str(folder), "a/b.txt") is None
    write(str(folder), "a/b.txt", DecodedText("x\r\n"))
    assert read(str(folder), "a/b.txt") == DecodedText("x\r\n")
    write(str(folder), "a/b.txt", DecodedText("y"))
    assert (folder / "a/b.txt").read_bytes() == b"y"
    assert [path.name for path in (folder / "a").iterdir()] == ["b.txt"]


def test_a_new_file_has_the_mode_the_umask_gives(folder: Path) -> None:
    before = os.umask(0o027)
    try:
        write(str(folder), "a.txt", DecodedText(""))
    finally:
        os.umask(before)
    assert (folder / "a.txt").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("kind", ["file", "folder", "dangling", "inside"])
def test_no_link_is_followed(kind: str, folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    (folder / "real").write_text("fine")
    target, path = {
        "file": (outside / "secret", "link"),
        "folder": (outside, "link/secret"),
        "dangling": (outside / "new", "link"),
        "inside": (folder / "real", "link"),
    }[kind]
    (folder / "link").symlink_to(target)
    with pytest.raises(OutsideWorkspace, match="symbolic link"):
        read(str(folder), path)
    with pytest.raises(OutsideWorkspace, match="symbolic link"):
        write(str(folder), path, DecodedText("written"))
    assert [path.name for path in outside.iterdir()] == ["secret"]
    assert (outside / "secret").read_text() == "secret"
    assert (folder / "real").read_text() == "fine"


def test_a_pipe_is_no_file_and_does_not_block(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    with pytest.raises(EditorError, match="not a file"):
        read(str(folder), "pipe")


def test_a_file_as_a_folder_on_the_way_is_an_error(folder: Path) -> None:
    (folder / "a").touch()
    with pytest.raises(EditorError):
        read(str(folder), "a/b")
    with pytest.raises(EditorError):
        write(str(folder), "a/b", DecodedText(""))


def test_a_name_that_is_too_long_is_an_error(folder: Path) -> None:
    with pytest.raises(EditorError, match="too long"):
        read(str(folder), "x" * 300)


def test_links_are_not_walked_through(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").touch()
    (folder / "link").symlink_to(outside)
    (folder / "a").touch()
    assert list(listed(str(folder))) == ["a"]


def test_a_listing_has_an_end(folder: Path) -> None:
    for number in range(5):
        (folder / str(number)).touch()
    assert list(listed(str(folder), limit=3)) == ["0", "1", "2"]

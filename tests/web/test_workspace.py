from __future__ import annotations

import os
from pathlib import Path

import pytest

from anyide.editor.document import DecodedText
from anyide.editor.file import disk_state
from anyide.errors import EditorError, OutsideWorkspace
from anyide.web.workspace import MAX_TEXT_BYTES, Place, Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = (tmp_path / "root").resolve()
    folder.mkdir()
    return folder


@pytest.fixture
def workspace(root: Path) -> Workspace:
    return Workspace([root])


def test_a_text_is_read_with_its_state(workspace: Workspace, root: Path) -> None:
    (root / "a").write_bytes(b"x\r\n")
    text, state = workspace.read(str(root / "a"))
    assert (text, state) == (DecodedText("x\r\n"), disk_state(str(root / "a")))
    assert workspace.kind(str(root / "a")) == "text"


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.PNG", b"\x89PNG", "image"),
        ("a.bin", b"x\0y", "binary"),
        ("a.txt", "é".encode("utf-16"), "text"),
        ("a.txt", b"\xff\xfe", "text"),
        ("latin", b"caf\xe9", "text"),
        ("svg.svg", b"<svg/>", "text"),
        ("big", b"x" * (MAX_TEXT_BYTES + 1), "tooBig"),
    ],
)
def test_a_file_is_known_for_what_it_is(
    workspace: Workspace, root: Path, name: str, data: bytes, kind: str
) -> None:
    path = str(root / name)
    Path(path).write_bytes(data)
    text, _ = workspace.read(path)
    assert workspace.kind(path) == kind
    if kind != "text":
        assert text.text == ""
        assert workspace.is_read_only(path)
        with pytest.raises(EditorError, match="not a text"):
            workspace.write(path, DecodedText("x"))
        assert Path(path).read_bytes() == data


def test_what_is_no_file_is_not_read(workspace: Workspace, root: Path) -> None:
    (root / "folder.png").mkdir()
    os.mkfifo(root / "pipe")
    for name in ("folder.png", "pipe", "nowhere"):
        with pytest.raises(EditorError, match="cannot read"):
            workspace.read(str(root / name))
    with pytest.raises(EditorError):
        workspace.raw(workspace.locate("pipe"))


def test_a_file_swapped_for_a_link_is_not_read(
    workspace: Workspace, root: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("secret")
    place = Place(str(root), "a")
    (root / "a").symlink_to(tmp_path / "secret")
    with pytest.raises(EditorError):
        workspace.raw(place)
    (root / "folder").symlink_to(tmp_path)
    with pytest.raises(OutsideWorkspace):
        workspace.raw(Place(str(root), "folder/secret"))


def test_another_name_of_the_folder_is_the_folder(tmp_path: Path, root: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    (root / "a").write_text("x")
    workspace = Workspace([tmp_path / "alias"])
    assert workspace.folders == (str(root),)
    assert workspace.absolute(str(tmp_path / "alias" / "a")) == str(root / "a")
    assert workspace.locate("a").path == str(root / "a")


def test_folders_inside_folders_are_walked_from_the_inner_one(root: Path) -> None:
    (root / "inner").mkdir()
    workspace = Workspace([root, root / "inner"])
    assert workspace.locate(str(root / "inner" / "a")) == Place(str(root / "inner"), "a")


def test_a_file_is_made_with_the_folders_on_the_way(workspace: Workspace, root: Path) -> None:
    state = workspace.write(str(root / "x/y/z.txt"), DecodedText("hi"))
    assert (root / "x/y/z.txt").read_text() == "hi"
    assert state == disk_state(str(root / "x/y/z.txt"))
    assert workspace.state("/etc/passwd") is None


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_read_only_file_stays_as_it_is(workspace: Workspace, root: Path) -> None:
    (root / "a").write_text("x")
    (root / "a").chmod(0o444)
    assert workspace.is_read_only(str(root / "a"))
    with pytest.raises(EditorError, match="read-only"):
        workspace.write(str(root / "a"), DecodedText("y"))

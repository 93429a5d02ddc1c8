from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anyide.editor.document import DecodedText, Encoding
from anyide.editor.file import MAX_FILE_BYTES, disk_state, read_text, write_text
from anyide.errors import EditorError


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.binary() | st.text().map(str.encode))
def test_a_file_read_and_written_has_the_same_bytes(tmp_path: Path, data: bytes) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    source.write_bytes(data)
    write_text(str(copy), read_text(str(source)))
    assert copy.read_bytes() == data


def test_a_write_keeps_the_mode_and_leaves_nothing_else_behind(tmp_path: Path) -> None:
    path = tmp_path / "run.sh"
    path.write_text("old")
    path.chmod(0o751)
    write_text(str(path), DecodedText("new"))
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert names(tmp_path) == ["run.sh"]


def test_a_new_file_has_the_mode_that_any_new_file_has(tmp_path: Path) -> None:
    (tmp_path / "other").touch()
    write_text(str(tmp_path / "new"), DecodedText("x"))
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_symbolic_link_stays_and_its_target_is_written(tmp_path: Path) -> None:
    target, link = tmp_path / "deep" / "target", tmp_path / "link"
    target.parent.mkdir()
    target.write_text("old")
    link.symlink_to(Path("deep") / "target")
    write_text(str(link), DecodedText("new"))
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert names(target.parent) == ["target"]


def test_who_has_the_old_file_open_still_reads_the_whole_old_text(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    with path.open() as reader:
        write_text(str(path), DecodedText("new"))
        assert reader.read() == "old"


def test_a_text_that_cannot_be_encoded_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"caf\xe9")
    with pytest.raises(EditorError):
        write_text(str(path), DecodedText("€", Encoding.LATIN_1))
    assert path.read_bytes() == b"caf\xe9"
    assert names(tmp_path) == ["a"]


def test_the_state_told_after_a_write_is_the_state_found(tmp_path: Path) -> None:
    path = str(tmp_path / "a")
    assert disk_state(path) is None
    first = write_text(path, DecodedText("x"))
    assert disk_state(path) == first
    assert write_text(path, DecodedText("y")) != first


def test_what_is_no_plain_file_is_neither_read_nor_written(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(EditorError, match="not a plain file"):
            read_text(str(path))
        with pytest.raises(EditorError, match="not a plain file"):
            write_text(str(path), DecodedText("x"))


def test_a_missing_file_is_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(EditorError, match=r"cannot read .*gone: No such file"):
        read_text(str(tmp_path / "gone"))
    with pytest.raises(EditorError, match=r"cannot write .*a: No such file"):
        write_text(str(tmp_path / "gone" / "a"), DecodedText("x"))


@pytest.mark.parametrize("name", ["a\0b", "x" * 300])
def test_an_impossible_name_is_an_editor_error(tmp_path: Path, name: str) -> None:
    path = str(tmp_path / name)
    assert disk_state(path) is None
    with pytest.raises(EditorError):
        read_text(path)
    with pytest.raises(EditorError):
        write_text(path, DecodedText("x"))


def test_a_loop_of_links_is_an_editor_error(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(EditorError):
        read_text(str(loop))
    with pytest.raises(EditorError):
        write_text(str(loop), DecodedText("x"))


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    with pytest.raises(EditorError, match=f"larger than {MAX_FILE_BYTES} bytes"):
        read_text(str(path))


def test_a_read_only_file_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(0o444)
    if os.access(path, os.W_OK):
        # To root nothing is read-only: then it is written, and the mode stays.
        write_text(str(path), DecodedText("new"))
        assert stat.S_IMODE(path.stat().st_mode) == 0o444
        return
    with pytest.raises(EditorError, match="read-only"):
        write_text(str(path), DecodedText("new"))
    assert path.read_text() == "old"

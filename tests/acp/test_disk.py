from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from anyide.acp.disk import (
    MAX_OLD_BYTES,
    PAGE,
    delete_session,
    old_text,
    page_of_sessions,
    stored_session,
)
from anyide.errors import InvalidParams
from anyide.headless.transcript import project_name
from tests.acp.schema import check


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"CLAUDE_CONFIG_DIR": str(tmp_path / "config")}


def keep(tmp_path: Path, name: str, folder: str = "/p", at: int = 0, title: str = "hi") -> Path:
    kept = tmp_path / "config" / "projects" / project_name(folder)
    kept.mkdir(parents=True, exist_ok=True)
    file = kept / f"{name}.jsonl"
    said = {"type": "user", "message": {"role": "user", "content": title}, "cwd": folder}
    file.write_text(json.dumps(said) + "\n")
    os.utime(file, (at, at))
    return file


def test_pages_follow_each_other_to_the_end(tmp_path: Path, env: dict[str, str]) -> None:
    for number in range(2 * PAGE):
        keep(tmp_path, f"s{number}", at=number)
    first = page_of_sessions(None, None, env)
    assert isinstance(first.next_cursor, str)
    second = page_of_sessions(None, first.next_cursor, env)
    assert second.next_cursor is UNSET
    ids = [info.session_id for page in (first, second) for info in page.sessions]
    assert ids == [f"s{number}" for number in reversed(range(2 * PAGE))]
    assert page_of_sessions(None, "999999999", env).sessions == []
    check("ListSessionsResponse", msgspec.to_builtins(first))


@pytest.mark.parametrize("cursor", ["", "-1", "x", "1.5", "²", " 1", "9" * 5000])
def test_a_cursor_that_is_none_of_ours_is_refused(env: dict[str, str], cursor: str) -> None:
    with pytest.raises(InvalidParams, match="cursor"):
        page_of_sessions(None, cursor, env)


def test_a_folder_lists_its_own_sessions(tmp_path: Path, env: dict[str, str]) -> None:
    keep(tmp_path, "here", "/p", title="a\n  b")
    keep(tmp_path, "there", "/q")
    (info,) = page_of_sessions("/p", None, env).sessions
    assert (info.session_id, info.cwd, info.title) == ("here", "/p", "a b")
    assert info.updated_at == "1970-01-01T00:00:00Z"
    with pytest.raises(InvalidParams, match="cwd"):
        page_of_sessions("/nul\0", None, env)


def test_a_session_is_removed_with_what_its_subagents_wrote(
    tmp_path: Path, env: dict[str, str]
) -> None:
    file, other = keep(tmp_path, "a.b"), keep(tmp_path, "a")
    for name in ("a.b", "a"):
        (file.parent / name / "subagents").mkdir(parents=True)
    info = stored_session("a.b", env)
    assert info is not None
    delete_session(info)
    delete_session(info)  # twice is no error
    assert sorted(file.parent.iterdir()) == [other.with_suffix(""), other]


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "-p/s", "/etc/passwd", "*", "s\0", "s/../s"]
)
def test_an_id_cannot_point_outside(tmp_path: Path, env: dict[str, str], name: str) -> None:
    keep(tmp_path, "s")
    (tmp_path / "config" / "x.jsonl").write_text(keep(tmp_path, "s").read_text())
    (tmp_path / "config" / "projects" / "x.jsonl").write_text("{}")
    assert stored_session(name, env) is None


def test_what_a_change_starts_from(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes("ä\r\nb".encode())
    assert old_text(str(file), {}) == "ä\r\nb"
    file.write_bytes(b"\xff\x00")
    assert old_text(str(file), {}) is None
    file.write_bytes(b"x" * MAX_OLD_BYTES)
    assert old_text(str(file), {}) == "x" * MAX_OLD_BYTES
    file.write_bytes(b"x" * (MAX_OLD_BYTES + 1))
    assert old_text(str(file), {}) is None


def test_what_cannot_be_read_is_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (tmp_path / "none", tmp_path, "/nul\0", "", "x" * 5000, tmp_path / ("y" * 300)):
        assert old_text(str(path), {}) is None
    (tmp_path / "here").write_text("not of the session's folder")
    monkeypatch.chdir(tmp_path)
    assert old_text("here", {}) is None


@pytest.mark.skipif(os.name == "nt", reason="there are no such files")
@pytest.mark.timeout(10)
def test_a_pipe_or_a_device_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert old_text(str(tmp_path / "pipe"), {}) is None
    assert old_text("/dev/zero", {}) is None


CELLS: list[Any] = [
    {"id": "a", "source": ["1\n", "2"]},
    {"source": "x"},
    {"id": "c", "source": None},
]


@pytest.mark.parametrize(
    ("cell", "source"),
    [("a", "1\n2"), ("cell-1", "x"), ("c", ""), ("none", None), (None, None), (["a"], None)],
)
def test_of_a_notebook_the_cell_is_meant(tmp_path: Path, cell: Any, source: Any) -> None:
    file = tmp_path / "n.ipynb"
    file.write_text(json.dumps({"cells": CELLS}))
    assert old_text(str(file), {"notebook_path": str(file), "cell_id": cell}) == source


JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["cells", "id", "source"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(JSON)
def test_a_notebook_that_is_none_has_no_cell(
    tmp_path_factory: pytest.TempPathFactory, notebook: Any
) -> None:
    file = tmp_path_factory.getbasetemp() / "rubbish.ipynb"
    file.write_text(json.dumps(notebook))
    found = old_text(str(file), {"notebook_path": str(file), "cell_id": "a"})
    assert found is None or isinstance(found, str)

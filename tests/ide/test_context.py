from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from anyide.editor.memory import MemoryEditor
from anyide.editor.model import Diagnostic, FileDiagnostics, Position, Range, Selection, Severity
from anyide.errors import InvalidParams
from anyide.ide.context import Context, base_name
from anyide.ide.dialect import VSCODE, Dialect
from anyide.ide.paths import Flavour
from anyide.ide.policy import Policy
from anyide.ide.reviews import Reviews

if TYPE_CHECKING:
    from pathlib import Path

SPAN = Range(Position(0, 0), Position(0, 3))


def context(
    *folders: str, flavour: Flavour = Flavour.POSIX, dialect: Dialect = VSCODE, **rules: int
) -> Context:
    editor = MemoryEditor()
    policy = Policy(folders, (".env",), rules.get("max_selection", 1000), flavour=flavour)
    return Context(
        editor=editor,
        folders=folders,
        dialect=dialect,
        flavour=flavour,
        session="s",
        reviews=Reviews(editor),
        current_policy=lambda: policy,
    )


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("/a/b.py", "/a/b.py"),
        ("b.py", "/ws/b.py"),
        ("./x/../b.py", "/ws/b.py"),
        ("file:///a/b%20c.py", "/a/b c.py"),
        ("file://localhost/a", "/a"),
        ("untitled:Untitled-1", "untitled:Untitled-1"),
        ("a%20b.py", "/ws/a%20b.py"),
    ],
)
async def test_what_a_client_names_becomes_a_native_path(name: str, path: str) -> None:
    assert context("/ws", "/other").native(name) == path


@pytest.mark.parametrize("name", ["https://a/b", "vscode-remote://x/y", "a\0b", "file:///a%00"])
async def test_what_is_no_path_is_refused_by_the_name_of_its_argument(name: str) -> None:
    with pytest.raises(InvalidParams, match=r"^filePath: "):
        context("/ws").native(name, "filePath")


async def test_paths_go_out_as_the_protocol_writes_them() -> None:
    windows = context("C:\\ws", flavour=Flavour.WINDOWS)
    assert windows.wire("C:\\Users\\foo") == "/c/Users/foo"
    assert windows.uri("C:\\Users\\foo bar") == "file:///c:/Users/foo%20bar"
    assert windows.uri("untitled:1") == "untitled:1"
    assert context().wire("/Users/foo") == "/Users/foo"


async def test_a_selection_is_cut_to_what_may_be_shared() -> None:
    shared = context("/ws", max_selection=2).selection(Selection("/ws/a", "one", SPAN))
    assert shared is not None
    assert (shared.text, shared.selection.end) == ("on", Position(0, 2))
    assert context("/ws").selection(None) is None
    assert context("/ws").selection(Selection("/ws/.env", "one", SPAN)) is None


async def test_a_link_to_a_denied_file_is_denied(tmp_path: Path) -> None:
    (tmp_path / ".env").touch()
    (tmp_path / "innocent").symlink_to(tmp_path / ".env")
    assert not context(str(tmp_path)).may_share(str(tmp_path / "innocent"))
    assert context(str(tmp_path)).may_share(str(tmp_path / "other"))


async def test_diagnostics_are_told_under_the_name_they_were_asked_by() -> None:
    found = FileDiagnostics("/ws/a", (Diagnostic("bad", Severity.HINT, SPAN),))
    told = context("/ws").diagnostics(found, "the name")
    assert told is not None
    assert told.uri == "the name"
    assert told.diagnostics[0].severity == "Hint"
    assert context("/ws").diagnostics(FileDiagnostics("/ws/.env", ())) is None


@pytest.mark.parametrize("path", ["/a/b.py", "C:\\a\\b.py", "b.py"])
def test_the_last_part_of_a_path_is_its_name(path: str) -> None:
    assert base_name(path) == "b.py"

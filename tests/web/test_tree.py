from __future__ import annotations

from pathlib import Path

import pytest

from anyide.errors import EditorError, OutsideWorkspace
from anyide.web.messages import Entry
from anyide.web.tree import Tree
from anyide.web.workspace import Workspace


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = (tmp_path / "project").resolve()
    for name in ("src/deep", "build/out", ".git", "node_modules/x"):
        (folder / name).mkdir(parents=True)
    for name in ("b.py", "A.md", "src/x.log", "src/keep.log", "src/deep/y.py", "build/z", ".env"):
        (folder / name).write_text("")
    (folder / "node_modules/x/index.js").write_text("")
    (folder / ".gitignore").write_text("/build\n*.log\nnode_modules\n[\n")
    (folder / "src" / ".gitignore").write_text("!keep.log\n")
    return folder


@pytest.fixture
def tree(project: Path) -> Tree:
    return Tree(Workspace([project]), lambda path: path.endswith(".env"))


def named(tree: Tree, path: Path) -> dict[str, Entry]:
    return {entry.name: entry for entry in tree.entries(str(path)).entries}


def test_folders_come_first_and_then_names_whatever_their_case(tree: Tree, project: Path) -> None:
    names = [entry.name for entry in tree.entries(str(project)).entries]
    assert names == [".git", "build", "node_modules", "src", ".env", ".gitignore", "A.md", "b.py"]


def test_what_git_ignores_is_marked(tree: Tree, project: Path) -> None:
    found = named(tree, project)
    assert [name for name, entry in found.items() if entry.is_ignored] == [
        *(".git", "build", "node_modules")
    ]
    inner = named(tree, project / "src")
    assert (inner["x.log"].is_ignored, inner["keep.log"].is_ignored) == (True, False)
    assert all(entry.is_ignored for entry in named(tree, project / "build").values())


def test_a_changed_gitignore_counts_at_once(tree: Tree, project: Path) -> None:
    assert not named(tree, project)["b.py"].is_ignored
    (project / ".gitignore").write_text("b.py\n")
    assert named(tree, project)["b.py"].is_ignored


def test_denied_files_are_marked(tree: Tree, project: Path) -> None:
    assert [name for name, entry in named(tree, project).items() if entry.is_denied] == [".env"]


def test_links_are_shown_and_those_that_lead_out_stay_closed(
    tree: Tree, project: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (project / "out").symlink_to(tmp_path / "elsewhere")
    (project / "in").symlink_to("src")
    found = named(tree, project)
    assert (found["out"].kind, found["out"].is_folder) == ("link", False)
    assert (found["in"].kind, found["in"].is_folder) == ("link", True)
    assert "deep" in named(tree, project / "in")
    with pytest.raises(OutsideWorkspace):
        tree.entries(str(project / "out"))


def test_a_folder_that_is_none_is_an_error(tree: Tree, project: Path) -> None:
    with pytest.raises(EditorError, match="cannot list"):
        tree.entries(str(project / "nowhere"))
    with pytest.raises(EditorError, match="cannot list"):
        tree.entries(str(project / "b.py"))


def test_quick_open_knows_what_git_does_not_ignore(tree: Tree, project: Path) -> None:
    names = [Path(path).relative_to(project).as_posix() for path in tree.files()]
    assert sorted(names) == sorted(
        [".env", ".gitignore", "A.md", "b.py", "src/.gitignore", "src/deep/y.py", "src/keep.log"]
    )
    assert tree.folders() == [str(project / name) for name in ("", "src", "src/deep")]


def test_a_folder_inside_a_repository_obeys_the_repository(project: Path) -> None:
    (project / ".gitignore").write_text("*.log\n/src/deep/y.py\n")
    (project / "src" / ".gitignore").unlink()
    inner = Tree(Workspace([project / "src"]), lambda _: False)
    ignored = [name for name, entry in named(inner, project / "src").items() if entry.is_ignored]
    assert ignored == ["keep.log", "x.log"]
    assert inner.files() == []

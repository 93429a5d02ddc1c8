"""What is in the workspace folders: one folder at a time for the tree, all names for quick open.

What git ignores is marked by the `.gitignore` files of the workspace, the deeper one first.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from pathspec import GitIgnoreSpec

from anyide.errors import EditorError, OutsideWorkspace
from anyide.ide.workspace.files import SKIPPED_FOLDERS
from anyide.web.messages import Entries, Entry
from anyide.web.workspace import Workspace

MAX_ENTRIES = 10_000
MAX_FILES = 100_000
MAX_IGNORE_BYTES = 256 * 1024
HIDDEN = frozenset({".git", ".hg", ".svn"})


class Tree:
    """The files of a workspace, listed; `is_denied` tells which are not shared."""

    def __init__(self, workspace: Workspace, is_denied: Callable[[str], bool]) -> None:
        self._workspace = workspace
        self._is_denied = is_denied
        self._ignore = Ignore(workspace.folders)

    def entries(self, path: str) -> Entries:
        """What is in a folder, folders first; raises EditorError when it cannot be listed."""
        folder = self._workspace.absolute(path)
        real = self._workspace.locate(folder).path
        try:
            with os.scandir(real) as found:
                all_names = [each for each in found if _is_shown(each.name)]
        except OSError as error:
            raise EditorError(f"cannot list {path}: {error.strerror}") from error
        rule = self._ignore.rule(real)
        entries = [self._entry(folder, each, rule) for each in all_names[:MAX_ENTRIES]]
        entries.sort(key=lambda entry: (not entry.is_folder, entry.name.casefold()))
        return Entries(tuple(entries), is_cut=len(all_names) > MAX_ENTRIES)

    def _entry(
        self, folder: str, found: os.DirEntry[str], rule: Callable[[str, bool], bool]
    ) -> Entry:
        path = str(Path(folder) / found.name)
        is_link = found.is_symlink()
        is_folder = self._is_folder(found, path)
        return Entry(
            name=found.name,
            path=path,
            kind="link" if is_link else "folder" if is_folder else "file",
            is_ignored=rule(found.name, is_folder),
            is_denied=self._is_denied(path + "/" if is_folder else path),
            size=_size(found),
            is_folder=is_folder,
        )

    def _is_folder(self, found: os.DirEntry[str], path: str) -> bool:
        if not found.is_symlink():
            return found.is_dir(follow_symlinks=False)
        try:
            return Path(self._workspace.locate(path).path).is_dir()
        except OutsideWorkspace:
            return False  # what a link outside points to is nobody's business

    def files(self) -> list[str]:
        """Every file that git does not ignore, links left out; MAX_FILES at the most."""
        return [path for path, is_folder in self.walk() if not is_folder]

    def folders(self) -> list[str]:
        """Every folder that git does not ignore, the workspace folders first."""
        inner = [path for path, is_folder in self.walk() if is_folder]
        return [*self._workspace.folders, *inner]

    def walk(self) -> Iterator[tuple[str, bool]]:
        """Files and folders that git does not ignore, breadth first, and which is which."""
        waiting = [(folder, self._ignore.above(folder)) for folder in self._workspace.folders]
        count = 0
        for folder, outer in waiting:
            names = _listed(folder)
            rules = self._ignore.within(folder, outer) if (".gitignore", False) in names else outer
            for name, is_folder in names:
                path = os.path.join(folder, name)  # noqa: PTH118 - pathlib is slow, these are many
                if is_folder and name in SKIPPED_FOLDERS:
                    continue
                if rules and is_ignored(rules, path, is_folder=is_folder):
                    continue
                count += 1
                if count > MAX_FILES:
                    return
                if is_folder:
                    waiting.append((path, rules))
                yield path, is_folder


Rules = tuple[tuple[GitIgnoreSpec, str], ...]
"""The `.gitignore` files that count in a folder, the outermost first, each with its folder."""


class Ignore:
    """What git ignores in some folders, read again when a `.gitignore` changed."""

    def __init__(self, folders: Iterable[str]) -> None:
        self._roots = tuple(folders)
        self._read: dict[str, tuple[int, GitIgnoreSpec]] = {}

    def above(self, root: str) -> Rules:
        """The rules of the repository that a workspace folder is a part of."""
        if (Path(root) / ".git").exists():
            return ()
        around: list[str] = []
        for parent in Path(root).parents:
            around.append(str(parent))
            if (parent / ".git").exists():
                return self._rules(reversed(around))
        return ()

    def within(self, folder: str, outer: Rules) -> Rules:
        """The rules in a folder, when those outside it are known."""
        return (*outer, *self._rules([folder]))

    def rule(self, folder: str) -> Callable[[str, bool], bool]:
        """Tell of names in a folder whether they are ignored."""
        root = max((root for root in self._roots if Path(folder).is_relative_to(root)), key=len)
        inner = Path(folder).relative_to(root).parts
        ways = [str(Path(root).joinpath(*inner[:depth])) for depth in range(len(inner) + 1)]
        rules = (*self.above(root), *self._rules(ways))
        all_are = any(
            Path(way).name in HIDDEN or is_ignored(rules, way, is_folder=True) for way in ways[1:]
        )

        def one_is(name: str, is_folder: bool) -> bool:
            path = os.path.join(folder, name)  # noqa: PTH118 - as above
            return all_are or name in HIDDEN or is_ignored(rules, path, is_folder=is_folder)

        return one_is

    def _rules(self, folders: Iterable[str]) -> Rules:
        return tuple((spec, each) for each in folders if (spec := self._spec(each)) is not None)

    def _spec(self, folder: str) -> GitIgnoreSpec | None:
        file = Path(folder) / ".gitignore"
        try:
            found = file.stat()
        except OSError:
            return None
        known = self._read.get(folder)
        if known is None or known[0] != found.st_mtime_ns:
            known = self._read[folder] = (found.st_mtime_ns, _compiled(file))
        return known[1]


def is_ignored(rules: Rules, path: str, *, is_folder: bool) -> bool:
    """Whether git ignores a path: the innermost rule that says anything decides."""
    for spec, folder in reversed(rules):
        relative = path[len(folder) :].lstrip(os.sep).replace(os.sep, "/")
        if not relative or not path.startswith(folder):
            continue
        included = spec.check_file(relative + "/" if is_folder else relative).include
        if included is not None:
            return included
    return False


def _compiled(file: Path) -> GitIgnoreSpec:
    try:
        with file.open("rb") as opened:
            lines = opened.read(MAX_IGNORE_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        lines = []
    return GitIgnoreSpec.from_lines(line for line in lines if _is_pattern(line))


def _is_pattern(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False  # git skips it, too
    return True


def _listed(folder: str) -> list[tuple[str, bool]]:
    try:
        with os.scandir(folder) as found:
            return sorted(
                (each.name, each.is_dir(follow_symlinks=False))
                for each in found
                if _is_shown(each.name) and not each.is_symlink()
            )
    except OSError:
        return []


def _is_shown(name: str) -> bool:
    """Names that are no text cannot be told to a page; our own half-written files need not be."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return not (name.endswith(".tmp") and name.startswith("."))


def _size(found: os.DirEntry[str]) -> int:
    try:
        return found.stat(follow_symlinks=False).st_size
    except OSError:
        return 0

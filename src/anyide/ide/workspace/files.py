"""Reading, writing and listing files that never leave the workspace folders.

A path is walked from the folder down, each step opened relative to the one before and never through
a symbolic link, so that nobody can swap a folder for a link between a check and its use. Where the
system cannot open relative to a folder (Windows), the resolved path is checked instead.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from pathspec import GitIgnoreSpec

from anyide.editor.document import DecodedText, decode, encode
from anyide.errors import EditorError, InvalidParams, OutsideWorkspace

MAX_FILE_BYTES = 64 * 1024 * 1024
MAX_LISTED = 100_000
"""Files that one listing walks through at the most."""
SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv"})

_WALKS = os.open in os.supports_dir_fd
_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_NO_FOLLOW |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def parts_inside(path: str) -> list[str]:
    """Split a path that is relative to the workspace; a slash before it means its root.

    Raises OutsideWorkspace for one that could lead out: `..`, `~`, a drive, another root.
    """
    slashed = path.replace("\\", "/")
    if "\0" in path or slashed.startswith(("//", "~")) or ":" in slashed.split("/")[0]:
        raise OutsideWorkspace(f"{path!r} is not a path inside the workspace")
    parts = [part for part in slashed.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise OutsideWorkspace(f"{path!r} leads out of the workspace")
    if not parts:
        raise EditorError("the path is empty")
    return parts


def read(folder: str, path: str) -> DecodedText | None:
    """Read a text file, None where there is none; raises EditorError when it is not to be read."""
    parts = parts_inside(path)
    try:
        with _translated(path), _parent(folder, parts[:-1], make=False) as parent:
            return _read_at(_at(folder, parts, parent), path, parent)
    except FileNotFoundError:
        return None


def _read_at(place: str, path: str, parent: int | None) -> DecodedText:
    handle = os.open(place, os.O_RDONLY | _NO_FOLLOW, dir_fd=parent)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise EditorError(f"{path} is not a file")
        with os.fdopen(handle, "rb", closefd=False) as file:
            data = file.read(MAX_FILE_BYTES + 1)
    finally:
        os.close(handle)
    if len(data) > MAX_FILE_BYTES:
        raise EditorError(f"{path} has more than {MAX_FILE_BYTES} bytes")
    return decode(data)


def write(folder: str, path: str, text: DecodedText) -> None:
    """Write a text file, whole or not at all; folders on the way are made."""
    parts = parts_inside(path)
    data = encode(text)
    with _translated(path), _parent(folder, parts[:-1], make=True) as parent:
        _replace(lambda name: _at(folder, [*parts[:-1], name], parent), parts[-1], data, parent)


def listed(folder: str, pattern: str = "", *, limit: int = MAX_LISTED) -> Iterator[str]:
    """The files below a folder, as paths from it with forward slashes; links are not followed.

    A pattern is one of gitignore: `*.py` anywhere, `src/*.py` there, `src/**` everything below.
    Raises InvalidParams for what is no pattern.
    """
    wanted = _matcher(pattern)
    seen = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - SKIPPED_FOLDERS)
        for name in sorted(names):
            seen += 1
            if seen > limit:
                return
            relative = (Path(place) / name).relative_to(folder).as_posix()
            if wanted is None or wanted.match_file(relative):
                yield relative


def _matcher(pattern: str) -> GitIgnoreSpec | None:
    if not pattern:
        return None
    try:
        # What would begin a comment or a negation begins a name here.
        return GitIgnoreSpec.from_lines([f"\\{pattern}" if pattern[0] in "#!" else pattern])
    except (ValueError, re.error) as error:
        raise InvalidParams(f"pattern: {error}") from error


@contextlib.contextmanager
def _parent(folder: str, parts: list[str], *, make: bool) -> Iterator[int | None]:
    """The open folder that holds a file; None where paths have to do."""
    if not _WALKS:
        _require_inside(folder, parts, make=make)
        yield None
        return
    handle = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        for part in parts:
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, dir_fd=handle)
            deeper = os.open(part, _DIRECTORY, dir_fd=handle)
            os.close(handle)
            handle = deeper
        yield handle
    finally:
        os.close(handle)


def _require_inside(folder: str, parts: list[str], *, make: bool) -> None:
    root = Path(folder).resolve()
    place = root.joinpath(*parts)
    if make:
        place.mkdir(parents=True, exist_ok=True)
    if not place.resolve().is_relative_to(root):
        raise OutsideWorkspace(f"{'/'.join(parts)} leads out of the workspace")


def _at(folder: str, parts: list[str], parent: int | None) -> str:
    return str(Path(folder).joinpath(*parts)) if parent is None else parts[-1]


def _replace(at: Callable[[str], str], name: str, data: bytes, parent: int | None) -> None:
    target, fresh = at(name), at(f".{name[:100]}.{secrets.token_hex(4)}.tmp")
    mode = _mode_of(target, parent)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW
    handle = os.open(fresh, flags, 0o666, dir_fd=parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), mode)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, target, src_dir_fd=parent, dst_dir_fd=parent)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(fresh, dir_fd=parent)
        raise


def _mode_of(target: str, parent: int | None) -> int | None:
    try:
        found = os.stat(target, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.ELOOP, "not a regular file")
    return stat.S_IMODE(found.st_mode)


@contextlib.contextmanager
def _translated(path: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
            raise OutsideWorkspace(f"{path} goes through a symbolic link") from error
        raise EditorError(error.strerror or str(error)) from error

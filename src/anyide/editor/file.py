"""Text files on the disk: read whole, written so that nobody ever sees half of one.

A write goes to a new file beside the old one, which then takes its place: mode, owner where we may,
and symbolic links stay. A hard link does not: the other name keeps the old text.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path
from typing import IO, Protocol

import msgspec

from anyide.editor.document import DecodedText, decode, encode
from anyide.errors import EditorError

MAX_FILE_BYTES = 64 * 1024 * 1024


class DiskState(msgspec.Struct, frozen=True):
    """What tells one state of a file from the next, without reading it."""

    modified_ns: int
    size: int
    inode: int


class Disk(Protocol):
    """Where an editor's documents are read and written; each method raises EditorError."""

    def state(self, path: str) -> DiskState | None:
        """Give the state of a file, None when it is not there or cannot be looked at."""

    def read(self, path: str) -> tuple[DecodedText, DiskState]:
        """Read a file and tell the state it was read in."""

    def write(self, path: str, decoded: DecodedText) -> DiskState:
        """Replace a file's text, or make the file, and tell the state it is left in."""


class WholeDisk:
    """Every file of this machine."""

    def state(self, path: str) -> DiskState | None:
        """Give the state of a file."""
        return disk_state(path)

    def read(self, path: str) -> tuple[DecodedText, DiskState]:
        """Read a file."""
        return read_with_state(path)

    def write(self, path: str, decoded: DecodedText) -> DiskState:
        """Write a file."""
        return write_text(path, decoded)


def disk_state(path: str) -> DiskState | None:
    """Give the state of a file, None when it is not there or cannot be looked at."""
    try:
        found = Path(path).stat()
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return None
    return _state_of(found)


def _state_of(found: os.stat_result) -> DiskState:
    return DiskState(found.st_mtime_ns, found.st_size, found.st_ino)


def read_text(path: str) -> DecodedText:
    """Read a file.

    Raises EditorError when there is none, when it is no plain file, or over MAX_FILE_BYTES.
    """
    return read_with_state(path)[0]


def read_with_state(path: str) -> tuple[DecodedText, DiskState]:
    """Read a file and tell the state it was read in; raises as read_text does."""
    try:
        # Looked at before it is opened: opening a pipe would wait for its other end.
        _require_readable(path, Path(path).stat())
        with Path(path).open("rb") as file:
            found = os.fstat(file.fileno())
            _require_readable(path, found)
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        raise EditorError(f"cannot read {path}: {_reason(error)}") from error
    if len(data) > MAX_FILE_BYTES:
        raise EditorError(_too_big(path))
    return decode(data), _state_of(found)


def _require_readable(path: str, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise EditorError(f"cannot read {path}: it is not a plain file")
    if found.st_size > MAX_FILE_BYTES:
        raise EditorError(_too_big(path))


def _too_big(path: str) -> str:
    return f"cannot read {path}: it is larger than {MAX_FILE_BYTES} bytes"


def write_text(path: str, decoded: DecodedText) -> DiskState:
    """Replace a file's text at one stroke, or make the file, and tell the state it is left in.

    Raises EditorError when that cannot be done; the old file is then as it was.
    """
    data = encode(decoded)
    try:
        target = Path(path).resolve()
        old = _writable_state(target)
        return _replace(target, data, old)
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: a loop of links
        raise EditorError(f"cannot write {path}: {_reason(error)}") from error


def _writable_state(target: Path) -> os.stat_result | None:
    try:
        old = target.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(old.st_mode):
        raise EditorError(f"cannot write {target}: it is not a plain file")
    if not os.access(target, os.W_OK):  # a rename would not mind
        raise EditorError(f"cannot write {target}: it is read-only")
    return old


def _replace(target: Path, data: bytes, old: os.stat_result | None) -> DiskState:
    # Not tempfile: that makes files 0600, where a new file is to have the mode the umask gives.
    fresh = target.with_name(f".anyide-{secrets.token_hex(8)}.tmp")
    try:
        with fresh.open("xb") as file:
            file.write(data)
            _keep_owner_and_mode(file, fresh, old)
            file.flush()
            os.fsync(file.fileno())
            state = _state_of(os.fstat(file.fileno()))
        fresh.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise
    return state


def _keep_owner_and_mode(file: IO[bytes], fresh: Path, old: os.stat_result | None) -> None:
    if old is None:
        return
    if hasattr(os, "fchown"):
        with contextlib.suppress(PermissionError):
            os.fchown(file.fileno(), old.st_uid, old.st_gid)
    fresh.chmod(stat.S_IMODE(old.st_mode))  # after the owner: changing that clears bits


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error)

"""The database file: made private, opened, checked, and set aside when it is damaged.

It survives `kill -9` at any moment: every change is one transaction, journalled in a write-ahead
log. Several processes may have it open at once; each waits for the others, `BUSY_SECONDS` at most.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import logging
import os
import sqlite3
import time
from typing import TYPE_CHECKING, Self

from anyide.errors import StateError
from anyide.state.directory import cannot_keep, make_private_directory
from anyide.state.schema import migrate
from anyide.state.transaction import transaction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

log = logging.getLogger(__name__)

BUSY_SECONDS = 5.0
SIDE_FILES = ("-wal", "-shm")
MAGIC = b"SQLite format 3\0"
DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class Database:
    """A file, open; `damaged` is where a damaged one was set aside, if there was one."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        *,
        damaged: Path | None,
        now: Callable[[], float],
    ) -> None:
        self.damaged = damaged
        self.now = now
        self._connection = connection
        self._name = path.name

    @classmethod
    def open(cls, path: Path, *, now: Callable[[], float] = time.time) -> Self:
        """Open the file, make or mend it as needed; raises `StateError`."""
        make_private_directory(path.parent)
        damaged = None
        with _translated(path):
            _make_private_file(path)
            file = path.stat().st_ino
            connection = _open_sound(path)
            if connection is None:
                damaged = _set_aside(path, file)
                _make_private_file(path)
                connection = _open_sound(path)
        if connection is None:
            raise StateError(f"{path} was damaged again as soon as it was made")
        return cls(connection, path, damaged=damaged, now=now)

    def close(self) -> None:
        """Close the file; what was remembered is already safe."""
        self._connection.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run statements that count together or not at all; raises `StateError`."""
        with _translated(self._name), transaction(self._connection):
            yield self._connection


def folder_key(folders: Iterable[Path]) -> str:
    """The same text for the same set of folders, however they were named and ordered."""
    return json.dumps(sorted({os.path.normcase(folder.resolve()) for folder in folders}))


@contextlib.contextmanager
def _translated(path: Path | str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise cannot_keep(path, error.strerror) from error
    except sqlite3.Error as error:
        raise cannot_keep(path, str(error)) from error


def _open_sound(path: Path) -> sqlite3.Connection | None:
    """A connection to a file that was checked and is up to date, or `None` if it is damaged."""
    if not _is_database(path):
        return None
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        if _is_sound(connection):
            migrate(connection, path)
            return connection
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF not in DAMAGE:
            connection.close()
            raise
    except StateError:
        connection.close()
        raise
    connection.close()
    return None


def _make_private_file(path: Path) -> None:
    # Made by us before SQLite does: its side files take over these permissions.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    if os.name == "posix" and path.stat().st_mode & 0o077:
        path.chmod(0o600)


def _is_database(path: Path) -> bool:
    # SQLite would throw away the log of a file that it cannot read. The log is looked at first:
    # who makes a new database writes the file's head before it.
    log_file = path.with_name(path.name + "-wal")
    has_log = log_file.exists() and log_file.stat().st_size > 0
    with path.open("rb") as file:
        head = file.read(len(MAGIC))
    return head == MAGIC or (not head and not has_log)


def _is_sound(connection: sqlite3.Connection) -> bool:
    connection.execute("PRAGMA journal_mode = WAL")
    # With a write-ahead log NORMAL loses nothing to a killed process, only to a power cut.
    connection.execute("PRAGMA synchronous = NORMAL")
    # A token that was deleted must not linger in free pages.
    connection.execute("PRAGMA secure_delete = ON")
    return bool(connection.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",))


def _set_aside(path: Path, file: int) -> Path | None:
    """Rename a damaged database with its side files, and say so.

    `None` if it is not that file any more: another process that saw the damage was quicker.
    """
    aside = _free_name(path)
    with contextlib.suppress(FileNotFoundError):
        if path.stat().st_ino != file:
            return None
        # The log goes first: a new database beside it would take its pages for its own.
        for side in SIDE_FILES:
            with contextlib.suppress(FileNotFoundError):
                path.with_name(path.name + side).rename(aside.with_name(aside.name + side))
        path.rename(aside)
        log.warning("%s was damaged and is now %s; a new one was begun", path, aside)
        return aside
    return None


def _free_name(path: Path) -> Path:
    name = f"{path.name}.damaged-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}"
    names = (name if number == 1 else f"{name}-{number}" for number in itertools.count(1))
    return next(aside for name in names if not (aside := path.with_name(name)).exists())

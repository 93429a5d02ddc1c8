"""What is kept between runs: one SQLite database in the state directory of the platform.

It survives `kill -9` at any moment: every change is one transaction, journalled in a write-ahead
log. A damaged file is set aside under another name and said so. Several processes may have it
open at once; each waits for the others, `BUSY_SECONDS` at most. A new table is one more entry in
`MIGRATIONS` and the methods that use it.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import logging
import os
import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

import msgspec

from anyide.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

log = logging.getLogger(__name__)

BUSY_SECONDS = 5.0
ENDPOINT_SECONDS = 600.0
PAGE_SECONDS = 30 * 86400.0
"""How long a page that was left open finds its server again."""
DRAFT_SECONDS = 90 * 86400.0
MAX_DECISIONS = 100
MAX_DECISION_CHARACTERS = 200_000
"""Of each of its texts; a decision about longer ones is kept without them."""
MAX_REVIEW_DRAFTS = 50
FILE_NAME = "state.db"
SIDE_FILES = ("-wal", "-shm")
MAGIC = b"SQLite format 3\0"
DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})

# One statement each, run in order, never changed once released: the number of those that were run
# is the version of the schema, kept in the file itself.
MIGRATIONS = (
    """CREATE TABLE endpoint (
        folders TEXT PRIMARY KEY, port INTEGER NOT NULL, token TEXT NOT NULL, kept_at REAL NOT NULL
    )""",
    """CREATE TABLE page (
        folders TEXT PRIMARY KEY, port INTEGER NOT NULL, cookie TEXT NOT NULL,
        control TEXT NOT NULL, kept_at REAL NOT NULL
    )""",
    """CREATE TABLE draft (
        folders TEXT NOT NULL, run TEXT NOT NULL, path TEXT NOT NULL, text TEXT NOT NULL,
        on_disk TEXT, kept_at REAL NOT NULL, PRIMARY KEY (folders, run, path)
    )""",
    """CREATE TABLE decision (
        number INTEGER PRIMARY KEY, folders TEXT NOT NULL, decision TEXT NOT NULL
    )""",
    """CREATE TABLE review_draft (
        review TEXT PRIMARY KEY, draft TEXT NOT NULL, kept_at REAL NOT NULL
    )""",
)


class Endpoint(msgspec.Struct, frozen=True):
    """Where a server listened; its token is never shown."""

    port: int
    token: str

    def __repr__(self) -> str:
        return f"Endpoint(port={self.port})"


class PageEndpoint(msgspec.Struct, frozen=True):
    """Where a page was served; what opens it is never shown."""

    port: int
    cookie: str
    control: str

    def __repr__(self) -> str:
        return f"PageEndpoint(port={self.port})"


class Draft(msgspec.Struct, frozen=True):
    """Unsaved text of a document; `on_disk` is the state of the file that it was typed over."""

    path: str
    text: str
    on_disk: str | None
    kept_at: float = 0.0
    run: str = ""


class Decision(msgspec.Struct, frozen=True, rename="camel"):
    """How a review ended; `is_cut` tells that its texts were too long to be kept."""

    id: str
    path: str
    session: str
    verdict: str
    at: float
    old_text: str | None
    proposed_text: str
    final_text: str | None
    cause: str | None = None
    reason: str = ""
    is_cut: bool = False


def state_directory() -> Path:
    """Where state and logs are kept: `ANYIDE_STATE_DIR`, or what the platform says."""
    if named := os.environ.get("ANYIDE_STATE_DIR"):
        return Path(named)
    import platformdirs  # noqa: PLC0415 - slow, and not needed by who gives a path

    return platformdirs.user_state_path("anyide", appauthor=False)


def make_private_directory(directory: Path) -> None:
    """Make a directory that only its owner can enter; raises `StateError`."""
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        # One that is there already may be shared on purpose: our files are private all the same.
        directory.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise _cannot_keep(directory, error.strerror) from error


class State:
    """The database, open; `damaged` is where a damaged one was set aside, if there was one."""

    def __init__(
        self,
        database: sqlite3.Connection,
        *,
        damaged: Path | None,
        now: Callable[[], float],
    ) -> None:
        self.damaged = damaged
        self._database = database
        self._now = now

    @classmethod
    def open(cls, path: Path | None = None, *, now: Callable[[], float] = time.time) -> Self:
        """Open the database, make or mend it as needed; raises `StateError`."""
        path = state_directory() / FILE_NAME if path is None else path
        make_private_directory(path.parent)
        damaged = None
        with _translated(path):
            _make_private_file(path)
            file = path.stat().st_ino
            database = _open_sound(path)
            if database is None:
                damaged = _set_aside(path, file)
                _make_private_file(path)
                database = _open_sound(path)
        if database is None:
            raise StateError(f"{path} was damaged again as soon as it was made")
        return cls(database, damaged=damaged, now=now)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; what was remembered is already safe."""
        self._database.close()

    def remember_endpoint(self, folders: Iterable[Path], port: int, token: str) -> None:
        """Keep the port and token of the server of these folders, from now on."""
        now = self._now()
        with self._transaction() as database:
            database.execute("DELETE FROM endpoint WHERE kept_at < ?", (now - ENDPOINT_SECONDS,))
            database.execute(
                "INSERT OR REPLACE INTO endpoint VALUES (?, ?, ?, ?)",
                (_folder_key(folders), port, token, now),
            )

    def recall_endpoint(
        self, folders: Iterable[Path], max_age: float = ENDPOINT_SECONDS
    ) -> Endpoint | None:
        """The port and token last remembered for these folders, unless that was too long ago."""
        with self._transaction() as database:
            row = database.execute(
                "SELECT port, token, kept_at FROM endpoint WHERE folders = ?",
                (_folder_key(folders),),
            ).fetchone()
        # A clock that was set back makes an age negative: that is no reason to forget.
        if row is None or abs(self._now() - row[2]) > max_age:
            return None
        return Endpoint(row[0], row[1])

    # The browser editor: its address, unsaved text, decisions

    def remember_page(self, folders: Iterable[Path], page: PageEndpoint) -> None:
        """Keep where the page of these folders is and what opens it."""
        now = self._now()
        with self._transaction() as database:
            database.execute("DELETE FROM page WHERE kept_at < ?", (now - PAGE_SECONDS,))
            database.execute(
                "INSERT OR REPLACE INTO page VALUES (?, ?, ?, ?, ?)",
                (_folder_key(folders), page.port, page.cookie, page.control, now),
            )

    def recall_page(self, folders: Iterable[Path]) -> PageEndpoint | None:
        """Where the page of these folders was last."""
        with self._transaction() as database:
            row = database.execute(
                "SELECT port, cookie, control FROM page WHERE folders = ?", (_folder_key(folders),)
            ).fetchone()
        return None if row is None else PageEndpoint(*row)

    def keep_draft(self, folders: Iterable[Path], draft: Draft) -> None:
        """Keep the unsaved text of a document, in the place of what this run kept of it before."""
        with self._transaction() as database:
            database.execute(
                "INSERT OR REPLACE INTO draft VALUES (?, ?, ?, ?, ?, ?)",
                (
                    *(_folder_key(folders), draft.run, draft.path, draft.text),
                    *(draft.on_disk, self._now()),
                ),
            )

    def drop_draft(self, folders: Iterable[Path], run: str, path: str) -> None:
        """Forget what a run kept of a document."""
        with self._transaction() as database:
            database.execute(
                "DELETE FROM draft WHERE folders = ? AND run = ? AND path = ?",
                (_folder_key(folders), run, path),
            )

    def drafts(self, folders: Iterable[Path]) -> list[Draft]:
        """The unsaved texts of these folders, the latest first."""
        with self._transaction() as database:
            database.execute("DELETE FROM draft WHERE kept_at < ?", (self._now() - DRAFT_SECONDS,))
            rows = database.execute(
                "SELECT path, text, on_disk, kept_at, run FROM draft WHERE folders = ?"
                " ORDER BY kept_at DESC",
                (_folder_key(folders),),
            ).fetchall()
        return [Draft(*row) for row in rows]

    def add_decision(self, folders: Iterable[Path], decision: Decision) -> None:
        """Keep how a review ended, the last `MAX_DECISIONS` of these folders."""
        key = _folder_key(folders)
        kept = msgspec.json.encode(_bounded(decision)).decode()
        with self._transaction() as database:
            database.execute("INSERT INTO decision (folders, decision) VALUES (?, ?)", (key, kept))
            database.execute(
                "DELETE FROM decision WHERE folders = ?1 AND number NOT IN ("
                "SELECT number FROM decision WHERE folders = ?1 ORDER BY number DESC LIMIT ?2)",
                (key, MAX_DECISIONS),
            )

    def decisions(self, folders: Iterable[Path], limit: int = MAX_DECISIONS) -> list[Decision]:
        """How the reviews of these folders ended, the latest first."""
        with self._transaction() as database:
            rows = database.execute(
                "SELECT decision FROM decision WHERE folders = ? ORDER BY number DESC LIMIT ?",
                (_folder_key(folders), limit),
            ).fetchall()
        return [msgspec.json.decode(row[0], type=Decision) for row in rows]

    def keep_review_draft(self, review: str, draft: str) -> None:
        """Keep what a person made of a proposal so far, for the latest `MAX_REVIEW_DRAFTS`."""
        with self._transaction() as database:
            database.execute(
                "INSERT OR REPLACE INTO review_draft VALUES (?, ?, ?)", (review, draft, self._now())
            )
            database.execute(
                "DELETE FROM review_draft WHERE review NOT IN ("
                "SELECT review FROM review_draft ORDER BY kept_at DESC LIMIT ?)",
                (MAX_REVIEW_DRAFTS,),
            )

    def review_draft(self, review: str) -> str | None:
        """What a person made of a proposal so far."""
        with self._transaction() as database:
            row = database.execute(
                "SELECT draft FROM review_draft WHERE review = ?", (review,)
            ).fetchone()
        return None if row is None else str(row[0])

    def drop_review_draft(self, review: str) -> None:
        """Forget what a person made of a proposal."""
        with self._transaction() as database:
            database.execute("DELETE FROM review_draft WHERE review = ?", (review,))

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Run statements that count together or not at all."""
        with _translated(FILE_NAME), _transaction(self._database):
            yield self._database


def _bounded(decision: Decision) -> Decision:
    texts = (decision.old_text, decision.proposed_text, decision.final_text)
    if all(len(text or "") <= MAX_DECISION_CHARACTERS for text in texts):
        return decision
    return msgspec.structs.replace(
        decision, old_text=None, proposed_text="", final_text=None, is_cut=True
    )


def _folder_key(folders: Iterable[Path]) -> str:
    """The same text for the same set of folders, however they were named and ordered."""
    return json.dumps(sorted({os.path.normcase(folder.resolve()) for folder in folders}))


@contextlib.contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    # IMMEDIATE takes the lock at once: a read that wants to write later could not wait for it.
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


@contextlib.contextmanager
def _translated(path: Path | str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _cannot_keep(path, error.strerror) from error
    except sqlite3.Error as error:
        raise _cannot_keep(path, str(error)) from error


def _cannot_keep(path: Path | str, why: str | None) -> StateError:
    return StateError(
        f"cannot keep state in {path}: {why}; ANYIDE_STATE_DIR can name another directory"
    )


def _open_sound(path: Path) -> sqlite3.Connection | None:
    """The database, checked and up to date, or `None` if its file is damaged."""
    if not _is_database(path):
        return None
    database = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        if _is_sound(database):
            _migrate(database, path)
            return database
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF not in DAMAGE:
            database.close()
            raise
    except StateError:
        database.close()
        raise
    database.close()
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


def _is_sound(database: sqlite3.Connection) -> bool:
    database.execute("PRAGMA journal_mode = WAL")
    # With a write-ahead log NORMAL loses nothing to a killed process, only to a power cut.
    database.execute("PRAGMA synchronous = NORMAL")
    # A token that was deleted must not linger in free pages.
    database.execute("PRAGMA secure_delete = ON")
    return bool(database.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",))


def _migrate(database: sqlite3.Connection, path: Path) -> None:
    if _version(database) == len(MIGRATIONS):
        return
    with _transaction(database):
        version = _version(database)  # again: another process may have been quicker
        if version > len(MIGRATIONS):
            raise StateError(f"{path} was written by a newer anyide: please update this one")
        for statement in MIGRATIONS[version:]:
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")


def _version(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])


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

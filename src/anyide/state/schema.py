"""The tables, and how a database of an older anyide gets those that it lacks."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from anyide.errors import StateError
from anyide.state.transaction import transaction

if TYPE_CHECKING:
    from pathlib import Path

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


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables that are missing; raises `StateError` for what a newer anyide wrote."""
    if _version(connection) == len(MIGRATIONS):
        return
    with transaction(connection):
        version = _version(connection)  # again: another process may have been quicker
        if version > len(MIGRATIONS):
            raise StateError(f"{path} was written by a newer anyide: please update this one")
        for statement in MIGRATIONS[version:]:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from anyide.errors import StateError
from anyide.state.endpoint import PageEndpoint
from anyide.state.schema import MIGRATIONS
from anyide.state.store import State

FOLDER = Path("/project")


def test_an_older_database_is_brought_up_to_date(path: Path) -> None:
    path.parent.mkdir()
    sqlite3.connect(path).close()
    State.open(path).close()
    database = sqlite3.connect(path)
    assert database.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    database.close()


def test_a_database_of_the_first_version_is_brought_up_to_date(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as old:
        old.execute(MIGRATIONS[0])
        old.execute("PRAGMA user_version = 1")
    old.close()
    with State.open(path) as state:
        state.pages.remember([FOLDER], PageEndpoint(1, "c", "k"))
        assert state.drafts.of([FOLDER]) == []
        assert state.damaged is None


def test_a_database_of_a_newer_anyide_is_left_alone(path: Path) -> None:
    State.open(path).close()
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 999")
    database.close()
    with pytest.raises(StateError, match="newer anyide"):
        State.open(path)
    assert not list(path.parent.glob("*.damaged-*"))

"""Everything that is kept, open.

    with State.open() as state:
        state.drafts.keep(folders, draft)

A new kind of thing is one more entry in `schema.MIGRATIONS`, a class for it, and a line here.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self

from anyide.state.database import Database
from anyide.state.directory import state_directory
from anyide.state.draft import Drafts
from anyide.state.endpoint import Endpoints, PageEndpoints
from anyide.state.review import Decisions, ReviewDrafts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FILE_NAME = "state.db"


class State:
    """What is kept, by its kind; `damaged` is where a damaged database was set aside, if any."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.damaged = database.damaged
        self.endpoints = Endpoints(database)
        self.pages = PageEndpoints(database)
        self.drafts = Drafts(database)
        self.decisions = Decisions(database)
        self.review_drafts = ReviewDrafts(database)

    @classmethod
    def open(cls, path: Path | None = None, *, now: Callable[[], float] = time.time) -> Self:
        """Open the database, make or mend it as needed; raises `StateError`."""
        return cls(Database.open(path or state_directory() / FILE_NAME, now=now))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; what was remembered is already safe."""
        self._database.close()

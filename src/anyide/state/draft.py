"""Unsaved texts of documents, kept by folders, run and path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from anyide.state.database import folder_key

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from anyide.state.database import Database

DRAFT_SECONDS = 90 * 86400.0


class Draft(msgspec.Struct, frozen=True):
    """Unsaved text of a document; `on_disk` is the state of the file that it was typed over."""

    path: str
    text: str
    on_disk: str | None
    kept_at: float = 0.0
    run: str = ""


class Drafts:
    """The unsaved texts, `DRAFT_SECONDS` at most."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, folders: Iterable[Path], draft: Draft) -> None:
        """Keep the unsaved text of a document, in the place of what this run kept of it before."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO draft VALUES (?, ?, ?, ?, ?, ?)",
                (
                    *(folder_key(folders), draft.run, draft.path, draft.text),
                    *(draft.on_disk, self._database.now()),
                ),
            )

    def drop(self, folders: Iterable[Path], run: str, path: str) -> None:
        """Forget what a run kept of a document."""
        with self._database.transaction() as connection:
            connection.execute(
                "DELETE FROM draft WHERE folders = ? AND run = ? AND path = ?",
                (folder_key(folders), run, path),
            )

    def of(self, folders: Iterable[Path]) -> list[Draft]:
        """The unsaved texts of these folders, the latest first."""
        oldest = self._database.now() - DRAFT_SECONDS
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM draft WHERE kept_at < ?", (oldest,))
            rows = connection.execute(
                "SELECT path, text, on_disk, kept_at, run FROM draft WHERE folders = ?"
                " ORDER BY kept_at DESC",
                (folder_key(folders),),
            ).fetchall()
        return [Draft(*row) for row in rows]

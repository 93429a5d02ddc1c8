"""Where servers and pages listened, and what opens them: a restart takes their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from anyide.state.database import folder_key

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from anyide.state.database import Database

ENDPOINT_SECONDS = 600.0
PAGE_SECONDS = 30 * 86400.0
"""How long a page that was left open finds its server again."""


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


class Endpoints:
    """The servers, by their folders."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def remember(self, folders: Iterable[Path], port: int, token: str) -> None:
        """Keep the port and token of the server of these folders, from now on."""
        now = self._database.now()
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM endpoint WHERE kept_at < ?", (now - ENDPOINT_SECONDS,))
            connection.execute(
                "INSERT OR REPLACE INTO endpoint VALUES (?, ?, ?, ?)",
                (folder_key(folders), port, token, now),
            )

    def recall(self, folders: Iterable[Path], max_age: float = ENDPOINT_SECONDS) -> Endpoint | None:
        """The port and token last remembered for these folders, unless that was too long ago."""
        with self._database.transaction() as connection:
            row = connection.execute(
                "SELECT port, token, kept_at FROM endpoint WHERE folders = ?",
                (folder_key(folders),),
            ).fetchone()
        # A clock that was set back makes an age negative: that is no reason to forget.
        if row is None or abs(self._database.now() - row[2]) > max_age:
            return None
        return Endpoint(row[0], row[1])


class PageEndpoints:
    """The pages of the browser editor, by their folders."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def remember(self, folders: Iterable[Path], page: PageEndpoint) -> None:
        """Keep where the page of these folders is and what opens it."""
        now = self._database.now()
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM page WHERE kept_at < ?", (now - PAGE_SECONDS,))
            connection.execute(
                "INSERT OR REPLACE INTO page VALUES (?, ?, ?, ?, ?)",
                (folder_key(folders), page.port, page.cookie, page.control, now),
            )

    def recall(self, folders: Iterable[Path]) -> PageEndpoint | None:
        """Where the page of these folders was last."""
        with self._database.transaction() as connection:
            row = connection.execute(
                "SELECT port, cookie, control FROM page WHERE folders = ?", (folder_key(folders),)
            ).fetchone()
        return None if row is None else PageEndpoint(*row)

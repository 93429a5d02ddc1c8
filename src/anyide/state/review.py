"""How reviews ended, and what a person made of those that are not over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from anyide.state.database import folder_key

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from anyide.state.database import Database

MAX_DECISIONS = 100
MAX_DECISION_CHARACTERS = 200_000
"""Of each of its texts; a decision about longer ones is kept without them."""
MAX_REVIEW_DRAFTS = 50


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


class Decisions:
    """How reviews ended, the last `MAX_DECISIONS` of each set of folders."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, folders: Iterable[Path], decision: Decision) -> None:
        """Keep how a review ended."""
        key = folder_key(folders)
        kept = msgspec.json.encode(_bounded(decision)).decode()
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO decision (folders, decision) VALUES (?, ?)", (key, kept)
            )
            connection.execute(
                "DELETE FROM decision WHERE folders = ?1 AND number NOT IN ("
                "SELECT number FROM decision WHERE folders = ?1 ORDER BY number DESC LIMIT ?2)",
                (key, MAX_DECISIONS),
            )

    def of(self, folders: Iterable[Path], limit: int = MAX_DECISIONS) -> list[Decision]:
        """How the reviews of these folders ended, the latest first."""
        with self._database.transaction() as connection:
            rows = connection.execute(
                "SELECT decision FROM decision WHERE folders = ? ORDER BY number DESC LIMIT ?",
                (folder_key(folders), limit),
            ).fetchall()
        return [msgspec.json.decode(row[0], type=Decision) for row in rows]


class ReviewDrafts:
    """What a person made of a proposal so far, for the latest `MAX_REVIEW_DRAFTS`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, review: str, draft: str) -> None:
        """Keep what a person made of a proposal so far."""
        now = self._database.now()
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO review_draft VALUES (?, ?, ?)", (review, draft, now)
            )
            connection.execute(
                "DELETE FROM review_draft WHERE review NOT IN ("
                "SELECT review FROM review_draft ORDER BY kept_at DESC LIMIT ?)",
                (MAX_REVIEW_DRAFTS,),
            )

    def find(self, review: str) -> str | None:
        """What a person made of a proposal so far."""
        with self._database.transaction() as connection:
            row = connection.execute(
                "SELECT draft FROM review_draft WHERE review = ?", (review,)
            ).fetchone()
        return None if row is None else str(row[0])

    def drop(self, review: str) -> None:
        """Forget what a person made of a proposal."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM review_draft WHERE review = ?", (review,))


def _bounded(decision: Decision) -> Decision:
    texts = (decision.old_text, decision.proposed_text, decision.final_text)
    if all(len(text or "") <= MAX_DECISION_CHARACTERS for text in texts):
        return decision
    return msgspec.structs.replace(
        decision, old_text=None, proposed_text="", final_text=None, is_cut=True
    )

"""Unsaved text, kept on the disk while it is typed, offered back after a crash.

Written when typing pauses, and in the middle of it at the latest after MAX_WAIT. What this run
keeps and what earlier runs left behind are apart: an old draft is lost only when somebody says so.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from anyide.state.draft import Draft
from anyide.state.store import State
from anyide.web.keeping import keeping

PAUSE = 0.3
MAX_WAIT = 2.0


class Drafts:
    """The unsaved texts of one workspace.

    `current` gives the draft of a document, None when it has nothing unsaved.
    """

    def __init__(
        self, state: State | None, folders: Sequence[str], current: Callable[[str], Draft | None]
    ) -> None:
        self._state = state
        self._folders = [Path(folder) for folder in folders]
        self._current = current
        self._run = secrets.token_hex(8)
        self._touched: set[str] = set()
        self._first_touch = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._offered = self._left_behind()

    def _left_behind(self) -> dict[str, Draft]:
        found: list[Draft] = []
        if self._state is not None:
            with keeping("unsaved text"):
                found = self._state.drafts.of(self._folders)
        return {draft.path: draft for draft in reversed(found)}  # the latest of a path counts

    # What earlier runs left behind.

    @property
    def offered(self) -> tuple[Draft, ...]:
        """What is offered back, the latest first."""
        return tuple(sorted(self._offered.values(), key=lambda draft: -draft.kept_at))

    def find(self, path: str) -> Draft | None:
        """What is offered for a path."""
        return self._offered.get(path)

    def drop(self, path: str) -> bool:
        """Forget what is offered for a path; False when that is nothing."""
        draft = self._offered.pop(path, None)
        if draft is None:
            return False
        if self._state is not None:
            with keeping("unsaved text"):
                for old in self._state.drafts.of(self._folders):
                    if old.path == path and old.run != self._run:
                        self._state.drafts.drop(self._folders, old.run, path)
        return True

    # What is typed now.

    def touch(self, path: str) -> None:
        """Take note that a document changed; it is kept, or forgotten if saved, in a moment."""
        loop = asyncio.get_running_loop()
        if not self._touched:
            self._first_touch = loop.time()
        self._touched.add(path)
        if self._timer is not None:
            self._timer.cancel()
        due = min(loop.time() + PAUSE, self._first_touch + MAX_WAIT)
        self._timer = loop.call_at(due, self.flush)

    def flush(self) -> None:
        """Keep everything now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        touched, self._touched = self._touched, set()
        for path in touched:
            self._keep(path)

    def _keep(self, path: str) -> None:
        if self._state is None:
            return
        draft = self._current(path)
        with keeping("unsaved text"):
            if draft is None:
                self._state.drafts.drop(self._folders, self._run, path)
            else:
                kept = msgspec.structs.replace(draft, run=self._run)
                self._state.drafts.keep(self._folders, kept)

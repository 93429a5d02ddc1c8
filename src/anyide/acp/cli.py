"""The CLI of one session: started, started again when it has ended, closed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from anyide.headless.session import Claude

Make = Callable[[dict[str, Any]], Claude]
"""Makes a CLI that has not started; the fields tell which session it begins, resumes or copies."""


class Cli:
    """One CLI at a time, always of the same session.

    fits: asked when one has started; false when it must start again, made of something else.
    """

    def __init__(
        self,
        session_id: str,
        make: Make,
        *,
        is_stored: Callable[[], bool],
        fits: Callable[[Claude], Awaitable[bool]],
    ) -> None:
        self._session_id = session_id
        self._make = make
        self._is_stored = is_stored
        self._fits = fits
        self._lock = asyncio.Lock()
        self._fork_of: str | None = None
        self.now: Claude | None = None
        """The one that runs, if one does."""

    async def start(self, *, resume: bool = False, fork_of: str | None = None) -> None:
        """Start it for a new session, a stored one, or a copy of one."""
        async with self._lock:
            self._fork_of = fork_of
            await self._start(resume=resume)

    async def running(self) -> Claude:
        """The CLI; started again if it has ended."""
        async with self._lock:
            return self.now or await self._start(resume=self._is_stored())

    def lose(self, claude: Claude | None = None) -> None:
        """It has ended: the next use starts another one."""
        if claude is None or self.now is claude:
            self.now = None

    async def close(self) -> None:
        """End it."""
        claude, self.now = self.now, None
        if claude is not None:
            await claude.close()

    async def _start(self, *, resume: bool) -> Claude:
        claude = await self._started(resume=resume)
        while not await self._fits(claude):  # it has changed what the next one is made of
            await claude.close()
            claude = await self._started(resume=resume or self._is_stored())
        self.now = claude
        return claude

    async def _started(self, *, resume: bool) -> Claude:
        claude = self._make(self._beginning(resume=resume))
        await claude.start()
        return claude

    def _beginning(self, *, resume: bool) -> dict[str, Any]:
        if resume:
            return {"resume": self._session_id}
        if self._fork_of is not None:
            return {"resume": self._fork_of, "fork": True, "session_id": self._session_id}
        return {"session_id": self._session_id}

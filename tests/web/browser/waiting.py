"""Waiting for something that no event tells, bounded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

PATIENCE = 5.0
STEP = 0.02


async def until(holds: Callable[[], bool]) -> None:
    """Return as soon as it holds; TimeoutError when it takes too long."""
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110 - a file on the disk tells nobody
            await asyncio.sleep(STEP)

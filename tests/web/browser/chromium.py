"""A real Chromium: the system's, or the one that Playwright fetched."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Browser, async_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find_chromium() -> str | None:
    """Give its path; None leaves the choice to Playwright."""
    named = os.environ.get("ANYIDE_CHROMIUM")
    return named or next((found for name in NAMES if (found := shutil.which(name))), None)


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """A browser without a window, until the end of the block."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_chromium(), args=list(ARGUMENTS)
        )
        try:
            yield browser
        finally:
            await browser.close()

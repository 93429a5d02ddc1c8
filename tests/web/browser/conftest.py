"""A Chromium for each file of tests, a studio for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from playwright.async_api import Browser

from tests.web.browser.chromium import chromium
from tests.web.browser.studio import Studio


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="module")
async def studio(browser: Browser, tmp_path: Path) -> AsyncIterator[Studio]:
    """The editor of an empty folder; no window may complain, no request may leave."""
    studio = Studio(browser, tmp_path.resolve())
    await studio.start()
    yield studio
    await studio.close()
    assert studio.complaints == []

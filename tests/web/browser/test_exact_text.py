"""The page's own text modules, run in the browser against random texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.web.browser.studio import Studio

pytestmark = pytest.mark.asyncio(loop_scope="module")

PROPERTY = (Path(__file__).parent / "exact_property.js").read_text(encoding="utf-8")


async def test_texts_stay_exact_whatever_their_line_breaks(studio: Studio) -> None:
    page = await studio.window()
    assert await page.evaluate(PROPERTY, 1) == 250

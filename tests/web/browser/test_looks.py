"""What axe-core finds in the main views, in light and in dark; and that dark is dark."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Page, expect

from anyide.editor.model import Diagnostic, Position, Range, Severity
from tests.web.browser.studio import Studio

pytestmark = pytest.mark.asyncio(loop_scope="module")

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
OLD = "\n".join(f"value_{number} = {number}  # a line" for number in range(60)) + "\n"
NEW = OLD.replace("value_3 = 3", "value_3 = 33").replace("value_30 = 30  # a line\n", "")
DARK, LIGHT = (0, 80), (200, 255)


async def violations(page: Page) -> list[str]:
    """What is serious or critical, with the first place where it is."""
    found = await page.evaluate(
        "() => axe.run(document, {resultTypes: ['violations'], elementRef: false})"
    )
    return [
        f"{each['id']}: {each['nodes'][0]['html'][:200]} {each['nodes'][0]['any'][:1]}"
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_the_main_views_have_no_serious_violation(
    studio: Studio, scheme: Literal["light", "dark"]
) -> None:
    path = studio.write("src/a.py", OLD)
    studio.write(".env", "SECRET=1\n")
    studio.write(".gitignore", "out/\n")
    studio.write("out/made.txt", "x")
    page = await studio.window(color_scheme=scheme)
    await page.evaluate(AXE)
    found = {"welcome": await violations(page)}

    span = Range(Position(2, 0), Position(2, 3))
    studio.editor.set_diagnostics(path, [Diagnostic("is wrong", Severity.ERROR, span)])
    await studio.open(page, "src/a.py")
    await page.keyboard.type("# edited")
    await page.keyboard.press("Control+f")
    asked = studio.propose(await studio.cli(), "src/a.py", NEW)
    await page.get_by_role("button", name="Review", exact=True).wait_for()
    found["editor, tree, search, toast"] = await violations(page)

    await page.keyboard.press("Alt+2")
    await page.locator(".queue-entry").click()
    await page.locator(".hunk-bar[data-hunk]").first.wait_for()
    await page.keyboard.press("r")
    found["review and queue"] = await violations(page)
    await page.keyboard.press("u")
    await page.keyboard.press("Alt+3")
    await page.get_by_role("button", name="Reject…").click()
    found["unified, refusal, problems"] = await violations(page)
    await page.keyboard.press("Enter")
    await asked
    await page.keyboard.press("Alt+4")
    await page.locator("decision-history button").first.click()
    await page.locator("diff-view .cm-editor").first.wait_for()
    found["decision and history"] = await violations(page)
    await page.keyboard.press("F1")
    found["keys"] = await violations(page)
    await page.keyboard.press("Escape")
    await page.keyboard.press("Control+p")
    found["quick open"] = await violations(page)
    assert found == {view: [] for view in found}

    background = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    level = int(background.removeprefix("rgb(").split(",")[0])
    low, high = DARK if scheme == "dark" else LIGHT
    assert low <= level <= high


async def test_a_phone_shows_one_thing_at_a_time(studio: Studio) -> None:
    studio.write("a.txt", "text\n")
    page = await studio.window(viewport={"width": 390, "height": 844}, has_touch=True)
    await page.evaluate(AXE)
    await page.get_by_role("button", name="Files").tap()
    await page.get_by_role("treeitem", name="a.txt").tap()
    await expect(page.locator(".cm-content")).to_be_visible()
    await expect(page.get_by_role("treeitem", name="a.txt")).to_be_hidden()
    assert await page.evaluate("document.documentElement.scrollWidth") == 390
    assert await violations(page) == []

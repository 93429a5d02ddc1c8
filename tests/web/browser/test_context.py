"""What a person does in the page reaches the CLI, and what the CLI asks for shows in the page."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from playwright.async_api import expect

from anyide.editor.model import Diagnostic, Position, Range, Severity
from anyide.ide.client import IdeClient
from tests.web.browser.studio import Studio, words

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def told(cli: IdeClient, method: str, wanted: Any = None) -> Any:
    """The next word of this kind, or the one whose text is wanted."""
    async with asyncio.timeout(5):
        async for notice in cli.notifications():
            if notice.method == method and wanted in (None, notice.params.get("text")):
                return notice.params
    raise AssertionError(f"no {method} came")


async def test_the_selection_reaches_the_cli(studio: Studio) -> None:
    path = studio.write("a.txt", "one\r\ntwo\r\nthree\r\n")
    page = await studio.window()
    cli = await studio.cli()
    await studio.open(page, "a.txt")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Shift+End")
    params = await told(cli, "selection_changed", "two")
    assert params["filePath"] == path
    assert params["selection"]["start"] == {"line": 1, "character": 0}
    assert params["selection"]["end"] == {"line": 1, "character": 3}
    await expect(page.locator("session-bar")).to_contain_text("Sharing: 1 line of a.txt")


async def test_selected_lines_are_mentioned(studio: Studio) -> None:
    path = studio.write("a.txt", "one\ntwo\nthree\n")
    page = await studio.window()
    cli = await studio.cli()
    await studio.open(page, "a.txt")
    await page.keyboard.press("Shift+ArrowDown")
    await page.keyboard.press("Shift+End")
    await page.keyboard.press("Alt+m")
    params = await told(cli, "at_mentioned")
    assert (params["filePath"], params["lineStart"], params["lineEnd"]) == (path, 0, 1)
    await expect(page.get_by_text("mentioned to Claude.")).to_be_visible()


async def test_sessions_are_listed_and_sharing_is_paused(studio: Studio) -> None:
    studio.write("a.txt", "one\n")
    page = await studio.window()
    await studio.open(page, "a.txt")
    await expect(page.locator("session-bar summary")).to_have_text("No session")
    await studio.cli()
    await page.locator("session-bar summary", has_text="Claude in").click()
    await expect(page.locator("session-bar .popover")).to_contain_text("Claude Code")
    switch = page.get_by_role("switch", name="Share with Claude")
    await expect(switch).to_have_attribute("aria-checked", "true")
    await switch.click()
    await expect(page.locator("session-bar")).to_contain_text("Sharing is paused")
    assert studio.ide.policy.paused
    await page.keyboard.press("Alt+s")
    await expect(page.locator("session-bar")).to_contain_text("Sharing: a.txt")


async def test_open_file_selects_and_scrolls(studio: Studio) -> None:
    lines = [f"line {number}" for number in range(300)]
    path = studio.write("long.txt", "\n".join(lines))
    page = await studio.window()
    cli = await studio.cli()
    await cli.call("openFile", filePath=path, startText="line 250", endText="line 251")
    await expect(page.get_by_text("line 250", exact=True)).to_be_visible()
    await expect(page.locator("session-bar .place")).to_contain_text("17 selected")


async def test_tools_see_tabs_and_unsaved_text_and_save_it(studio: Studio) -> None:
    path = studio.write("a.txt", "one\n")
    page = await studio.window()
    cli = await studio.cli()
    await studio.open(page, "a.txt")
    await page.keyboard.type("more ")
    await expect(page.locator("session-bar .place")).to_contain_text("Line 1, 6")
    await page.evaluate("document.querySelector('editor-page').desk.copy.settled()")
    dirty = await cli.call("checkDocumentDirty", filePath=path)
    assert json.loads(words(dirty)[0])["isDirty"] is True
    await cli.call("saveDocument", filePath=path)
    assert studio.read("a.txt") == "more one\n"
    await expect(page.locator(".tab-dirty")).to_have_count(0)


async def test_problems_are_listed_marked_and_jumped_to(studio: Studio) -> None:
    path = studio.write("a.py", "import os\n\nprint(x)\n")
    page = await studio.window()
    span = Range(Position(2, 6), Position(2, 7))
    studio.editor.set_diagnostics(
        path, [Diagnostic("x is not defined", Severity.ERROR, span, "py")]
    )
    await expect(page.locator('[data-count="problems"]')).to_have_text("1")
    await page.keyboard.press("Alt+3")
    await page.get_by_role("button", name="x is not defined").click()
    await expect(page.locator(".cm-lint-marker-error")).to_be_visible()
    await expect(page.locator("session-bar .place")).to_contain_text("Line 3, 7")
    await page.locator(".cm-content:focus").wait_for()


async def test_a_mention_goes_to_the_chosen_session_only(studio: Studio) -> None:
    studio.write("a.txt", "one\n")
    page = await studio.window()
    first, second = await studio.cli(), await studio.cli()
    await studio.open(page, "a.txt")
    chosen = page.get_by_role("combobox", name="Mention to")
    await chosen.select_option(index=2)
    await page.get_by_role("button", name="Mention", exact=True).click()
    await told(second, "at_mentioned")
    await chosen.select_option(index=1)
    await page.get_by_role("button", name="Mention", exact=True).click()
    await told(first, "at_mentioned")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await told(second, "at_mentioned")

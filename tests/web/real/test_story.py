"""The real CLI in its terminal, the real page in a real browser: CRLF, and who decides first."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.real.claude import Home
from tests.real.model import StandInModel
from tests.real.terminal import Terminal
from tests.web.browser.chromium import chromium
from tests.web.browser.studio import Studio

PATIENCE_MS = 20_000  # the CLI takes its time
OLD = "".join(f"line {number}\n" for number in range(1, 41))
PART = OLD[OLD.index("line 3\n") : OLD.index("line 36\n")]
CHANGED = (
    PART.replace("line 3\n", "LINE THREE\n")
    .replace("line 20\n", "")
    .replace("line 35\n", "line 35\nadded\n")
)
DECIDED = OLD.replace("line 3\n", "LINE THREE\n").replace("line 35\n", "line 35\nadded by hand\n")


@pytest.fixture
async def studio(tmp_path: Path) -> AsyncIterator[Studio]:
    async with chromium() as browser:
        studio = Studio(browser, tmp_path.resolve())
        await studio.start()
        try:
            yield studio
        finally:
            await studio.close()
    assert studio.complaints == []


@pytest.fixture
async def terminal(studio: Studio, tmp_path: Path, model: StandInModel) -> AsyncIterator[Terminal]:
    home = Home(tmp_path.resolve())
    port = {"CLAUDE_CODE_SSE_PORT": str(studio.ide.port)}
    terminal = await Terminal.start(home, model, studio.folder, env=port)
    await terminal.ready()
    yield terminal
    await terminal.stop()


async def connected(studio: Studio, page: Page, terminal: Terminal, name: str) -> None:
    """Select a line, and wait until the CLI has heard of it: before, it may work without us."""
    await studio.open(page, name)
    await page.keyboard.press("Control+Home")
    await page.keyboard.press("Shift+ArrowDown")
    await terminal.until("⧉ 1 line selected")


async def test_a_file_with_crlf_is_decided_in_the_page_and_written_by_the_cli_exactly_so(
    studio: Studio, terminal: Terminal, model: StandInModel
) -> None:
    path = studio.write("a.txt", OLD.replace("\n", "\r\n"))
    page = await studio.window()
    await connected(studio, page, terminal, "a.txt")
    read = json.dumps({"file_path": path})
    edit = json.dumps({"file_path": path, "old_string": PART, "new_string": CHANGED})
    await terminal.submit(f"CALL Read {read} CALL Edit {edit}")
    await expect(page.locator('[data-count="reviews"]')).to_have_text("1", timeout=PATIENCE_MS)
    await page.keyboard.press("Alt+q")
    await page.locator(".review-body .cm-editor").first.wait_for()

    def hunk(number: int):  # type: ignore[no-untyped-def]
        return page.locator(f'.hunk-bar[data-hunk="{number - 1}"]')

    await hunk(1).get_by_role("button", name="Accept").click()
    await hunk(2).get_by_role("button", name="Reject").click()
    await page.get_by_text("added", exact=True).click()
    await page.keyboard.press("End")
    await page.keyboard.type(" by hand")
    await page.get_by_role("button", name="Accept 2 of 3").click()

    await terminal.until("The user modified your proposed changes")
    assert studio.read("a.txt") == DECIDED.replace("\n", "\r\n")
    told = await model.requested(
        lambda request: "The user modified your proposed changes" in request.everything
    )
    assert told.results
    await expect(page.locator(".review-page")).to_have_count(0)
    text = page.locator('.cm-content[aria-label="Text of a.txt"]')
    await expect(text).to_contain_text("LINE THREE")
    await expect(text).to_contain_text("added by hand")


async def test_what_is_decided_in_the_terminal_leaves_the_page(
    studio: Studio, terminal: Terminal
) -> None:
    studio.write("a.txt", OLD)
    page = await studio.window()
    await connected(studio, page, terminal, "a.txt")
    content = json.dumps({"file_path": str(studio.folder / "b.py"), "content": "one\n"})
    await terminal.submit(f"CALL Write {content}")
    await expect(page.locator('[data-count="reviews"]')).to_have_text("1", timeout=PATIENCE_MS)
    await terminal.choose("1", "Do you want to create b.py?")
    await expect(page.get_by_text("was decided in the terminal")).to_be_visible()
    await terminal.until("File created successfully")
    assert studio.read("b.py") == "one\n"

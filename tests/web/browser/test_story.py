"""The whole story: the real CLI proposes, a person decides in a real browser, the CLI writes it."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.async_api import async_playwright, expect

from tests.real.claude import Home
from tests.real.fixtures import StartClaude
from tests.real.model import StandInModel
from tests.web.browser.chromium import ARGUMENTS, find_chromium
from tests.web.browser.studio import Studio
from tests.web.browser.waiting import until

OLD = "".join(f"line {number}\n" for number in range(1, 31))
NEW = (
    OLD.replace("line 3\n", "LINE 3\n")
    .replace("line 15\n", "LINE 15\n")
    .replace("line 28\n", "LINE 28\n")
)
WANTED = OLD.replace("line 3\n", "LINE 3\n").replace("line 28\n", "LINE 28 by hand\n")
FAR_MS = 30_000  # the CLI is a big program on a small machine


async def test_a_change_is_decided_hunk_by_hunk_and_written_by_the_cli(
    tmp_path: Path, home: Home, project: Path, model: StandInModel, start_claude: StartClaude
) -> None:
    file = project / "story.txt"
    file.write_bytes(OLD.encode())
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_chromium(), args=list(ARGUMENTS)
        )
        studio = Studio(browser, tmp_path.resolve(), home.path / ".claude")
        await studio.start()
        try:
            page = await studio.window()
            await studio.open(page, "story.txt")
            terminal = await start_claude(env={"CLAUDE_CODE_SSE_PORT": str(studio.ide.port)})
            await page.locator("session-bar summary", has_text="Claude in").wait_for(timeout=FAR_MS)
            await terminal.ready()
            await terminal.until("⧉")
            read = json.dumps({"file_path": str(file)})
            change = {"file_path": str(file), "old_string": OLD[7:-7], "new_string": NEW[7:-7]}
            await terminal.submit(f"CALL Read {read} CALL Edit {json.dumps(change)}")

            badge = page.locator('[data-count="reviews"]')
            await expect(badge).to_have_text("1", timeout=FAR_MS)
            await page.keyboard.press("Alt+q")
            await page.locator(".review-body:focus").wait_for()
            await page.keyboard.press("a")
            await page.keyboard.press("r")
            await page.get_by_text("LINE 28", exact=True).click()
            await page.keyboard.press("End")
            await page.keyboard.type(" by hand")
            await page.keyboard.press("Control+Enter")

            await terminal.until("has been updated")
            await until(lambda: file.read_bytes() == WANTED.encode())
            told = await model.requested(lambda request: "updated" in str(request.results))
            assert "The user modified your proposed changes" in told.everything
            await expect(page.get_by_text("LINE 28 by hand")).to_be_visible()
            await expect(page.locator(".tab-dirty")).to_have_count(0)
        finally:
            await studio.close()
            await browser.close()
    assert studio.complaints == []

"""The browser editor in a real Chromium: how soon it is usable, and how quick it stays."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
from playwright.async_api import Browser, Page

from anyide.ide.client import IdeClient
from bench.case import Case, Effort
from bench.process import as_installed
from bench.row import Row, alone
from tests.web.browser.chromium import chromium

LINK = re.compile(r"http://\S+/enter\?key=\S+")
USABLE = 'main[aria-busy="false"]'
PATIENCE_MS = 60_000
MEGABYTE = 1_000_000
SETTLE_SECONDS = 2.0
KEYS = 60

# From a key's effect on the text to the frame that shows it.
TYPE = """async (count) => {
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  const times = [];
  for (let n = 0; n < count; n++) {
    const begun = performance.now();
    document.execCommand("insertText", false, "x");
    await frame();
    times.push(performance.now() - begun);
    await new Promise(done => setTimeout(done, 60));
  }
  return times.sort((a, b) => a - b);
}"""


class Running:
    """A started `anyide` with a page in a browser."""

    def __init__(self, pid: int, page: Page, usable: float, home: Path) -> None:
        self.pid = pid
        self.page = page
        self.usable = usable
        self.home = home

    def client(self) -> IdeClient:
        (lock,) = (self.home / ".claude" / "ide").glob("*.lock")
        known = json.loads(lock.read_text())
        return IdeClient.at(known["port"], known["authToken"])


@asynccontextmanager
async def running(browser: Browser, home: Path) -> AsyncIterator[Running]:
    """Start the program as a person does, and come in."""
    project = home / "project"
    env = {
        **as_installed(home.with_name("byte_code")),
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "ANYIDE_STATE_DIR": str(home / "state"),
    }
    context = await browser.new_context()
    page = await context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    begun = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "anyide", "--no-open", str(project)),
        env=env,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        while (found := LINK.search((await process.stdout.readline()).decode())) is None:
            continue
        await page.goto(found[0])
        await page.locator(USABLE).wait_for()
        yield Running(process.pid, page, time.perf_counter() - begun, home)
    finally:
        process.terminate()
        await process.communicate()
        await context.close()


def make_home(folder: str) -> Path:
    home = Path(folder)
    (home / "project" / "src").mkdir(parents=True)
    for number in range(50):
        (home / "project" / "src" / f"file{number}.py").write_text(f"value = {number}\n" * 20)
    return home


def start(effort: Effort) -> Sequence[Row]:
    """Measure from the command to a page that answers, and the memory it then takes."""
    return asyncio.run(_start(effort))


async def _start(effort: Effort) -> Sequence[Row]:
    seconds, memory = [], []
    async with chromium() as browser:
        for _ in range(max(effort.starts // 3, 1)):
            with tempfile.TemporaryDirectory() as folder:
                async with running(browser, make_home(folder)) as editor:
                    seconds.append(editor.usable * 1000)
                    await asyncio.sleep(SETTLE_SECONDS)
                    memory.append(psutil.Process(editor.pid).memory_info().rss / MEGABYTE)
    return [
        alone("page: from the command to a usable page", seconds, unit="ms", aim=1000),
        alone("page: memory of the idle server", memory, unit="MB", aim=80),
    ]


def review(effort: Effort) -> Sequence[Row]:
    """Measure from a proposal of 200 hunks in 10,000 lines to its review on the screen."""
    return asyncio.run(_review(effort))


async def _review(effort: Effort) -> Sequence[Row]:
    old = [f"line {number} of a file that is long" for number in range(10_000)]
    new = [f"{line}, changed" if n % 50 == 25 else line for n, line in enumerate(old)]
    times = []
    async with chromium() as browser:
        with tempfile.TemporaryDirectory() as folder:
            home = make_home(folder)
            file = home / "project" / "long.txt"
            file.write_text("\n".join(old) + "\n")
            async with running(browser, home) as editor, editor.client() as cli:
                for number in range(effort.repetitions):
                    begun = time.perf_counter()
                    asked = asyncio.create_task(
                        cli.call(
                            "openDiff",
                            old_file_path=str(file),
                            new_file_contents="\n".join(new) + "\n",
                            tab_name=f"review {number}",
                        )
                    )
                    await editor.page.locator(".review-body .hunk-bar").first.wait_for()
                    times.append((time.perf_counter() - begun) * 1000)
                    await cli.call("close_tab", tab_name=f"review {number}")
                    await asked
                    await editor.page.locator(".review-body").wait_for(state="detached")
    return [alone("page: a review of 200 hunks in 10,000 lines", times, unit="ms", aim=500)]


def typing(effort: Effort) -> Sequence[Row]:
    """Measure from a key to the frame that shows it, in a file of 20 MB."""
    return asyncio.run(_typing(effort))


async def _typing(effort: Effort) -> Sequence[Row]:
    opened, medians, slow = [], [], []
    async with chromium() as browser:
        for _ in range(max(effort.repetitions // 3, 1)):
            with tempfile.TemporaryDirectory() as folder:
                home = make_home(folder)
                line = "a line of a file that is really too big for an editor\n"
                (home / "project" / "big.txt").write_text(line * (20 * MEGABYTE // len(line)))
                async with running(browser, home) as editor:
                    begun = time.perf_counter()
                    text = await _open(editor.page, "big.txt")
                    opened.append((time.perf_counter() - begun) * 1000)
                    await text.click()
                    times = await editor.page.evaluate(TYPE, KEYS)
                    medians.append(times[KEYS // 2])
                    slow.append(times[KEYS * 95 // 100])
    return [
        alone("page: a file of 20 MB opened", opened, unit="ms"),
        alone("page: a key in 20 MB, median", medians, unit="ms"),
        alone("page: a key in 20 MB, 95th percentile", slow, unit="ms"),
    ]


async def _open(page: Page, name: str):  # type: ignore[no-untyped-def]
    await page.keyboard.press("Control+p")
    await page.get_by_role("combobox", name="Name of the file").fill(name)
    await page.get_by_role("option").first.filter(has_text=name).wait_for()
    await page.keyboard.press("Enter")
    text = page.locator(f'.cm-content[aria-label="Text of {name}"]:visible')
    await text.wait_for()
    return text


WEB = (
    Case("page-start", "from the command to a usable page, and its memory", start),
    Case("page-review", "a proposal of 200 hunks until its review is seen", review),
    Case("page-typing", "keys in a file of 20 MB until they are seen", typing),
)

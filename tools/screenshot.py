"""Makes the pictures of the documentation from the running program: docs/images/*.png.

    python tools/screenshot.py

It starts `anyide serve` on a small project in a temporary folder, proposes a change as the CLI
would, decides some of it in a real Chromium, and takes the pictures.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from playwright.async_api import Browser, Page, async_playwright

from anyide.ide.client import IdeClient

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
DESKTOP, PHONE = (1280, 800), (390, 844)
Scheme = Literal["light", "dark"]

BEFORE = '''"""What the shop knows about prices."""

from decimal import Decimal

TAX = 0.19


class Basket:
    """The things that a customer wants to buy."""

    def __init__(self):
        self.items = []

    def add(self, name, price, count=1):
        self.items.append((name, price, count))

    def total(self):
        total = 0
        for item in self.items:
            total = total + item[1] * item[2]
        return total * (1 + TAX)

    def names(self):
        return sorted(name for name, _, _ in self.items)


def receipt(basket):
    lines = []
    for name in basket.names():
        lines.append(name)
    return "\\n".join(lines)
'''
AFTER = (
    BEFORE.replace("TAX = 0.19", 'TAX = Decimal("0.19")')
    .replace(
        """        total = 0
        for item in self.items:
            total = total + item[1] * item[2]
        return total * (1 + TAX)
""",
        """        net = sum((price * count for _, price, count in self.items), Decimal(0))
        return net * (1 + TAX)
""",
    )
    .replace(
        """    lines = []
    for name in basket.names():
        lines.append(name)
    return "\\n".join(lines)
""",
        """    return "\\n".join(basket.names())
""",
    )
)
FILES = {
    "shop/basket.py": BEFORE,
    "shop/__init__.py": "",
    "tests/test_basket.py": "from shop.basket import Basket\n",
    "README.md": "# Shop\n",
    ".env": "KEY=secret\n",
    ".gitignore": "build/\n",
    "build/shop.whl": "",
}


def main() -> int:
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home, "shop").resolve()
        for name, text in FILES.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        os.environ.update(
            HOME=home, CLAUDE_CONFIG_DIR=str(Path(home, ".claude")), XDG_STATE_HOME=home
        )
        with _serving(folder) as link:
            asyncio.run(_take(folder, link))
    return 0


@contextlib.contextmanager
def _serving(folder: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "anyide", "serve", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield _link(server)
        finally:
            server.terminate()


def _link(server: subprocess.Popen[str]) -> str:
    for line in server.stdout or ():
        if found := re.search(r"http://\S+/enter\S+", line):
            return found[0]
    raise SystemExit("anyide serve gave no link")


async def _take(folder: Path, link: str) -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    path = str(folder / "shop" / "basket.py")
    async with async_playwright() as playwright, IdeClient.for_folder(folder) as cli:
        program = next((found for name in CHROMIUM if (found := shutil.which(name))), None)
        browser = await playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-gpu"]
        )
        asked = asyncio.create_task(
            cli.call(
                "openDiff",
                old_file_path=path,
                new_file_path=path,
                new_file_contents=AFTER,
                tab_name="✻ [Claude Code] basket.py",
            )
        )
        page = await _page(browser, link, DESKTOP, "light")
        await _decide(page)
        await _picture(page, "review")
        cookies = await page.context.cookies()
        for name, size, scheme in (
            ("review-dark", DESKTOP, "dark"),
            ("review-phone", PHONE, "light"),
        ):
            other = await _page(browser, link, size, scheme, cookies=cookies)  # type: ignore[arg-type]
            await other.locator(".hunk-bar[data-hunk]").first.wait_for()
            await _picture(other, name)
        await page.keyboard.press("Control+Enter")
        await asked
        await browser.close()


async def _page(
    browser: Browser,
    link: str,
    size: tuple[int, int],
    scheme: Scheme,
    cookies: list[object] | None = None,
) -> Page:
    context = await browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        device_scale_factor=2,
        color_scheme=scheme,
        reduced_motion="reduce",
    )
    if cookies:
        await context.add_cookies(cookies)  # type: ignore[arg-type]
    page = await context.new_page()
    await page.goto(link)
    await page.locator(".review-body .cm-editor").first.wait_for()
    return page


async def _decide(page: Page) -> None:
    await page.get_by_role("treeitem", name="shop").click()
    await page.get_by_role("treeitem", name="basket.py").wait_for()
    await page.locator(".review-body").focus()
    await page.keyboard.press("a")
    await page.keyboard.press("r")


async def _picture(page: Page, name: str) -> None:
    await page.wait_for_timeout(400)  # the merge view levels its sides once more
    await page.screenshot(path=IMAGES / f"{name}.png")


if __name__ == "__main__":
    sys.exit(main())

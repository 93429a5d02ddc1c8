"""Files in a real browser: open, edit, save, the disk that changes, what is no text."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from tests.web.browser.studio import Studio
from tests.web.browser.waiting import until

pytestmark = pytest.mark.asyncio(loop_scope="module")

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)


def tab(page: Page, name: str) -> Locator:
    return page.locator("tab-row .tab", has_text=name)


def row(page: Page, name: str) -> Locator:
    return page.get_by_role("treeitem", name=name, exact=True)


async def test_a_file_is_opened_edited_and_saved(studio: Studio) -> None:
    studio.write("src/a.py", "def one():\n    return 1\n")
    page = await studio.window()
    await row(page, "src").click()
    await row(page, "a.py").dblclick()
    await page.locator(".cm-content:focus").wait_for()
    await page.keyboard.press("Control+End")
    await page.keyboard.type("# the end")
    await expect(page.locator(".tab-dirty")).to_be_visible()
    await page.keyboard.press("Control+s")
    await expect(page.locator(".tab-dirty")).to_have_count(0)
    assert studio.read("src/a.py") == "def one():\n    return 1\n# the end"
    await page.reload()
    await expect(row(page, "a.py")).to_be_visible()
    await expect(page.locator(".cm-content")).to_contain_text("# the end")


LINE_ENDS = {
    "windows.txt": ("one\r\ntwo\r\n", "!\r\none\r\ntwo\r\n"),
    "mixed.txt": ("one\ntwo\r\nthree\rfour", "!\none\ntwo\r\nthree\rfour"),
    "endless.txt": ("no end", "!\nno end"),
}


async def test_line_ends_stay_as_they_are(studio: Studio) -> None:
    for name, (text, _) in LINE_ENDS.items():
        studio.write(name, text)
    page = await studio.window()
    for name, (_, saved) in LINE_ENDS.items():
        await studio.open(page, name)
        await page.keyboard.type("!")
        await page.keyboard.press("Enter")
        await page.keyboard.press("Control+s")
        await until(lambda name=name, saved=saved: studio.read(name) == saved)  # type: ignore[misc]


async def test_a_clean_file_follows_the_disk(studio: Studio) -> None:
    studio.write("a.txt", "before\n")
    page = await studio.window()
    await studio.open(page, "a.txt")
    studio.write("a.txt", "after\n")
    await expect(page.locator(".cm-line").first).to_have_text("after")
    await expect(page.locator(".tab-dirty")).to_have_count(0)


async def test_both_changed_is_a_choice_with_a_diff(studio: Studio) -> None:
    studio.write("a.txt", "before\n")
    page = await studio.window()
    await studio.open(page, "a.txt")
    await page.keyboard.type("mine ")
    await expect(page.locator(".tab-dirty")).to_be_visible()
    studio.write("a.txt", "theirs\n")
    await expect(page.get_by_role("alert")).to_contain_text("changed on the disk")
    await page.get_by_role("button", name="Compare").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("theirs")
    await expect(dialog).to_contain_text("mine before")
    await dialog.get_by_role("button", name="Keep mine").click()
    await until(lambda: studio.read("a.txt") == "mine before\n")
    await expect(page.get_by_role("alert")).to_have_count(0)


async def test_the_text_of_the_disk_can_be_taken(studio: Studio) -> None:
    studio.write("a.txt", "before\n")
    page = await studio.window()
    await studio.open(page, "a.txt")
    await page.keyboard.type("mine ")
    await expect(page.locator(".tab-dirty")).to_be_visible()
    studio.write("a.txt", "theirs\n")
    await page.get_by_role("button", name="Take the disk's").click()
    await expect(page.locator(".cm-line").first).to_have_text("theirs")
    await expect(page.get_by_role("alert")).to_have_count(0)


async def test_tabs_preview_close_and_reopen(studio: Studio) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        studio.write(name, f"this is {name}\n")
    page = await studio.window()
    await row(page, "a.txt").click()
    await expect(tab(page, "a.txt")).to_have_class("tab shown preview ")
    await row(page, "b.txt").click()
    await expect(tab(page, "a.txt")).to_have_count(0)
    await tab(page, "b.txt").locator(".tab-name").dblclick()
    await expect(tab(page, "b.txt")).to_have_class("tab shown  ")
    await studio.open(page, "c.txt")
    await tab(page, "b.txt").click(button="middle")
    await expect(tab(page, "b.txt")).to_have_count(0)
    await page.keyboard.press("Alt+Shift+T")
    await expect(page.locator(".cm-content:visible")).to_contain_text("this is b.txt")


async def test_closing_unsaved_text_asks_first(studio: Studio) -> None:
    studio.write("a.txt", "text\n")
    page = await studio.window()
    await studio.open(page, "a.txt")
    await page.keyboard.type("more ")
    await page.keyboard.press("Alt+w")
    dialog = page.get_by_role("dialog", name="Save a.txt?")
    await dialog.get_by_role("button", name="Cancel").click()
    await expect(tab(page, "a.txt")).to_be_visible()
    await page.get_by_role("button", name="Close a.txt").click()
    await dialog.get_by_role("button", name="Save").click()
    await expect(tab(page, "a.txt")).to_have_count(0)
    assert studio.read("a.txt") == "more text\n"


async def test_an_untitled_text_gets_a_name(studio: Studio) -> None:
    page = await studio.window()
    await page.keyboard.press("Alt+n")
    await page.locator(".cm-content:focus").wait_for()
    await page.keyboard.type("fresh")
    await page.keyboard.press("Control+s")
    await page.keyboard.type("new/fresh.txt")
    await page.keyboard.press("Enter")
    await until((studio.folder / "new" / "fresh.txt").exists)
    assert studio.read("new/fresh.txt") == "fresh"
    await expect(tab(page, "fresh.txt")).to_be_visible()
    await expect(page.locator(".tab-dirty")).to_have_count(0)


async def test_find_and_replace(studio: Studio) -> None:
    studio.write("a.txt", "one two one\n")
    page = await studio.window()
    await studio.open(page, "a.txt")
    await page.keyboard.press("Control+f")
    await page.get_by_placeholder("Find").fill("one")
    await page.get_by_placeholder("Replace").fill("three")
    await page.get_by_role("button", name="replace all").click()
    await expect(page.locator(".cm-line").first).to_have_text("three two three")


async def test_images_and_binaries_are_shown_as_what_they_are(studio: Studio) -> None:
    Path(studio.folder / "pixel.png").write_bytes(PIXEL)
    Path(studio.folder / "blob.bin").write_bytes(b"\x00\x01\x02" * 100)
    page = await studio.window()
    await row(page, "pixel.png").click()
    image = page.get_by_role("img", name="pixel.png")
    await expect(image).to_be_visible()
    assert await image.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1
    await row(page, "blob.bin").click()
    await expect(page.locator(".thing")).to_contain_text("is not a text")
    await expect(page.locator(".thing")).to_contain_text("300 bytes")


async def test_the_tree_dims_what_git_ignores_and_locks_what_is_denied(studio: Studio) -> None:
    studio.write(".gitignore", "out/\n")
    studio.write("out/made.txt", "x")
    studio.write(".env", "SECRET=1\n")
    page = await studio.window()
    await expect(row(page, "out")).to_have_class("tree-row ignored")
    await expect(
        page.get_by_role("treeitem", name=".env").get_by_label("never shared")
    ).to_be_visible()
    await page.get_by_role("treeitem", name=".env").click()
    await expect(page.get_by_text("never shared with Claude")).to_be_visible()
    studio.write("later.txt", "x")
    await expect(row(page, "later.txt")).to_be_visible()


async def test_the_tree_works_by_keyboard(studio: Studio) -> None:
    studio.write("src/a.py", "one\n")
    page = await studio.window()
    await row(page, "src").focus()
    await page.keyboard.press("ArrowRight")
    await expect(row(page, "a.py")).to_be_visible()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.locator(".cm-content:focus").wait_for()
    await expect(page.locator(".cm-content")).to_contain_text("one")

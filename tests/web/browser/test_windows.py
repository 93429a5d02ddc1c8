"""Nothing is lost: reloads, restarts, two windows of the same editor."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, WebSocketRoute, expect

from tests.web.browser.studio import Studio, answer
from tests.web.browser.waiting import until

pytestmark = pytest.mark.asyncio(loop_scope="module")

TEXT = "document.querySelector('editor-page').desk.copy.exact.toString()"


async def text_of(page: Page) -> str:
    return str(await page.evaluate(TEXT))


async def test_unsaved_text_survives_a_reload(studio: Studio) -> None:
    studio.write("a.txt", "text\n")
    page = await studio.window()
    await studio.open(page, "a.txt")
    await page.keyboard.type("unsaved ")
    await expect(page.locator(".cm-line").first).to_have_text("unsaved text")
    await page.reload()
    await expect(page.locator(".cm-line").first).to_have_text("unsaved text")
    await expect(page.locator(".tab-dirty")).to_be_visible()


class Slow:
    """Between a page and the server: from some moment on, what is typed does not get through."""

    def __init__(self) -> None:
        self.is_stuck = False

    def route(self, page: WebSocketRoute) -> None:
        server = page.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            if not (self.is_stuck and '"change"' in str(message)):
                server.send(message)

        page.on_message(pass_on)


async def test_what_was_typed_in_the_last_moment_survives_a_reload(studio: Studio) -> None:
    studio.write("a.txt", "one\r\ntwo\r\n")
    page, slow = await studio.window(), Slow()
    await page.route_web_socket("**/live", slow.route)
    await page.reload()
    await studio.open(page, "a.txt")
    await page.keyboard.type("first ")
    await expect(page.locator(".tab-dirty")).to_be_visible()
    slow.is_stuck = True
    await page.keyboard.type("and last ")
    path = str(studio.folder / "a.txt")
    document = await studio.editor.document(path)
    assert document is not None
    assert "last" not in document.text
    slow.is_stuck = False
    other = await studio.window()
    await studio.open(other, "a.txt")
    await other.keyboard.press("Control+End")
    await other.keyboard.type("three")
    await expect(other.locator(".cm-line").nth(2)).to_have_text("three")
    await page.reload()
    await expect(page.locator(".cm-line").first).to_have_text("first and last one")
    await expect(other.locator(".cm-line").first).to_have_text("first and last one")
    await expect(page.locator(".cm-line").nth(2)).to_have_text("three")
    assert await text_of(page) == "first and last one\r\ntwo\r\nthree"
    await page.reload()
    await expect(page.locator(".cm-line").first).to_have_text("first and last one")


async def test_two_windows_stay_the_same(studio: Studio) -> None:
    studio.write("a.txt", "one\r\ntwo\r\n")
    first, second = await studio.window(), await studio.window()
    await studio.open(first, "a.txt")
    await studio.open(second, "a.txt")
    await first.keyboard.type("first ")
    await expect(second.locator(".cm-line").first).to_have_text("first one")
    await second.keyboard.press("Control+End")
    await second.keyboard.type("second\nthird")
    await expect(first.locator(".cm-line").nth(3)).to_have_text("third")
    assert await text_of(first) == await text_of(second) == "first one\r\ntwo\r\nsecond\r\nthird"
    await first.keyboard.press("Control+s")
    await expect(second.locator(".tab-dirty")).to_have_count(0)


async def test_two_windows_that_type_at_once_lose_nothing(studio: Studio) -> None:
    studio.write("a.txt", "\n" * 10)
    first, second = await studio.window(), await studio.window()
    await studio.open(first, "a.txt")
    await studio.open(second, "a.txt")
    type_at = """async ([line, word]) => {
        const { copy } = document.querySelector('editor-page').desk;
        for (let i = 0; i < 40; i++) {
            const at = copy.view.state.doc.line(line).to;
            copy.view.dispatch({ changes: { from: at, insert: word } });
            if (i % 3 == 0) await new Promise((resolve) => setTimeout(resolve, 3));
        }
    }"""
    one = first.evaluate(type_at, [2, "a"])
    two = second.evaluate(type_at, [5, "b"])
    await one
    await two
    for page in (first, second):
        await page.evaluate("document.querySelector('editor-page').desk.copy.settled()")
    wanted = "\n" + "a" * 40 + "\n\n\n" + "b" * 40 + "\n" * 6
    await expect(first.locator(".cm-line").nth(4)).to_have_text("b" * 40)
    await expect(second.locator(".cm-line").nth(1)).to_have_text("a" * 40)
    assert await text_of(first) == await text_of(second) == wanted


async def test_a_restart_of_the_server_keeps_what_was_typed_before_and_meanwhile(
    studio: Studio,
) -> None:
    studio.allows_absence = True
    studio.write("a.txt", "text\n")
    page = await studio.window()
    await studio.open(page, "a.txt")
    await page.keyboard.type("before ")
    await page.evaluate("document.querySelector('editor-page').desk.copy.settled()")
    await studio.stop()
    await expect(page.get_by_role("alert")).to_contain_text("The server is away")
    await page.keyboard.type("meanwhile ")
    await studio.start()
    await expect(page.get_by_role("alert")).to_have_count(0)
    await expect(page.locator(".cm-line").first).to_have_text("before meanwhile text")
    await page.keyboard.type("after ")
    await page.keyboard.press("Control+s")
    await until(lambda: studio.read("a.txt") == "before meanwhile after text\n")


async def test_every_open_document_comes_back_after_a_restart(studio: Studio) -> None:
    studio.allows_absence = True
    for name in ("a.txt", "b.txt", "gone.txt"):
        studio.write(name, f"{name}\n")
    page = await studio.window()
    for name in ("a.txt", "b.txt", "gone.txt"):
        await studio.open(page, name)
    await studio.stop()
    await expect(page.get_by_role("alert")).to_contain_text("The server is away")
    for name in ("gone.txt", "b.txt", "a.txt"):
        await page.locator("tab-row .tab-name", has_text=name).click()
        await page.keyboard.type("typed in ")
    (studio.folder / "gone.txt").unlink()
    await studio.start()
    await expect(page.get_by_role("alert")).to_have_count(0)
    for name in ("a.txt", "b.txt", "Untitled"):
        await page.locator("tab-row .tab-name", has_text=name).click()
        wanted = "gone.txt" if name == "Untitled" else name
        line = page.locator(".cm-content:visible .cm-line").first
        await expect(line).to_have_text(f"typed in {wanted}")
        await expect(page.locator("tab-row .tab.shown .tab-dirty")).to_be_visible()


async def test_a_draft_of_an_earlier_run_is_offered_back(studio: Studio) -> None:
    studio.allows_absence = True
    studio.write("a.txt", "text\n")
    page = await studio.window()
    await studio.open(page, "a.txt")
    await page.keyboard.type("unsaved ")
    await page.evaluate("document.querySelector('editor-page').desk.copy.settled()")
    context = page.context
    await page.close()
    await studio.stop()
    await studio.start()
    page = await studio.tab(context)
    await expect(page.locator("draft-offer")).to_contain_text("Unsaved text of a.txt")
    await page.get_by_role("button", name="Bring it back").click()
    await expect(page.locator(".cm-line").first).to_have_text("unsaved text")
    await expect(page.locator("draft-offer button")).to_have_count(0)


async def test_a_review_decided_in_one_window_closes_in_the_other(studio: Studio) -> None:
    studio.write("a.txt", "one\n")
    first, second = await studio.window(), await studio.window()
    asked = studio.propose(await studio.cli(), "a.txt", "two\n")
    await second.locator(".review-page").wait_for()
    await first.get_by_role("button", name="Accept all").click()
    await expect(second.locator(".review-page")).to_have_count(0)
    await expect(second.locator('[data-count="reviews"]')).to_have_count(0)
    assert await answer(asked) == ["FILE_SAVED", "two\n"]

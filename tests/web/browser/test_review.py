"""Deciding proposed changes in a real browser, and the exact bytes that the CLI gets."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Locator, Page, expect

from anyide.ide.messages import CallResult
from tests.web.browser.studio import Studio, answer

pytestmark = pytest.mark.asyncio(loop_scope="module")

LINES = [f"line {number}" for number in range(1, 41)]
OLD = "\n".join(LINES) + "\n"
NEW = (
    OLD.replace("line 3\n", "LINE THREE\n")
    .replace("line 20\n", "")
    .replace("line 35\n", "line 35\nadded\n")
)


async def begin(
    studio: Studio, name: str, old: str | None, new: str
) -> tuple[Page, asyncio.Task[CallResult]]:
    """A window that shows the review of a change."""
    if old is not None:
        studio.write(name, old)
    page = await studio.window()
    asked = studio.propose(await studio.cli(), name, new)
    await page.locator(".review-page").wait_for()
    await page.locator(".review-body .cm-editor").first.wait_for()
    return page, asked


def bar(page: Page, number: int) -> Locator:
    return page.locator(f'.hunk-bar[data-hunk="{number - 1}"]')


async def test_hunk_1_accepted_2_rejected_3_edited_gives_exactly_that(studio: Studio) -> None:
    page, asked = await begin(studio, "a.txt", OLD, NEW)
    await bar(page, 1).get_by_role("button", name="Accept").click()
    await bar(page, 2).get_by_role("button", name="Reject").click()
    await page.get_by_text("added", exact=True).click()
    await page.keyboard.press("End")
    await page.keyboard.type(" by hand")
    await expect(bar(page, 3)).to_contain_text("edited")
    await page.get_by_role("button", name="Accept 2 of 3").click()
    wanted = OLD.replace("line 3\n", "LINE THREE\n").replace(
        "line 35\n", "line 35\nadded by hand\n"
    )
    assert await answer(asked) == ["FILE_SAVED", wanted]


EXACT = [
    (None, "a new file\n"),
    (None, ""),
    ("something\n", ""),
    ("a\nb\n", "a\nb"),
    ("a\nb", "a\nb\n"),
    ("a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n"),
    ("a\r\nb\r\n", "a\nb\n"),
    ("a\nb\r\nc\rd\n", "a\nX\r\nc\rd\n"),
    ("ä\u2028 😀\n", "ä\u2028 😀\x0b\n\n"),
]


async def test_an_untouched_proposal_is_answered_to_the_byte(studio: Studio) -> None:
    page = await studio.window()
    cli = await studio.cli()
    for number, (old, new) in enumerate(EXACT):
        if old is not None:
            studio.write(f"{number}.txt", old)
        asked = studio.propose(cli, f"{number}.txt", new)
        await page.locator("h1", has_text=f"{number}.txt").wait_for()
        await page.get_by_role("button", name="Accept all").click()
        assert await answer(asked) == ["FILE_SAVED", new]


async def test_mixed_line_ends_survive_a_rejected_hunk_and_an_edit(studio: Studio) -> None:
    old = "one\r\ntwo\nthree\rfour\r\nfive\nsix\r\n"
    new = "ONE\r\ntwo\nTHREE\rfour\r\nFIVE\nsix\r\n"
    page, asked = await begin(studio, "a.txt", old, new)
    await bar(page, 2).get_by_role("button", name="Reject").click()
    await page.get_by_text("FIVE", exact=True).click()
    await page.keyboard.press("End")
    await page.keyboard.type("!")
    await page.keyboard.press("Control+Enter")
    assert await answer(asked) == ["FILE_SAVED", "ONE\r\ntwo\nthree\rfour\r\nFIVE!\nsix\r\n"]


async def test_line_ends_that_would_change_can_be_kept(studio: Studio) -> None:
    page, asked = await begin(studio, "a.txt", "one\r\ntwo\r\n", "one\nTWO\n")
    await expect(page.get_by_text("Line ends change: CRLF → LF.")).to_be_visible()
    await page.get_by_role("button", name="Keep CRLF").click()
    await page.locator("button.primary").click()
    assert await answer(asked) == ["FILE_SAVED", "one\r\nTWO\r\n"]


async def test_a_change_is_rejected_with_a_reason(studio: Studio) -> None:
    page, asked = await begin(studio, "a.txt", OLD, NEW)
    await page.get_by_role("button", name="Reject…").click()
    await page.keyboard.type("not like this")
    await page.keyboard.press("Enter")
    assert (await answer(asked))[0] == "DIFF_REJECTED"
    await page.get_by_role("button", name="History").click()
    await expect(page.locator("decision-history")).to_contain_text("rejected: not like this")
    await page.locator("decision-history button").first.click()
    await expect(page.locator("decision-view")).to_contain_text("LINE THREE")


async def test_a_new_proposal_takes_neither_focus_nor_cursor(studio: Studio) -> None:
    studio.write("a.txt", OLD)
    page = await studio.window()
    await studio.open(page, "a.txt")
    await page.keyboard.type("I am ")
    asked = studio.propose(await studio.cli(), "a.txt", NEW)
    await expect(page.locator('[data-count="reviews"]')).to_have_text("1")
    await expect(page).to_have_title("(1) a.txt · project")
    await expect(page.locator("session-bar .waiting")).to_contain_text("Change of a.txt waits")
    await page.keyboard.type("typing")
    await expect(page.locator(".cm-line").first).to_have_text("I am typingline 1")
    assert await page.evaluate("document.activeElement.className.includes('cm-content')")
    assert not asked.done()


async def test_everything_goes_by_keyboard(studio: Studio) -> None:
    studio.write("a.txt", OLD)
    page = await studio.window()
    await studio.open(page, "a.txt")
    asked = studio.propose(await studio.cli(), "a.txt", NEW)
    await expect(page.locator('[data-count="reviews"]')).to_have_text("1")
    await page.keyboard.press("Alt+q")
    await page.locator(".review-body:focus").wait_for()
    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    await page.keyboard.press("j")
    await page.keyboard.press("r")
    await expect(bar(page, 2)).to_have_attribute("data-state", "rejected")
    await page.keyboard.press("k")
    await page.keyboard.press("k")
    await page.keyboard.press("a")
    await expect(bar(page, 1)).to_have_attribute("data-state", "accepted")
    await page.keyboard.press("e")
    await page.keyboard.type(">")
    await page.keyboard.press("Alt+u")
    await expect(page.locator(".cm-merge-a")).to_have_count(0)
    await page.keyboard.press("Control+Enter")
    said, text = await answer(asked)
    assert said == "FILE_SAVED"
    assert text.count(">") == 1
    assert "line 20\n" in text


async def test_what_was_decided_in_the_terminal_closes_by_itself(studio: Studio) -> None:
    studio.write("a.txt", OLD)
    page = await studio.window()
    cli = await studio.cli()
    asked = studio.propose(cli, "a.txt", NEW, tab="the tab")
    await page.locator(".review-page").wait_for()
    await cli.call("close_tab", tab_name="the tab")
    await expect(page.get_by_text("was decided in the terminal")).to_be_visible()
    await expect(page.locator(".review-page")).to_have_count(0)
    await expect(page.locator('[data-count="reviews"]')).to_have_count(0)
    await answer(asked)


async def test_two_reviews_of_one_file_are_decided_apart(studio: Studio) -> None:
    studio.write("a.txt", OLD)
    page = await studio.window()
    first, second = await studio.cli(), await studio.cli()
    one = studio.propose(first, "a.txt", NEW)
    await page.locator(".review-page").wait_for()
    two = studio.propose(second, "a.txt", OLD + "the end\n")
    await expect(page.locator('[data-count="reviews"]')).to_have_text("2")
    await page.get_by_role("button", name="Accept all").click()
    assert await answer(one) == ["FILE_SAVED", NEW]
    await expect(page.locator(".review-body")).to_contain_text("the end")
    await page.get_by_role("button", name="Accept all").click()
    assert await answer(two) == ["FILE_SAVED", OLD + "the end\n"]


async def test_decisions_and_edits_survive_a_reload(studio: Studio) -> None:
    page, asked = await begin(studio, "a.txt", OLD, NEW)
    await bar(page, 2).get_by_role("button", name="Reject").click()
    await page.get_by_text("LINE THREE", exact=True).click()
    await page.keyboard.type("|")
    await page.reload()
    await expect(bar(page, 2)).to_have_attribute("data-state", "rejected")
    await expect(bar(page, 1)).to_contain_text("edited")
    await bar(page, 2).get_by_role("button", name="Accept").click()
    await bar(page, 1).get_by_role("button", name="Reject").click()
    await page.get_by_role("button", name="Accept 2 of 3").click()
    assert await answer(asked) == ["FILE_SAVED", NEW.replace("LINE THREE", "line 3")]


async def test_undo_takes_a_decision_back(studio: Studio) -> None:
    page, asked = await begin(studio, "a.txt", OLD, NEW)
    await bar(page, 1).get_by_role("button", name="Reject").click()
    await expect(bar(page, 1)).to_have_attribute("data-state", "rejected")
    await page.locator(".cm-merge-b .cm-content").focus()
    await page.keyboard.press("Control+z")
    await expect(bar(page, 1)).to_have_attribute("data-state", "")
    await page.get_by_role("button", name="Accept all").click()
    assert await answer(asked) == ["FILE_SAVED", NEW]


async def test_reviewing_works_at_the_width_of_a_phone(studio: Studio) -> None:
    studio.write("a.txt", OLD)
    studio.write("b.txt", "other\n")
    page = await studio.window(viewport={"width": 390, "height": 844}, has_touch=True)
    await studio.open(page, "b.txt")
    asked = studio.propose(await studio.cli(), "a.txt", NEW)
    await page.get_by_role("button", name="Reviews, 1").tap()
    await page.locator(".queue-entry").tap()
    await bar(page, 3).scroll_into_view_if_needed()
    await bar(page, 3).get_by_role("button", name="Reject").tap()
    width = await page.evaluate("document.documentElement.scrollWidth")
    assert width == 390
    await page.get_by_role("button", name="Accept 2 of 3").tap()
    assert await answer(asked) == ["FILE_SAVED", NEW.replace("added\n", "")]


async def test_what_is_rejected_hunk_by_hunk_cannot_be_accepted(studio: Studio) -> None:
    page, asked = await begin(studio, "a.txt", OLD, NEW)
    for number in (1, 2, 3):
        await bar(page, number).get_by_role("button", name="Reject").click()
    await expect(page.get_by_role("button", name="Nothing left")).to_be_disabled()
    await page.keyboard.press("Control+Enter")
    await page.get_by_role("button", name="Reject the change").click()
    assert (await answer(asked))[0] == "DIFF_REJECTED"

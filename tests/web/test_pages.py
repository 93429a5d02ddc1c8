from __future__ import annotations

from anyide.web.messages import TreeChanged
from anyide.web.pages import Pages


def test_everyone_is_told_but_the_one_who_knows() -> None:
    pages = Pages()
    heard: list[tuple[str, str]] = []
    for name in ("a", "b", "c"):
        pages.join(name, lambda method, _, name=name: heard.append((name, method)))  # type: ignore[misc]
    pages.tell("x", TreeChanged(()), but="b")
    pages.leave("c")
    pages.leave("never there")
    pages.tell("y", TreeChanged(()))
    assert heard == [("a", "x"), ("c", "x"), ("a", "y"), ("b", "y")]
    assert (len(pages), pages.joined) == (2, 3)


def test_a_page_that_leaves_while_it_is_told_disturbs_nobody() -> None:
    pages = Pages()
    heard: list[str] = []
    pages.join("a", lambda *_: pages.leave("a"))
    pages.join("b", lambda method, _: heard.append(method))
    pages.tell("x", TreeChanged(()))
    assert (heard, len(pages)) == (["x"], 1)

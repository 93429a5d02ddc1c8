from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyide.errors import InvalidParams
from anyide.web.change import apply
from anyide.web.messages import Edit

TEXTS = st.text(alphabet=st.sampled_from("ab\r\né€😀\U0010ffff\u2028"), max_size=30)


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, list[Edit], str]:
    """A text cut into pieces, some of them replaced, and what must come out."""
    pieces = draw(st.lists(TEXTS, max_size=8))
    changes: list[Edit] = []
    after = []
    place = 0
    for piece in pieces:
        end = place + len(piece.encode("utf-16-le")) // 2
        new = draw(st.none() | TEXTS)
        if new is not None:
            changes.append((place, end, new))
        after.append(piece if new is None else new)
        place = end
    return "".join(pieces), changes, "".join(after)


@given(edits())
def test_edits_are_applied_exactly(case: tuple[str, list[Edit], str]) -> None:
    before, changes, after = case
    assert apply(before, changes) == after


@pytest.mark.parametrize("text", ["abc", "äbc"])
@pytest.mark.parametrize(
    "changes",
    [
        [(0, 4, "")],
        [(-1, 0, "")],
        [(2, 1, "")],
        [(1, 2, ""), (0, 1, "")],
        [(0, 2, ""), (1, 3, "")],
    ],
)
def test_what_is_outside_or_out_of_order_is_refused(text: str, changes: list[Edit]) -> None:
    with pytest.raises(InvalidParams, match="ascending, inside the text"):
        apply(text, changes)


def test_a_character_is_never_split() -> None:
    with pytest.raises(InvalidParams, match="inside a character"):
        apply("😀", [(1, 1, "x")])

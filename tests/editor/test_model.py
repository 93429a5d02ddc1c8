from __future__ import annotations

import msgspec
import pytest

from anyide.editor.model import (
    Accepted,
    Cause,
    Document,
    Position,
    Range,
    Rejected,
    Selection,
    Verdict,
    Withdrawn,
)


def test_a_range_is_empty_when_it_ends_where_it_starts() -> None:
    here, there = Position(1, 2), Position(1, 3)
    assert Range(here, here).is_empty
    assert not Range(here, there).is_empty
    assert Selection("/a", "", Range(here, here)).is_empty
    assert not Selection("/a", "x", Range(here, there)).is_empty


def test_positions_are_ordered_by_line_and_then_by_character() -> None:
    assert Position(0, 9) < Position(1, 0) < Position(1, 1)


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 1), ("a", 1), ("a\n", 2), ("a\r\nb", 2), ("a\rb\n", 3), ("\n\r", 3), ("\r\n\r\n", 3)],
)
def test_lines_are_counted_for_every_line_break(text: str, count: int) -> None:
    assert Document("/a", text, "plaintext", is_dirty=False).line_count == count


def test_model_data_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Position(0, 0).line = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    "verdict", [Accepted("a\r\n"), Rejected("no"), Withdrawn(Cause.EDITOR_GONE)]
)
def test_a_verdict_survives_json(verdict: Verdict) -> None:
    assert msgspec.json.decode(msgspec.json.encode(verdict), type=Verdict) == verdict

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyide.editor.model import Position, Range, TextSearch
from anyide.editor.position import LineIndex, search

TEXTS = st.text(st.sampled_from("ab\n\r é€😀\U0001d4b3\u2028\x0c") | st.characters(), max_size=80)
LONG_TEXTS = st.builds(lambda text, times: text * times, TEXTS, st.integers(1, 60))


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def lines_of(text: str) -> list[str]:
    return re.split(r"\r\n|\r|\n", text)


@pytest.mark.parametrize(
    ("text", "offset", "position"),
    [
        ("", 0, Position(0, 0)),
        ("a😀b", 2, Position(0, 3)),
        ("a\r\nb", 3, Position(1, 0)),
        ("a\rb", 2, Position(1, 0)),
        ("a\n", 2, Position(1, 0)),
        ("é\n😀😀x", 4, Position(1, 4)),
        ("a\u2028b", 2, Position(0, 2)),
    ],
)
def test_an_offset_and_its_position_are_each_others(
    text: str, offset: int, position: Position
) -> None:
    assert LineIndex(text).position(offset) == position
    assert LineIndex(text).offset(position) == offset


@pytest.mark.parametrize(
    ("position", "offset"),
    [
        (Position(0, 99), 2),  # LSP: "it defaults back to the line length"
        (Position(99, 0), 6),
        (Position(-1, 5), 0),
        (Position(1, -3), 4),
    ],
)
def test_what_lies_outside_is_clamped(position: Position, offset: int) -> None:
    assert LineIndex("ab\r\ncd").offset(position) == offset


def test_the_middle_of_a_surrogate_pair_means_the_place_before_it() -> None:
    assert LineIndex("a😀b").offset(Position(0, 2)) == 1


def test_the_middle_of_a_character_in_utf_8_means_the_place_before_it() -> None:
    index = LineIndex("a😀b")
    assert [index.offset_of_byte(byte) for byte in range(-1, 8)] == [0, 0, 1, 1, 1, 1, 2, 3, 3]


def test_between_cr_and_lf_means_the_end_of_the_line() -> None:
    assert LineIndex("ab\r\ncd").position(3) == Position(0, 2)


@given(TEXTS)
def test_every_place_has_the_position_that_counting_gives(text: str) -> None:
    index = LineIndex(text)
    assert index.line_count == len(lines_of(text))
    for offset in range(len(text) + 1):
        if text[offset - 1 : offset + 1] == "\r\n" and offset:
            continue
        before = lines_of(text[:offset])
        assert index.position(offset) == Position(len(before) - 1, units(before[-1]))
        assert index.offset(index.position(offset)) == offset


@given(LONG_TEXTS, st.integers(0, 5000))
def test_a_position_in_a_long_text_comes_back(text: str, offset: int) -> None:
    index = LineIndex(text)
    position = index.position(offset)
    back = index.offset(position)
    assert back in (min(offset, len(text)), offset - 1)
    assert index.position(back) == position


@given(LONG_TEXTS, st.integers(0, 5000))
def test_a_byte_offset_is_the_length_of_what_is_encoded_and_comes_back(
    text: str, offset: int
) -> None:
    index = LineIndex(text)
    offset = min(offset, len(text))
    assert index.byte_offset(offset) == len(text[:offset].encode("utf-8", "surrogatepass"))
    assert index.offset_of_byte(index.byte_offset(offset)) == offset


@given(TEXTS, st.integers(-2, 12), st.integers(-2, 30))
def test_any_position_is_clamped_to_one_that_stays(text: str, line: int, character: int) -> None:
    index = LineIndex(text)
    offset = index.offset(Position(line, character))
    assert 0 <= offset <= len(text)
    assert index.offset(index.position(offset)) == offset


@given(TEXTS, st.integers(0, 80), st.integers(0, 80))
def test_a_slice_is_the_text_between_whatever_the_order(text: str, one: int, other: int) -> None:
    index = LineIndex(text)
    start, end = index.position(one), index.position(other)
    first, last = sorted((index.offset(start), index.offset(end)))
    assert index.slice(Range(start, end)) == text[first:last] == index.slice(Range(end, start))
    assert index.clamp(Range(end, start)) == Range(index.position(first), index.position(last))


@pytest.mark.parametrize("lone", ["\ud800", "x\udc00\ud800"])
def test_a_lone_surrogate_does_no_harm(lone: str) -> None:
    index = LineIndex(lone)
    assert index.position(len(lone)) == Position(0, len(lone))
    assert index.offset(Position(0, len(lone))) == len(lone)


@pytest.mark.parametrize("piece", ["x" * 79 + "\n", "x" * 78 + "\r\n", "é😀", "😀\r"])
def test_five_megabytes_are_no_trouble(piece: str) -> None:
    text = piece * (5_000_000 // len(piece))
    started = time.process_time()
    index = LineIndex(text)
    for offset in range(0, len(text), len(text) // 1000):
        assert index.offset(index.position(offset)) == offset or piece.endswith("\r\n")
        assert index.offset_of_byte(index.byte_offset(offset)) == offset
    # A scan of the text for each question would take minutes.
    assert time.process_time() - started < 10


CODE = "def a():\n    return 1\n\ndef b():\n    return 2\n"


def found(text: str, wanted: TextSearch) -> str | None:
    place = search(text, wanted)
    return None if place is None else LineIndex(text).slice(place)


@pytest.mark.parametrize(
    ("wanted", "selected"),
    [
        (TextSearch("return"), "return"),
        (TextSearch("def b", "2"), "def b():\n    return 2"),
        (TextSearch("def a", "return"), "def a():\n    return"),
        (TextSearch("def b", "def b"), "def b"),
        (TextSearch("def b():", "b"), "def b():"),
        (TextSearch("def", to_end_of_line=True), "def a():"),
        (TextSearch("def a", "ret", to_end_of_line=True), "def a():\n    return 1"),
        (TextSearch("def c"), None),
        (TextSearch("def b", "return 1"), None),
        (TextSearch(""), None),
        (TextSearch("a():"), "a():"),
        (TextSearch(".*"), None),
    ],
)
def test_a_search_selects_from_the_start_text_to_the_end_text(
    wanted: TextSearch, selected: str | None
) -> None:
    assert found(CODE, wanted) == selected


def test_a_searched_line_break_matches_any_line_break() -> None:
    text = CODE.replace("\n", "\r\n")
    assert found(text, TextSearch("a():\n    return")) == "a():\r\n    return"
    assert found(CODE, TextSearch("a():\r\n    return")) == "a():\n    return"


def test_a_search_behind_astral_characters_gives_utf_16_positions() -> None:
    assert search("😀😀 x", TextSearch("x")) == Range(Position(0, 5), Position(0, 6))


@given(TEXTS, st.integers(0, 80), st.integers(1, 20))
def test_whatever_stands_in_a_text_is_found_in_it(text: str, start: int, length: int) -> None:
    wanted = text[start : start + length]
    if wanted:
        selected = found(text, TextSearch(wanted))
        assert selected is not None
        assert lines_of(selected) == lines_of(wanted)

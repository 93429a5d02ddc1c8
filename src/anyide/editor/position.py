"""Where in a text: UTF-16 positions, code point offsets and UTF-8 byte offsets, one into another.

A line ends at `\\n`, `\\r\\n` or a lone `\\r`, as in LSP, and at nothing else: U+2028 is a
character. What points outside the text is clamped as LSP says; what points into the middle of a
character, or between `\\r` and `\\n`, means the place before it. Nothing here reads a file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from anyide.editor.model import Position, Range, TextSearch

_BREAK = re.compile(r"\r\n|\r|\n")
_BLOCK = 512  # code points between two checkpoints: a conversion looks at one block, never at more


class _Units:
    """Counts a text in code units of an encoding, from checkpoints, so that no question is slow."""

    def __init__(self, text: str, encoding: str, width: int) -> None:
        self._text = text
        self._encoding = encoding
        self._width = width
        blocks = (text[at : at + _BLOCK] for at in range(0, len(text), _BLOCK))
        self._checkpoints = list(accumulate(map(self._measure, blocks), initial=0))

    def _measure(self, text: str) -> int:
        return len(text.encode(self._encoding, "surrogatepass")) // self._width

    def before(self, offset: int) -> int:
        """Give how many units stand before a code point offset."""
        block = offset // _BLOCK
        return self._checkpoints[block] + self._measure(self._text[block * _BLOCK : offset])

    def offset(self, units: int) -> int:
        """Give the code point offset that has that many units before it, or just fewer."""
        block = bisect_right(self._checkpoints, units) - 1
        start = min(block * _BLOCK, len(self._text))  # the last block may be a short one
        characters = self._text[start : start + _BLOCK]
        inside = units - self._checkpoints[block]
        lengths = range(len(characters) + 1)
        return (
            start + bisect_right(lengths, inside, key=lambda n: self._measure(characters[:n])) - 1
        )


class LineIndex:
    """One text prepared for many conversions; each costs microseconds, whatever the text's size."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._is_ascii = text.isascii()

    @property
    def line_count(self) -> int:
        """How many lines there are; the empty text has one."""
        return len(self._starts)

    @cached_property
    def _starts(self) -> list[int]:  # only when asked: a text may be replaced on every keystroke
        return _line_starts(self.text)

    @cached_property
    def _utf16(self) -> _Units:
        return _Units(self.text, "utf-16-le", 2)

    @cached_property
    def _utf8(self) -> _Units:
        return _Units(self.text, "utf-8", 1)

    def line_span(self, line: int) -> tuple[int, int]:
        """Give the code point offsets of a line's start and of its end, without the line break."""
        start = self._starts[line]
        if line + 1 == len(self._starts):
            return start, len(self.text)
        end = self._starts[line + 1] - 1
        is_crlf = end > start and self.text[end - 1 : end + 1] == "\r\n"
        return start, end - is_crlf

    def offset(self, position: Position) -> int:
        """Give the code point offset of a position, clamped into the text and into its line."""
        if position.line < 0:
            return 0
        if position.line >= len(self._starts):
            return len(self.text)
        start, end = self.line_span(position.line)
        character = max(position.character, 0)
        if self._is_ascii:
            return min(start + character, end)
        return min(self._utf16.offset(self._utf16.before(start) + character), end)

    def position(self, offset: int) -> Position:
        """Give the position of a code point offset."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset) - 1
        start, end = self.line_span(line)
        offset = min(offset, end)
        if self._is_ascii:
            return Position(line, offset - start)
        return Position(line, self._utf16.before(offset) - self._utf16.before(start))

    def utf16_offset(self, offset: int) -> int:
        """Give how many UTF-16 code units stand before a code point offset."""
        offset = min(max(offset, 0), len(self.text))
        return offset if self._is_ascii else self._utf16.before(offset)

    def offset_of_utf16(self, units: int) -> int:
        """Give the code point offset that has that many UTF-16 code units before it."""
        if self._is_ascii:
            return min(max(units, 0), len(self.text))
        return self._utf16.offset(max(units, 0))

    def byte_offset(self, offset: int) -> int:
        """Give the UTF-8 byte offset of a code point offset."""
        offset = min(max(offset, 0), len(self.text))
        return offset if self._is_ascii else self._utf8.before(offset)

    def offset_of_byte(self, byte_offset: int) -> int:
        """Give the code point offset of a UTF-8 byte offset."""
        if self._is_ascii:
            return min(max(byte_offset, 0), len(self.text))
        return self._utf8.offset(max(byte_offset, 0))

    def clamp(self, place: Range) -> Range:
        """Give the range as it lies in this text, start before end."""
        first, last = sorted((self.offset(place.start), self.offset(place.end)))
        return Range(self.position(first), self.position(last))

    def slice(self, place: Range) -> str:
        """Give the text in a range."""
        first, last = sorted((self.offset(place.start), self.offset(place.end)))
        return self.text[first:last]


def search(text: str, wanted: TextSearch, index: LineIndex | None = None) -> Range | None:
    """Find what `openFile` is to select, None where the text does not hold it.

    From the first match of the start text to the end of the first match of the end text that does
    not begin before it, and never less than the start text. A line break matches any line break:
    who asks for `a\\nb` means a file with CRLF as well.
    """
    start = _find(text, wanted.start_text, 0)
    if start is None:
        return None
    first, last = start
    if wanted.end_text:
        end = _find(text, wanted.end_text, first)
        if end is None:
            return None
        last = max(last, end[1])
    index = index or LineIndex(text)
    place = Range(index.position(first), index.position(last))
    if not wanted.to_end_of_line:
        return place
    _, line_end = index.line_span(place.end.line)
    return Range(place.start, index.position(line_end))


def _find(text: str, wanted: str, start: int) -> tuple[int, int] | None:
    if not wanted:
        return None
    pattern = r"(?:\r\n|\r|\n)".join(map(re.escape, _BREAK.split(wanted)))
    match = re.compile(pattern).search(text, start)
    return match and match.span()


def _line_starts(text: str) -> list[int]:
    if "\r" in text:
        return [0, *(match.end() for match in _BREAK.finditer(text))]
    # Four times as fast as the expression, and the usual case.
    lengths = [len(line) + 1 for line in text.split("\n")]
    return list(accumulate(lengths[:-1], initial=0))

"""Edits of a text by UTF-16 offsets, applied exactly; nothing here knows a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import AnyStr

from anyide.errors import InvalidParams
from anyide.web.messages import Edit

_OUT_OF_ORDER = "changes: they must be ascending, inside the text, and not overlap"


def apply(text: str, changes: Sequence[Edit]) -> str:
    """Give the text after edits whose offsets all count in the text before them.

    Raises InvalidParams for offsets outside the text, out of order, or inside a character.
    """
    if text.isascii():  # known without a look at the text; offsets are indices then
        return "".join(_pieces(text, [(start, end, new) for start, end, new in changes]))
    data = text.encode("utf-16-le")
    units = [(2 * start, 2 * end, new.encode("utf-16-le")) for start, end, new in changes]
    try:
        return b"".join(_pieces(data, units)).decode("utf-16-le")
    except UnicodeDecodeError as error:
        raise InvalidParams("changes: an offset is inside a character") from error


def _pieces(text: AnyStr, changes: Sequence[tuple[int, int, AnyStr]]) -> Iterator[AnyStr]:
    done = 0
    for start, end, new in changes:
        if not done <= start <= end <= len(text):
            raise InvalidParams(_OUT_OF_ORDER)
        yield text[done:start]
        yield new
        done = end
    yield text[done:]

"""A file's bytes as text and back, without the loss of one: encoding, byte order mark, newlines.

What cannot be read as Unicode is read as Latin-1, where every byte is a character, so that what was
not edited comes back as it was. Newlines are never normalised. Nothing here reads a file.
"""

from __future__ import annotations

import codecs
import enum

import msgspec

from anyide.editor.language import language_id
from anyide.errors import EditorError

__all__ = [
    "DecodedText",
    "Encoding",
    "NewlineStyle",
    "decode",
    "encode",
    "language_id",
    "looks_binary",
    "newline_style",
]

_BINARY_PROBE_BYTES = 8000  # as git does


class Encoding(enum.Enum):
    """How a file's text is written; the values are Python's names for it."""

    UTF_8 = "utf-8"
    UTF_16_LE = "utf-16-le"
    UTF_16_BE = "utf-16-be"
    LATIN_1 = "latin-1"


_BYTE_ORDER_MARKS = {
    Encoding.UTF_8: codecs.BOM_UTF8,
    Encoding.UTF_16_LE: codecs.BOM_UTF16_LE,
    Encoding.UTF_16_BE: codecs.BOM_UTF16_BE,
}


class DecodedText(msgspec.Struct, frozen=True):
    """A text and what is needed to write it as it was read."""

    text: str
    encoding: Encoding = Encoding.UTF_8
    has_bom: bool = False


class NewlineStyle(enum.Enum):
    """Which line breaks a text has."""

    NONE = ""
    LF = "\n"
    CRLF = "\r\n"
    CR = "\r"
    MIXED = "mixed"


def decode(data: bytes) -> DecodedText:
    """Read bytes as text; `encode` gives exactly these bytes again."""
    for encoding, mark in _BYTE_ORDER_MARKS.items():
        if data.startswith(mark):
            return _decode_as(data, encoding, mark)
    return _decode_as(data, Encoding.UTF_8, b"")


def _decode_as(data: bytes, encoding: Encoding, mark: bytes) -> DecodedText:
    try:
        text = data[len(mark) :].decode(encoding.value)
    except UnicodeDecodeError:
        return DecodedText(data.decode("latin-1"), Encoding.LATIN_1)
    return DecodedText(text, encoding, has_bom=bool(mark))


def encode(decoded: DecodedText) -> bytes:
    """Write a text in its encoding.

    Raises EditorError when the encoding has no place for a character that was typed.
    """
    mark = _BYTE_ORDER_MARKS.get(decoded.encoding, b"") if decoded.has_bom else b""
    try:
        return mark + decoded.text.encode(decoded.encoding.value)
    except UnicodeEncodeError as error:
        character = decoded.text[error.start]
        raise EditorError(
            f"the character {character!r} at offset {error.start} cannot be written as"
            f" {decoded.encoding.value}"
        ) from error


def newline_style(text: str) -> NewlineStyle:
    """Tell which line breaks a text has."""
    crlf = text.count("\r\n")
    counts = {
        NewlineStyle.CRLF: crlf,
        NewlineStyle.LF: text.count("\n") - crlf,
        NewlineStyle.CR: text.count("\r") - crlf,
    }
    found = [style for style, count in counts.items() if count]
    if not found:
        return NewlineStyle.NONE
    return found[0] if len(found) == 1 else NewlineStyle.MIXED


def looks_binary(data: bytes) -> bool:
    """Tell whether bytes are hardly a text: a NUL near the start, without a UTF-16 mark."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return decode(data).encoding is Encoding.LATIN_1
    return b"\0" in data[:_BINARY_PROBE_BYTES]

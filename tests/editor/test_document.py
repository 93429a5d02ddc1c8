from __future__ import annotations

import codecs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anyide.editor.document import (
    DecodedText,
    Encoding,
    NewlineStyle,
    decode,
    encode,
    looks_binary,
    newline_style,
)
from anyide.errors import EditorError

MARKS = [b"", codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE]


@given(st.sampled_from(MARKS), st.binary())
@example(b"", b"")
@example(codecs.BOM_UTF8, codecs.BOM_UTF8)
@example(codecs.BOM_UTF16_LE, b"\x00\xd8")  # half a pair
@example(codecs.BOM_UTF16_LE, b"x")  # half a unit
def test_any_bytes_come_back_as_they_were(mark: bytes, data: bytes) -> None:
    assert encode(decode(mark + data)) == mark + data


@given(st.text(), st.sampled_from(Encoding), st.booleans())
def test_any_text_comes_back_from_any_unicode_encoding(
    text: str, encoding: Encoding, has_bom: bool
) -> None:
    if encoding is Encoding.LATIN_1 or (not has_bom and encoding is not Encoding.UTF_8):
        return
    written = DecodedText(text, encoding, has_bom)
    read = decode(encode(written))
    if has_bom or not text.startswith("\ufeff"):
        assert read == written


@pytest.mark.parametrize(
    ("data", "decoded"),
    [
        (b"a\r\nb\rc\n", DecodedText("a\r\nb\rc\n", Encoding.UTF_8, has_bom=False)),
        (b"\xef\xbb\xbfa", DecodedText("a", Encoding.UTF_8, has_bom=True)),
        (b"\xff\xfea\x00", DecodedText("a", Encoding.UTF_16_LE, has_bom=True)),
        (b"\xfe\xff\x00a", DecodedText("a", Encoding.UTF_16_BE, has_bom=True)),
        (b"caf\xe9", DecodedText("café", Encoding.LATIN_1, has_bom=False)),
        (b"\xef\xbb\xbf\xe9", DecodedText("\xef\xbb\xbf\xe9", Encoding.LATIN_1, has_bom=False)),
    ],
)
def test_bytes_are_read_in_the_encoding_they_are_in(data: bytes, decoded: DecodedText) -> None:
    assert decode(data) == decoded


def test_a_character_that_the_encoding_lacks_is_an_error_and_not_a_question_mark() -> None:
    with pytest.raises(EditorError, match=r"'€' at offset 3 cannot be written as latin-1"):
        encode(DecodedText("a b€", Encoding.LATIN_1))


def test_a_lone_surrogate_cannot_be_written() -> None:
    with pytest.raises(EditorError, match="utf-8"):
        encode(DecodedText("\ud800"))


@pytest.mark.parametrize(
    ("text", "style"),
    [
        ("", NewlineStyle.NONE),
        ("a\nb\n", NewlineStyle.LF),
        ("a\r\nb", NewlineStyle.CRLF),
        ("a\rb", NewlineStyle.CR),
        ("a\r\nb\n", NewlineStyle.MIXED),
        ("a\n\r\nb\r", NewlineStyle.MIXED),
    ],
)
def test_the_newline_style_is_told(text: str, style: NewlineStyle) -> None:
    assert newline_style(text) is style


@pytest.mark.parametrize(
    ("data", "is_binary"),
    [
        (b"", False),
        (b"caf\xe9", False),
        (b"\x7fELF\x00", True),
        (b"\xff\xfea\x00", False),
        (b"\xff\xfea\x00b", True),
        (b"x" * 9000 + b"\x00", False),
    ],
)
def test_binary_data_is_recognised(data: bytes, is_binary: bool) -> None:
    assert looks_binary(data) is is_binary

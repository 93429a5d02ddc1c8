from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyide.errors import FramingError
from anyide.rpc.framing import (
    MAX_HEADER_BYTES,
    MAX_MESSAGE_BYTES,
    Framing,
    Headers,
    Lines,
    Whole,
)

STREAMS: list[Callable[[], Framing]] = [Lines, Headers]

# What JSON encoders write: no raw line ends, no blanks around.
payload = st.binary(min_size=1, max_size=80).filter(
    lambda data: b"\n" not in data and data == data.strip(b" \t\r")
)


def read(framing: Framing, chunks: list[bytes]) -> list[bytes]:
    messages = []
    for chunk in chunks:
        for message in framing.receive(chunk):
            assert isinstance(message, bytes)
            messages.append(message)
    return messages


def problem(answers: list[bytes | FramingError]) -> FramingError:
    [error] = answers
    assert isinstance(error, FramingError)
    return error


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges)]


@pytest.mark.parametrize("make", STREAMS)
@given(messages=st.lists(payload, max_size=6), places=st.lists(st.integers(0, 10_000), max_size=8))
def test_any_messages_in_any_chunks_arrive_whole_and_in_order(
    make: Callable[[], Framing], messages: list[bytes], places: list[int]
) -> None:
    writer = make()
    data = b"".join(writer.frame(message) for message in messages)
    assert read(make(), cut(data, places)) == messages


@pytest.mark.parametrize("make", STREAMS)
def test_messages_arrive_byte_by_byte(make: Callable[[], Framing]) -> None:
    data = make().frame(b"first") + make().frame(b"second")
    assert read(make(), [bytes([byte]) for byte in data]) == [b"first", b"second"]


@pytest.mark.parametrize("make", STREAMS)
def test_a_tail_waits_for_its_rest(make: Callable[[], Framing]) -> None:
    framing = make()
    second = framing.frame(b"second")
    for place in range(1, len(second)):
        framing = make()
        assert framing.receive(framing.frame(b"first") + second[:place]) == [b"first"]
        assert framing.receive(second[place:]) == [b"second"]


@given(st.lists(st.binary(max_size=50)))
def test_each_chunk_of_whole_is_one_message(chunks: list[bytes]) -> None:
    framing = Whole()
    assert read(framing, [framing.frame(chunk) for chunk in chunks]) == chunks
    assert framing.receive_eof() == []


def test_every_framing_allows_64_mebibytes_by_default() -> None:
    assert MAX_MESSAGE_BYTES == 64 * 1024 * 1024
    assert {f().max_message_bytes for f in (Whole, Lines, Headers)} == {MAX_MESSAGE_BYTES}


def test_whole_says_which_limit_was_broken_and_goes_on() -> None:
    framing = Whole(max_message_bytes=5)
    error = problem(framing.receive(b"123456"))
    assert str(error) == "a message of more than 5 bytes"
    assert not error.fatal
    assert framing.receive(b"12345") == [b"12345"]


# Lines.


def test_empty_lines_and_blanks_around_are_left_out() -> None:
    assert Lines().receive(b"\n\r\n  \t\na\r\n \tb \r\n") == [b"a", b"b"]


@given(
    st.integers(6, 200),
    st.lists(st.integers(0, 400), max_size=6),
    st.binary(min_size=0, max_size=5),
)
def test_a_line_that_is_too_long_is_skipped_and_the_next_is_read(
    size: int, places: list[int], tail: bytes
) -> None:
    framing = Lines(max_message_bytes=5)
    answers = [
        answer
        for chunk in cut(b"one\n" + b"x" * size + b"\ntwo\n", places)
        for answer in framing.receive(chunk)
    ]
    assert [answers[0], answers[2]] == [b"one", b"two"]
    error = problem(answers[1:2])
    assert str(error) == "a line of more than 5 bytes"
    assert not error.fatal
    assert len(answers) == 3


def test_a_line_of_just_the_limit_is_read() -> None:
    assert Lines(max_message_bytes=5).receive(b"12345\n") == [b"12345"]


def test_a_line_that_is_too_long_is_not_kept_while_it_grows() -> None:
    framing = Lines(max_message_bytes=5)
    for _ in range(1000):
        assert framing.receive(b"xxx") == []
    assert sum(map(len, framing._parts)) <= 5
    assert str(problem(framing.receive(b"\n"))) == "a line of more than 5 bytes"


def test_the_end_completes_the_last_line() -> None:
    framing = Lines()
    assert framing.receive(b"one\ntw") == [b"one"]
    assert framing.receive(b"o") == []
    assert framing.receive_eof() == [b"two"]
    assert framing.receive_eof() == []


def test_the_end_of_a_line_that_is_too_long_is_an_error() -> None:
    framing = Lines(max_message_bytes=5)
    assert framing.receive(b"123456") == []
    assert "5 bytes" in str(problem(framing.receive_eof()))


# Headers.


def test_other_headers_are_passed_over_and_names_have_no_case() -> None:
    data = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-LENGTH:2\r\n\r\nab"
    assert Headers().receive(data) == [b"ab"]


def test_a_body_of_nothing_is_a_message() -> None:
    assert Headers().receive(b"Content-Length: 0\r\n\r\nContent-Length: 1\r\n\r\nx") == [b"", b"x"]


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"X: 1",
        b"Content-Length",
        b"Content-Length: ",
        b"Content-Length: -1",
        b"Content-Length: +1",
        b"Content-Length: 1_0",
        b"Content-Length: 0x10",
        b"Content-Length: \xb2",
        b"Content-Length: " + b"9" * 19,
        b"Content-Length: 2, 2",
    ],
)
def test_a_header_that_cannot_be_read_is_fatal(header: bytes) -> None:
    framing = Headers()
    answers = framing.receive(b"Content-Length: 2\r\n\r\nok" + header + b"\r\n\r\n{}")
    assert answers[0] == b"ok"
    error = problem(answers[1:])
    assert "Content-Length" in str(error)
    assert error.fatal
    assert framing.receive(b"Content-Length: 2\r\n\r\nok") == []
    assert framing.receive_eof() == []


def test_a_header_without_end_is_fatal_and_names_the_limit() -> None:
    framing = Headers()
    assert framing.receive(b"x" * (MAX_HEADER_BYTES - 1)) == []
    error = problem(framing.receive(b"x"))
    assert str(error) == f"a header of more than {MAX_HEADER_BYTES} bytes"
    assert error.fatal


def test_a_body_that_is_too_long_is_fatal_before_it_comes() -> None:
    framing = Headers(max_message_bytes=5)
    error = problem(framing.receive(b"Content-Length: 6\r\n\r\n"))
    assert str(error) == "a message of more than 5 bytes"
    assert error.fatal
    assert Headers(max_message_bytes=5).receive(b"Content-Length: 5\r\n\r\n12345") == [b"12345"]


def test_the_end_inside_a_message_is_said() -> None:
    for part in (b"Content", b"Content-Length: 5\r\n\r\n", b"Content-Length: 5\r\n\r\n1234"):
        framing = Headers()
        framing.receive(part)
        assert "cut short" in str(problem(framing.receive_eof()))
    framing = Headers()
    framing.receive(b"Content-Length: 1\r\n\r\n1")
    assert framing.receive_eof() == []


@given(st.binary(max_size=200))
def test_no_bytes_make_a_framing_raise(data: bytes) -> None:
    for framing in (Whole(max_message_bytes=50), Lines(max_message_bytes=50), Headers()):
        framing.receive(data)
        framing.receive_eof()

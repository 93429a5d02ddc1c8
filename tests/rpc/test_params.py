from __future__ import annotations

import pytest
from msgspec import UNSET, Raw, Struct

from anyide.errors import InvalidParams
from anyide.rpc.params import decode_params, explain


class Point(Struct):
    line: int
    column: int = 0


class Range(Struct):
    start: Point
    names: list[str] = []


def test_params_are_read_as_the_kind_that_is_asked_for() -> None:
    assert decode_params(Raw(b'{"line":3,"extra":1}'), Point) == Point(3)


def test_params_that_were_left_out_are_an_empty_object() -> None:
    assert decode_params(UNSET, dict[str, int]) == {}


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        (b"{}", "start is missing"),
        (b'{"start":{}}', "start.line is missing"),
        (b'{"start":{"line":"x"}}', "start.line: expected int, got str"),
        (b'{"start":{"line":1},"names":[1]}', "names[0]: expected str, got int"),
        (b"[]", "params: expected object, got array"),
    ],
)
def test_the_error_names_the_argument(params: bytes, problem: str) -> None:
    with pytest.raises(InvalidParams) as caught:
        decode_params(Raw(params), Range)
    assert caught.value.message == problem
    assert caught.value.code == -32602


def test_missing_params_name_the_first_argument() -> None:
    with pytest.raises(InvalidParams, match="line is missing"):
        decode_params(UNSET, Point)


def test_params_that_are_nested_too_deeply_are_invalid() -> None:
    with pytest.raises(InvalidParams, match="cannot be read"):
        decode_params(Raw(b"[" * 100_000 + b"]" * 100_000), list[object])


def test_an_unknown_sentence_is_kept() -> None:
    assert explain("Something else") == "params: something else"

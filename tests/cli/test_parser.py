from __future__ import annotations

import pytest

from anyide.cli.parser import Parser
from anyide.errors import UsageError


@pytest.fixture
def parser() -> Parser:
    made = Parser(prog="anyide go", about="Go.")
    made.add_argument("--claude", metavar="FILE")
    made.add_argument("--fast", action="store_true", help="go fast")
    return made


def test_a_mistake_is_a_usage_error_and_not_an_exit(parser: Parser) -> None:
    with pytest.raises(UsageError, match="--nonsense"):
        parser.parse_args(["--nonsense"])


def test_options_are_not_abbreviated(parser: Parser) -> None:
    with pytest.raises(UsageError):
        parser.parse_args(["--fas"])


@pytest.mark.parametrize(
    ("words", "own", "rest"),
    [
        ([], [], []),
        (["--fast", "-p", "x"], ["--fast"], ["-p", "x"]),
        (["--claude", "a", "--ide"], ["--claude", "a"], ["--ide"]),
        (["--claude=a", "--fast"], ["--claude=a", "--fast"], []),
        (["--", "--fast"], [], ["--fast"]),
        (["--fast", "--", "--", "x"], ["--fast"], ["--", "x"]),
        (["x", "--fast"], [], ["x", "--fast"]),
    ],
)
def test_words_to_pass_on_begin_where_our_options_end(
    parser: Parser, words: list[str], own: list[str], rest: list[str]
) -> None:
    assert parser.split(words) == (own, rest)


def test_what_can_be_typed_is_told_for_completion(parser: Parser) -> None:
    by_name = {argument.names[-1]: argument for argument in parser.arguments()}
    assert by_name["--claude"].metavar == "FILE"
    assert by_name["--claude"].takes_value
    assert not by_name["--fast"].takes_value
    assert by_name["--fast"].help == "go fast"

from __future__ import annotations

import dataclasses
import tracemalloc

import msgspec
import pytest
from msgspec import UNSET, Raw

from anyide.errors import InvalidParams
from anyide.ide.context import Context
from anyide.ide.messages import CallResult
from anyide.ide.tools.tool import Tool, failure, reply, reply_json, required_text


class Arguments(msgspec.Struct, frozen=True, rename="camel"):
    file_path: str = "none"
    count: int = 0


async def run(context: Context, arguments: Arguments) -> CallResult:
    return reply(arguments.file_path)


TOOL = Tool(
    name="look",
    description="Look",
    arguments=Arguments,
    run=run,
    aliases={"path": "filePath", "uri": "filePath"},
)


@pytest.mark.parametrize("raw", [UNSET, None, Raw(b"{}"), Raw(b"null"), Raw(b"[]")])
def test_nothing_is_no_arguments_in_every_way_to_say_so(raw: object) -> None:
    assert TOOL.read(raw) == Arguments()


@pytest.mark.parametrize("aliases", [{}, TOOL.aliases])
def test_long_arguments_are_not_copied(aliases: dict[str, str]) -> None:
    tool = dataclasses.replace(TOOL, aliases=aliases)
    raw = Raw(b'{"count": 2, "later": "%b"}' % (b"x" * 5_000_000))
    tracemalloc.start()
    try:
        assert tool.read(raw).count == 2
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000


def test_a_looser_name_stands_for_ours_unless_ours_is_there() -> None:
    assert TOOL.read(Raw(b'{"path": "/a"}')).file_path == "/a"
    assert TOOL.read(Raw(b'{"path": "/a", "filePath": "/b"}')).file_path == "/b"


@pytest.mark.parametrize(
    ("raw", "argument"),
    [(b'{"count": "x"}', "count"), (b'{"path": 1}', "filePath"), (b"3", "params")],
)
def test_a_wrong_argument_is_named(raw: bytes, argument: str) -> None:
    with pytest.raises(InvalidParams, match=argument):
        TOOL.read(Raw(raw))


def test_what_is_not_known_is_passed_over() -> None:
    assert TOOL.read(Raw(b'{"count": 2, "later": true}')).count == 2


def test_blank_text_is_not_enough() -> None:
    assert required_text("x", "filePath") == "x"
    with pytest.raises(InvalidParams, match="filePath must not be empty"):
        required_text("  ", "filePath")


def test_answers_are_blocks() -> None:
    assert reply("a", "b").texts == ("a", "b")
    assert reply_json({"a": [1]}).text == '{"a":[1]}'
    assert failure("no").is_error
    assert msgspec.json.encode(reply("a")) == b'{"content":[{"type":"text","text":"a"}]}'

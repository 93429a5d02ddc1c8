from __future__ import annotations

import asyncio
import enum
import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest

from anyide.errors import UsageError
from anyide.headless.tool_function import Picture, tool
from anyide.headless.toolbox import Toolbox


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Point:
    x: int
    y: int = 0


@tool(readOnlyHint=True)
def everything(
    name: str,
    count: Annotated[int, "how many"] = 1,
    *,
    mode: Literal["a", "b"] = "a",
    colour: Colour = Colour.RED,
    points: list[Point] | None = None,
    tags: list[str] = [],  # noqa: B006 - a default that must not be shared
) -> dict[str, Any]:
    """Do everything."""
    tags.append("seen")
    return {"name": name, "count": count, "mode": mode, "points": len(points or []), "tags": tags}


def ask(box: Toolbox, method: str, **params: Any) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    answer = asyncio.run(box.answer(message))
    assert answer is not None
    assert (answer["jsonrpc"], answer["id"]) == ("2.0", 7)
    return answer


def call(box: Toolbox, name: str, /, **arguments: Any) -> dict[str, Any]:
    result: dict[str, Any] = ask(box, "tools/call", name=name, arguments=arguments)["result"]
    return result


def test_type_hints_are_the_schema() -> None:
    (listed,) = ask(Toolbox([everything]), "tools/list")["result"]["tools"]
    assert (listed["name"], listed["description"]) == ("everything", "Do everything.")
    assert listed["annotations"] == {"readOnlyHint": True}
    schema = listed["inputSchema"]
    assert schema["type"] == "object"
    assert schema["required"] == ["name"]
    assert schema["properties"]["count"] == {
        "type": "integer",
        "description": "how many",
        "default": 1,
    }
    assert schema["properties"]["mode"]["enum"] == ["a", "b"]
    json.dumps(schema)


def test_arguments_are_converted_and_defaults_are_fresh() -> None:
    box = Toolbox([everything])
    for _ in range(2):
        (block,) = call(box, "everything", name="n", points=[{"x": 1}])["content"]
        assert json.loads(block["text"]) == {
            "name": "n", "count": 1, "mode": "a", "points": 1, "tags": ["seen"],
        }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({}, "missing required field `name`"),
        ({"name": 3}, "Expected `str`"),
        ({"name": "n", "mode": "c"}, "Invalid enum value"),
        ({"name": "n", "other": 1}, "unknown field `other`"),
    ],
)
def test_wrong_arguments_are_told_to_the_model(arguments: dict[str, Any], problem: str) -> None:
    result = call(Toolbox([everything]), "everything", **arguments)
    assert result["isError"]
    assert problem in result["content"][0]["text"]


@pytest.mark.parametrize(
    ("answer", "content"),
    [
        ("text", [{"type": "text", "text": "text"}]),
        (None, []),
        (42, [{"type": "text", "text": "42"}]),
        ([1], [{"type": "text", "text": "[1]"}]),
        ([{"type": "text", "text": "a"}], [{"type": "text", "text": "a"}]),
        (Picture(b"png"), [{"type": "image", "data": "cG5n", "mimeType": "image/png"}]),
    ],
)
def test_an_answer_is_content(answer: Any, content: list[dict[str, Any]]) -> None:
    def give() -> Any:
        return answer

    assert call(Toolbox([give]), "give")["content"] == content


def test_the_protocol_around_it() -> None:
    box = Toolbox([everything], name="box")
    info = ask(box, "initialize", protocolVersion="2025-11-25")["result"]
    assert (info["protocolVersion"], info["serverInfo"]["name"]) == ("2025-11-25", "box")
    assert ask(box, "ping")["result"] == {}
    assert ask(box, "resources/list")["error"]["code"] == -32601
    assert ask(box, "tools/call", name="none")["error"]["code"] == -32602
    assert asyncio.run(box.answer({"method": "notifications/initialized"})) is None
    assert box.allowed == ["mcp__box__everything"]


def test_a_function_that_cannot_be_a_tool_is_refused() -> None:
    def spread(*args: int) -> None: ...

    with pytest.raises(UsageError, match="args"):
        tool(spread)


def test_a_tool_may_answer_at_length() -> None:
    @tool(max_result=100_000)
    def long() -> str:
        """Tell much."""
        return ""

    assert long.declaration["_meta"] == {"anthropic/maxResultSizeChars": 100_000}

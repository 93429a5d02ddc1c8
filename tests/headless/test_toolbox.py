from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anyide import __version__
from anyide.headless.tool_function import tool
from anyide.headless.toolbox import NAME, PROTOCOL_VERSION, Toolbox, call_id
from anyide.rpc.message import ErrorCode


@tool(name="sum", readOnlyHint=True)
async def add(a: int, b: int = 0) -> int:
    """Add two numbers."""
    return a + b


def fail(kind: str) -> str:
    """Fail in some way."""
    raise {"key": KeyError("k"), "value": ValueError("v")}[kind]


async def ask(method: Any, params: Any = None, *, tools: Any = (add, fail)) -> dict[str, Any]:
    answer = await Toolbox(tools).answer(
        {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    )
    assert answer is not None
    assert (answer.pop("jsonrpc"), answer.pop("id")) == ("2.0", 1)
    return answer


async def called(name: Any, arguments: Any = None) -> dict[str, Any]:
    return await ask("tools/call", {"name": name, "arguments": arguments})


def failed(text: str) -> dict[str, Any]:
    return {"result": {"content": [{"type": "text", "text": text}], "isError": True}}


def test_tools_are_allowed_by_the_names_that_the_model_uses() -> None:
    assert Toolbox([add, fail]).allowed == [f"mcp__{NAME}__sum", f"mcp__{NAME}__fail"]
    assert Toolbox([fail], name="mine").allowed == ["mcp__mine__fail"]
    assert Toolbox([]).allowed == []


async def test_it_speaks_the_version_that_is_asked_for_or_its_own() -> None:
    asked = await ask("initialize", {"protocolVersion": "2024-11-05"})
    assert asked["result"] == {
        "protocolVersion": "2024-11-05",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": NAME, "version": __version__},
    }
    assert (await ask("initialize"))["result"]["protocolVersion"] == PROTOCOL_VERSION


async def test_tools_are_listed_with_schema_and_annotations() -> None:
    listed = (await ask("tools/list"))["result"]["tools"]
    assert [each["name"] for each in listed] == ["sum", "fail"]
    assert listed[0]["description"] == "Add two numbers."
    assert listed[0]["inputSchema"]["required"] == ["a"]
    assert listed[0]["annotations"] == {"readOnlyHint": True}
    assert "annotations" not in listed[1]


async def test_a_ping_is_answered() -> None:
    assert await ask("ping") == {"result": {}}


@settings(deadline=None, max_examples=50)
@given(st.integers(-(2**53), 2**53), st.integers(-(2**53), 2**53))
async def test_a_call_runs_the_function(a: int, b: int) -> None:
    answer = await called("sum", {"a": a, "b": b})
    assert answer == {"result": {"content": [{"type": "text", "text": str(a + b)}]}}


@pytest.mark.parametrize("arguments", [None, {}, {"a": "x"}, {"a": 1, "b": None}])
async def test_wrong_arguments_are_told_to_the_model(arguments: Any) -> None:
    answer = await called("sum", arguments)
    assert answer["result"]["isError"] is True
    assert answer["result"]["content"][0]["text"].startswith("Wrong arguments: ")


@pytest.mark.parametrize(("kind", "text"), [("key", "KeyError: 'k'"), ("value", "ValueError: v")])
async def test_what_a_tool_raises_is_told_to_the_model(kind: str, text: str) -> None:
    assert await called("fail", {"kind": kind}) == failed(text)


@pytest.mark.parametrize("name", ["none", "", None, 7, ["sum"], {}])
async def test_a_tool_that_is_not_there_is_a_protocol_error(name: Any) -> None:
    error = (await called(name))["error"]
    assert error == {"code": int(ErrorCode.INVALID_PARAMS), "message": f"no tool {name!r}"}


@pytest.mark.parametrize("method", ["resources/list", "", None, 7])
async def test_a_method_that_is_not_there_is_a_protocol_error(method: Any) -> None:
    error = (await ask(method))["error"]
    assert error == {"code": int(ErrorCode.METHOD_NOT_FOUND), "message": f"no method {method!r}"}


async def test_a_notification_gets_no_answer_and_an_id_of_zero_does() -> None:
    box = Toolbox([])
    assert await box.answer({"jsonrpc": "2.0", "method": "notifications/initialized"}) is None
    assert await box.answer({"id": 0, "method": "ping"}) == {
        "jsonrpc": "2.0",
        "id": 0,
        "result": {},
    }


def test_of_two_tools_with_one_name_the_last_is_used() -> None:
    @tool(name="sum")
    def other() -> str:
        return ""

    assert list(Toolbox([add, other]).tools.values()) == [other]


async def test_a_tool_knows_which_call_it_answers() -> None:
    @tool
    async def who() -> str:
        """Tell the id of the call."""
        return call_id.get() or "nobody"

    params = {"name": "who", "_meta": {"claudecode/toolUseId": "toolu_1"}}
    told = await ask("tools/call", params, tools=[who])
    assert told["result"]["content"] == [{"type": "text", "text": "toolu_1"}]
    metas: list[Any] = [None, 3, {}]
    for meta in metas:
        told = await ask("tools/call", {"name": "who", "_meta": meta}, tools=[who])
        assert told["result"]["content"] == [{"type": "text", "text": "nobody"}]

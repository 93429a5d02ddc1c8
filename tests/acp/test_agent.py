from __future__ import annotations

import asyncio
import json
import tempfile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anyide.acp.agent import CANCEL_RULE, Agent, introduction
from anyide.acp.client import Abilities
from anyide.acp.read import lossless
from anyide.acp.setup import AgentOptions
from anyide.errors import RpcError
from anyide.rpc.connection import Connection
from anyide.rpc.framing import Lines
from anyide.rpc.transport.memory import join
from tests.acp.schema import check

NOBODY = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
async def client(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Connection:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    agent = Agent(AgentOptions)
    theirs = Connection(agent.handlers, framing=Lines(), cancel=CANCEL_RULE)
    agent.connect(theirs)
    ours = Connection({}, framing=Lines(), cancel=CANCEL_RULE)
    join(ours, theirs)
    return ours


def test_what_it_says_of_itself_fits_the_schema_and_hides_nothing() -> None:
    told = lossless(introduction(Abilities(terminal_login=True)))
    check("InitializeResponse", told)
    can = told["agentCapabilities"]
    assert can["loadSession"] is True
    assert can["promptCapabilities"] == {"image": True, "embeddedContext": True}
    assert set(can["sessionCapabilities"]) == {
        *("list", "delete", "additionalDirectories", "resume", "close", "fork")
    }
    assert can["mcpCapabilities"] == {"http": True, "sse": True}
    assert can["auth"] == {"logout": {}}
    assert len(told["authMethods"]) == 2


@pytest.mark.parametrize(
    ("method", "params", "code", "words"),
    [
        ("session/new", {"cwd": "relative", "mcpServers": []}, -32602, "not an absolute path"),
        ("session/new", {"cwd": 3, "mcpServers": []}, -32602, "cwd"),
        ("session/new", {"cwd": "/"}, -32602, "mcpServers"),
        ("session/load", {"sessionId": NOBODY, "cwd": "/", "mcpServers": []}, -32002, NOBODY),
        ("session/resume", {"sessionId": "../../etc", "cwd": "/"}, -32002, "../../etc"),
        ("session/fork", {"sessionId": NOBODY, "cwd": "/", "mcpServers": []}, -32002, NOBODY),
        ("session/prompt", {"sessionId": NOBODY, "prompt": []}, -32002, "is open"),
        ("session/set_mode", {"sessionId": NOBODY, "modeId": "plan"}, -32002, "is open"),
        ("session/close", {"sessionId": NOBODY}, -32002, "is open"),
        ("session/list", {"cursor": "mine"}, -32602, "cursor"),
        ("session/set_model", {}, -32601, "Method not found"),
        ("authenticate", {"methodId": "magic"}, -32602, "magic"),
    ],
)
async def test_what_cannot_be_done_is_refused_with_the_protocols_code(
    client: Connection, method: str, params: dict[str, Any], code: int, words: str
) -> None:
    with pytest.raises(RpcError) as caught:
        await client.request(method, params, kind=dict, timeout=20)
    assert caught.value.code == code
    assert words in caught.value.message


async def test_there_may_be_no_sessions(client: Connection) -> None:
    found = await client.request("session/list", {}, kind=dict, timeout=20)
    assert found == {"sessions": []}
    assert await client.request("session/delete", {"sessionId": NOBODY}, kind=dict) == {}


async def test_a_client_of_tomorrow_is_understood(client: Connection) -> None:
    tomorrow = {
        "protocolVersion": 7,
        "clientCapabilities": {"fs": "all of it", "holograms": {}, "terminal": True},
        "clientInfo": {"name": "Later", "version": "9", "mood": "good"},
    }
    answer = await client.request("initialize", tomorrow, kind=dict, timeout=20)
    assert answer["protocolVersion"] == 1
    assert json.dumps(answer)


METHODS = [
    *("initialize", "authenticate", "logout", "session/new", "session/load", "session/resume"),
    *("session/fork", "session/list", "session/close", "session/delete", "session/set_mode"),
    *("session/set_config_option", "session/prompt"),
]
NAMES = [
    *("sessionId", "cwd", "mcpServers", "additionalDirectories", "prompt", "type", "name", "url"),
    *("command", "args", "env", "headers", "value", "configId", "modeId", "cursor", "methodId"),
    *("protocolVersion", "clientCapabilities", "fs", "text", "_meta", "resource", "data"),
]
WORDS = st.sampled_from(
    ["/", "", "..", "text", "image", "http", "resource", NOBODY, "\0", "a" * 300]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=3), inner, max_size=6)
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(method=st.sampled_from(METHODS), params=VALUES)
def test_whatever_is_asked_is_answered_in_words(method: str, params: Any) -> None:
    """`failed inside` would mean that something was raised that nobody had thought of."""

    async def ask() -> str:
        with tempfile.TemporaryDirectory() as home:
            options = AgentOptions(claude="/no/such/claude", env={"CLAUDE_CONFIG_DIR": home})
            agent = Agent(lambda: options)
            theirs = Connection(agent.handlers, framing=Lines(), cancel=CANCEL_RULE)
            agent.connect(theirs)
            ours = Connection({}, framing=Lines(), cancel=CANCEL_RULE)
            join(ours, theirs)
            try:
                return str(await ours.request(method, params, kind=Any, timeout=20))
            except RpcError as error:
                return error.message

    assert "failed inside" not in asyncio.run(ask())

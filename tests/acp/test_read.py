from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from anyide.acp import messages as m
from anyide.acp.read import lossless, read, read_params
from anyide.errors import InvalidParams

ROOT = Path(__file__).parents[2]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def test_the_generated_file_is_what_the_schema_says() -> None:
    words = [sys.executable, "tools/acp_schema.py", "--check"]
    assert subprocess.run(words, cwd=ROOT, check=False).returncode == 0


def test_null_and_absent_are_told_apart() -> None:
    absent = read({"sessionId": "s", "path": "/p"}, m.ReadTextFileRequest)
    null = read({"sessionId": "s", "path": "/p", "line": None}, m.ReadTextFileRequest)
    assert (absent.line, null.line) == (UNSET, None)
    assert "line" not in lossless(absent)
    assert lossless(null)["line"] is None


def test_unknown_variants_and_fields_are_kept() -> None:
    block = {"type": "hologram", "depth": 3}
    prompt = {"sessionId": "s", "prompt": [block, {"type": "text", "text": "t", "new": 1}]}
    found = read({**prompt, "later": [1]}, m.PromptRequest)
    assert isinstance(found.prompt[0], m.Unknown)
    assert lossless(found) == {**prompt, "later": [1]}


def test_an_optional_field_that_does_not_fit_is_kept_and_not_used() -> None:
    found = read({"protocolVersion": 1, "clientInfo": "Zed"}, m.InitializeRequest)
    assert found.client_info is UNSET
    assert lossless(found)["clientInfo"] == "Zed"


def test_a_server_without_a_type_is_stdio() -> None:
    server = {"name": "n", "command": "c", "args": [], "env": []}
    asked = {"cwd": "/", "mcpServers": [server, {**server, "type": "stdio"}]}
    found = read(asked, m.NewSessionRequest)
    assert [type(s) for s in found.mcp_servers] == [m.McpServerStdio, m.McpServerStdio]
    assert lossless(found) == asked


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        (b"{}", "cwd is missing"),
        (b'{"cwd": 1, "mcpServers": []}', "cwd: expected str, got int"),
        (b'{"cwd": "/", "mcpServers": [1]}', r"mcpServers\[0\]"),
        (b"[]", "expected"),
    ],
)
def test_wrong_params_name_the_argument(params: bytes, problem: str) -> None:
    with pytest.raises(InvalidParams, match=problem):
        read_params(params, m.NewSessionRequest)


@given(st.dictionaries(st.sampled_from(["type", "text", "uri", "name", "_meta", "x"]), JSON))
def test_whatever_a_block_is_nothing_of_it_is_lost(block: dict[str, Any]) -> None:
    try:
        found = read(block, m.ContentBlock)
    except ValueError:
        return  # a known type without what it needs
    assert json.loads(json.dumps(lossless(found))) == block

"""`anyide acp` as a process: nothing but protocol on standard output, and a quick end."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

AGENT = [sys.executable, "-m", "anyide", "acp"]


def speak(*lines: Any, flags: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    done = subprocess.run(
        [*AGENT, *flags], input=text, capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def hello(version: int = 1, **capabilities: Any) -> dict[str, Any]:
    params = {"protocolVersion": version, "clientCapabilities": capabilities}
    return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}


@pytest.mark.parametrize("version", [0, 1, 2, 99])
def test_the_version_is_negotiated(version: int) -> None:
    (answer,) = speak(hello(version))
    assert answer["result"]["protocolVersion"] == 1


def test_what_cannot_be_read_is_answered_and_survived() -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "session/set_model", "params": {}}
    broken, unknown, answer = speak("garbage", asked, hello())
    assert broken["error"]["code"] == -32700
    assert unknown["error"]["code"] == -32601
    assert answer["result"]["agentInfo"]["name"] == "anyide"


def answer_to(method: str, params: dict[str, Any], *flags: str) -> dict[str, Any]:
    """The answer to a request that takes its time: the input stays open for it."""
    asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    with subprocess.Popen(
        [*AGENT, *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        agent.stdin.write(json.dumps(hello()) + "\n" + json.dumps(asked) + "\n")
        agent.stdin.flush()
        agent.stdout.readline()
        answer: dict[str, Any] = json.loads(agent.stdout.readline())
        agent.stdin.close()
        assert agent.wait(20) == 0
    return answer


def test_wrong_params_name_the_argument() -> None:
    answer = answer_to("session/new", {"mcpServers": []})
    assert answer["error"] == {"code": -32602, "message": "cwd is missing"}


def test_a_missing_cli_is_told(tmp_path: Path) -> None:
    params = {"cwd": str(tmp_path), "mcpServers": []}
    answer = answer_to("session/new", params, "--claude", str(tmp_path / "none"))
    assert "install Claude Code" in answer["error"]["message"]


def test_a_log_goes_to_its_file(tmp_path: Path) -> None:
    log = tmp_path / "acp.log"
    speak("garbage", flags=("--log-file", str(log)))
    assert "not a message" in log.read_text()

"""A fake Claude Code CLI for the benchmarks: answers each prompt with a flood, quickly.

The prompt says what is wanted: `flood N` for N stream events and a result, `tool N` for N calls of
the in-process tool `add`, one after another, `hang` for a turn that ends when it is interrupted.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

_DELTA = (
    '{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":'
    '{"type":"text_delta","text":"word %06d "}},'
    '"session_id":"00000000-0000-4000-8000-00000000000a",'
    '"parent_tool_use_id":null,"uuid":"00000000-0000-4000-8000-%012d"}\n'
)


def main() -> None:
    server = ""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "control_request":
            request = message["request"]
            if request["subtype"] == "initialize":
                names = request.get("sdkMcpServers") or ["bench"]
                server = names[0]
            answer({"commands": [], "models": []}, message["request_id"])
        elif message["type"] == "user":
            turn(message, server)


def turn(message: dict[str, Any], server: str) -> None:
    content = message["message"]["content"]
    text = content if isinstance(content, str) else content[0]["text"]
    verb, _, count = text.partition(" ")
    if verb == "flood":
        flood(int(count))
    elif verb == "tool":
        call_tools(int(count), server)
    elif verb == "hang":
        hang()
        return
    result()


def hang() -> None:
    """As the real CLI in mid-turn: an interrupt ends the turn, the end of the input does not."""
    write(_DELTA % (0, 0))
    while line := sys.stdin.readline():
        message = json.loads(line)
        if message["type"] == "control_request":
            answer({}, message["request_id"])
            if message["request"]["subtype"] == "interrupt":
                result()
                return
    time.sleep(600)


def flood(count: int) -> None:
    data = "".join(_DELTA % (n, n) for n in range(count)).encode()
    view = memoryview(data)
    while view:
        view = view[os.write(1, view[: 1 << 20]) :]


def call_tools(count: int, server: str) -> None:
    ask("initialize", 0, server, {"protocolVersion": "2025-06-18", "capabilities": {}})
    for number in range(count):
        ask("tools/call", number + 1, server, {"name": "add", "arguments": {"a": 1, "b": 2}})


def ask(method: str, number: int, server: str, params: dict[str, Any]) -> None:
    if method == "initialize":
        params = {**params, "clientInfo": {"name": "fake", "version": "1"}}
    rpc = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    request = {"subtype": "mcp_message", "server_name": server, "message": rpc}
    say({"type": "control_request", "request_id": f"cli-{number}", "request": request})
    sys.stdin.readline()


def answer(response: dict[str, Any], request_id: str) -> None:
    found = {"subtype": "success", "request_id": request_id, "response": response}
    say({"type": "control_response", "response": found})


def result() -> None:
    say(
        {
            "type": "result",
            "subtype": "success",
            "duration_ms": 1,
            "duration_api_ms": 1,
            "is_error": False,
            "num_turns": 1,
            "result": "done",
            "session_id": "00000000-0000-4000-8000-00000000000a",
            "total_cost_usd": 0.0,
            "usage": {},
            "uuid": "00000000-0000-4000-8000-00000000000b",
        }
    )


def say(message: dict[str, Any]) -> None:
    write(json.dumps(message, separators=(",", ":")) + "\n")


def write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    main()

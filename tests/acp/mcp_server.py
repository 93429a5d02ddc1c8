"""A small MCP server over standard input and output: adds, asks by a form, asks by a link.

It speaks a version of the protocol in which a server sends requests of its own.
"""

from __future__ import annotations

import json
import sys
from typing import Any

Json = dict[str, Any]

NUMBERS = {"a": {"type": "number"}, "b": {"type": "number"}}
TOOLS: dict[str, Json] = {
    "add": {"type": "object", "properties": NUMBERS, "required": ["a", "b"]},
    "book": {"type": "object", "properties": {}},
    "pay": {"type": "object", "properties": {}},
}
FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "Who comes?", "minLength": 1},
        "guests": {"type": "integer", "default": 2},
    },
    "required": ["name"],
}
LINK = {"mode": "url", "message": "Pay", "url": "https://pay.invalid/1", "elicitationId": "pay-1"}


def say(message: Json) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def hear() -> Json:
    message: Json = json.loads(sys.stdin.readline())
    return message


def ask(params: Json) -> Json:
    """A question to the person, by way of the client."""
    say({"id": "q", "method": "elicitation/create", "params": params})
    while (message := hear()).get("id") != "q":
        pass
    return message["result"] if "result" in message else {"action": "error", **message["error"]}


def called(name: str, given: Json) -> str:
    if name == "book":
        return json.dumps(ask({"message": "A table?", "requestedSchema": FORM}))
    if name == "pay":
        answer = ask(LINK)
        params = {"elicitationId": "pay-1"}
        say({"method": "notifications/elicitation/complete", "params": params})
        return json.dumps(answer)
    return str(given["a"] + given["b"])


def result(method: str, params: Json) -> Json | None:
    if method == "initialize":
        info = {"name": "small", "version": "1"}
        return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": [{"name": name, "inputSchema": TOOLS[name]} for name in TOOLS]}
    if method == "tools/call":
        text = called(params["name"], params.get("arguments") or {})
        return {"content": [{"type": "text", "text": text}]}
    return {} if method == "ping" else None


def main() -> None:
    while message := hear():
        if "id" in message and "method" in message:
            answer = result(message["method"], message.get("params") or {})
            unknown = {"error": {"code": -32601, "message": "Method not found"}}
            say({"id": message["id"], **(unknown if answer is None else {"result": answer})})


if __name__ == "__main__":
    main()

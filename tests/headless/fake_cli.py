"""A fake Claude Code CLI that does what the prompt says, one step a line.

    LINE text        print the text as it is          BYTES b'…'    print these bytes
    SAY text         an assistant's message           DELTAS n      n text deltas
    BIG n            a message of n characters        STDERR text   complain
    FLOOD n          n bytes of complaints            ASK {…}       ask us; say the answer
    RESULT {…}       the result, with these fields    EXIT n        end with this exit code
    KILL             end by SIGKILL                   HANG          until interrupted or the end
    ARGV             say the command line             NOISE n       n lines that are no JSON

A prompt without RESULT, EXIT, KILL or HANG ends with a good result. The first argument is how it
starts: `normal`, `silent` (never answers), `exit` (ends at once), `option` (knows no option),
`stubborn` (ignores interrupts, the end of its input and SIGTERM), `startup` (an error result, then
exit 1), `old` (names no ids).
"""

from __future__ import annotations

import ast
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

SESSION = "11111111-1111-4111-8111-111111111111"
MODE = sys.argv[1] if len(sys.argv) > 1 else "normal"


def main() -> None:
    if MODE == "exit":
        sys.stderr.write("no licence for this machine\n")
        sys.exit(3)
    if MODE == "option":
        sys.stderr.write("error: unknown option '--include-partial-messages'\n")
        sys.exit(1)
    if MODE == "startup":
        say(result_of(is_error=True, errors=["the folder is gone"], subtype="error"))
        sys.exit(1)
    if MODE == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while line := sys.stdin.readline():
        hear(json.loads(line))
    if MODE in ("stubborn", "silent"):
        time.sleep(600)


def hear(message: dict[str, Any]) -> None:
    if MODE == "silent":
        return
    if message["type"] == "control_request":
        answer(message)
    elif message["type"] == "user":
        content = message["message"]["content"]
        text = content if isinstance(content, str) else content[0]["text"]
        turn(text, message["uuid"])


def answer(message: dict[str, Any]) -> None:
    request = message["request"]
    if MODE == "stubborn" and request["subtype"] == "interrupt":
        return
    known = {"initialize": {"commands": [], "argv": sys.argv[1:]}, "echo": request}
    found: dict[str, Any] = {"subtype": "success", "request_id": message["request_id"]}
    if request["subtype"] == "nonsense":
        found.update(subtype="error", error="Unsupported", error_code="unsupported_request")
    else:
        found["response"] = known.get(request["subtype"], {})
    say({"type": "control_response", "response": found})


def turn(prompt: str, uuid: str) -> None:
    if MODE != "old":
        say({"type": "command_lifecycle", "command_uuid": uuid, "state": "started"})
    say({"type": "system", "subtype": "init", "session_id": SESSION, "cwd": str(Path.cwd())})
    said: list[str] = []
    for line in prompt.split("\n"):
        verb, _, rest = line.partition(" ")
        if verb == "RESULT":
            say(result_of(uuid, **json.loads(rest)))
            return
        if verb == "HANG":
            hang(uuid)
            return
        step(verb, rest, said)
    say(result_of(uuid, result="\n".join(said)))


def step(verb: str, rest: str, said: list[str]) -> None:  # noqa: C901 - a table of verbs
    match verb:
        case "LINE":
            write(rest.encode() + b"\n")
        case "BYTES":
            write(ast.literal_eval(rest))
        case "SAY":
            said.append(rest)
            say(assistant(rest))
        case "BIG":
            said.append("big")
            say(assistant("x" * int(rest)))
        case "DELTAS":
            write(b"".join(delta(number) for number in range(int(rest))))
        case "NOISE":
            write(b"noise\n" * int(rest))
        case "STDERR":
            sys.stderr.write(rest + "\n")
            sys.stderr.flush()
        case "FLOOD":
            os.write(2, b"e" * int(rest))
        case "ASK":
            said.append(ask(json.loads(rest)))
        case "ARGV":
            said.append(json.dumps(sys.argv[2:]))
        case "EXIT":
            sys.exit(int(rest))
        case "KILL":
            os.kill(os.getpid(), signal.SIGKILL)


def ask(request: dict[str, Any]) -> str:
    say({"type": "control_request", "request_id": "cli-1", "request": request})
    while line := sys.stdin.readline():
        message = json.loads(line)
        if message["type"] == "control_response":
            return json.dumps(message["response"])
        answer(message)
    return "the end"


def hang(uuid: str) -> None:
    while line := sys.stdin.readline():
        message = json.loads(line)
        answer(message)
        if message.get("request", {}).get("subtype") == "interrupt" and MODE != "stubborn":
            fields = {"subtype": "error_during_execution", "is_error": True}
            say(result_of(uuid, terminal_reason="aborted_streaming", **fields))
            return
    if MODE != "stubborn":
        sys.exit(0)


def delta(number: int) -> bytes:
    piece = {"type": "text_delta", "text": f"{number} "}
    event = {"type": "content_block_delta", "index": 0, "delta": piece}
    message = {"type": "stream_event", "event": event, "parent_tool_use_id": None}
    return json.dumps(message).encode() + b"\n"


def assistant(text: str) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return {"type": "assistant", "message": {"role": "assistant", "content": content}}


def result_of(uuid: str = "", **fields: Any) -> dict[str, Any]:
    named = {} if MODE == "old" or not uuid else {"user_message_uuid": uuid}
    found = {"duration_ms": 1, "type": "result", "subtype": "success", "is_error": False}
    return {**found, "session_id": SESSION, "total_cost_usd": 0.5, **named, **fields}


def say(message: dict[str, Any]) -> None:
    write(json.dumps(message).encode() + b"\n")


def write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()

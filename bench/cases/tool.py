"""A tool called through a real `IdeServer`, against a bare echo of the same request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

import msgspec

from bench.case import Case, Effort
from bench.client import Client, frame
from bench.contest import Turn, contest
from bench.process import Child, on_one_core
from bench.row import Row

AIM = 1.5
TOOLS = ("getWorkspaceFolders", "getCurrentSelection", "getOpenEditors")
_INITIALIZE = (
    b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26",'
    b'"capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}'
)


def call(tool: str, identity: int) -> bytes:
    """What is asked."""
    return (
        b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%b","arguments":{}}}'
        % (identity, tool.encode())
    )


def run(effort: Effort) -> Sequence[Row]:
    with on_one_core():
        times = contest(
            lambda stack: _start(stack, effort.requests),
            repetitions=effort.repetitions,
            rounds=effort.rounds,
        )
    return [times.row(tool, tool, "bare", peer_name="bare echo", aim=AIM) for tool in TOOLS]


def _start(stack: ExitStack, requests: int) -> Mapping[str, Turn]:
    bare = stack.enter_context(Child("bench.servers.bare", "plain"))
    ide = stack.enter_context(Child("bench.servers.ide"))
    echo = stack.enter_context(Client(bare.address()))
    cli = stack.enter_context(Client(ide.address()))
    cli.ask(frame(_INITIALIZE))
    turns = {tool: _turn(cli, tool, requests) for tool in TOOLS}
    for tool in TOOLS:
        _check(tool, cli.ask(frame(call(tool, 1))))
    return {"bare": _turn(echo, TOOLS[0], requests), **turns}


def _turn(client: Client, tool: str, requests: int) -> Turn:
    frames = [frame(call(tool, number)) for number in range(requests)]

    def turn() -> int:
        for each in frames:
            client.ask(each)
        return len(frames)

    return turn


def _check(tool: str, answer: bytes) -> None:
    result = msgspec.json.decode(answer).get("result")
    # The folder is a temporary one; what is open in it is known.
    known = b"rootPath" if tool == "getWorkspaceFolders" else b"example.py"
    if result is None or result.get("isError") or known not in answer:
        raise SystemExit(f"{tool} answered {answer!r}")


TOOL = Case("tool", "a tool of the IDE server", run)

"""A WebSocket request and its answer: `Connection` against a bare echo and against `websockets`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

import msgspec

from bench.case import Case, Effort
from bench.client import Client, frame
from bench.contest import Turn, contest
from bench.process import Child, on_one_core
from bench.row import Row

_RIVALS = {
    "bare": ("bench.servers.bare", "plain"),
    "bare, buffered": ("bench.servers.bare", "buffered"),
    "plain": ("bench.servers.connection", "plain"),
    "coroutine": ("bench.servers.connection", "coroutine"),
    "library": ("bench.servers.library", "plain"),
    "library, deflate": ("bench.servers.library", "deflate"),
}
BARE_AIM = 1.35
LIBRARY_AIM = 0.75


def request(identity: int) -> bytes:
    """What is asked."""
    return (
        b'{"jsonrpc":"2.0","id":%d,"method":"echo","params":{"text":"hello world, hello world"}}'
        % identity
    )


def run(effort: Effort) -> Sequence[Row]:
    with on_one_core():
        times = contest(
            lambda stack: _start(stack, effort.requests),
            repetitions=effort.repetitions,
            rounds=effort.rounds,
        )
    return [
        times.row("WebSocket, plain handler", "plain", "bare", peer_name="bare echo", aim=BARE_AIM),
        times.row("WebSocket, coroutine", "coroutine", "bare", peer_name="bare echo", aim=BARE_AIM),
        times.row(
            "WebSocket, plain handler",
            "plain",
            "bare, buffered",
            peer_name="bare echo with one buffer",
        ),
        times.row(
            "WebSocket, plain handler", "plain", "library", peer_name="websockets", aim=LIBRARY_AIM
        ),
        times.row("WebSocket, coroutine", "coroutine", "library", peer_name="websockets"),
        times.row(
            "WebSocket, plain handler",
            "plain",
            "library, deflate",
            peer_name="websockets compressing",
        ),
        times.row("websockets", "library", "bare", peer_name="bare echo"),
    ]


def _start(stack: ExitStack, requests: int) -> Mapping[str, Turn]:
    children = {name: stack.enter_context(Child(*command)) for name, command in _RIVALS.items()}
    return {name: _turn(stack, name, child, requests) for name, child in children.items()}


def _turn(stack: ExitStack, name: str, child: Child, requests: int) -> Turn:
    deflate = name.endswith("deflate")
    client = stack.enter_context(Client(child.address(), deflate=deflate))
    frames = [frame(request(number), deflate=deflate) for number in range(requests)]
    if not deflate:
        _check(name, client.ask(frames[0]))

    def turn() -> int:
        for each in frames:
            client.ask(each)
        return len(frames)

    return turn


def _check(name: str, answer: bytes) -> None:
    said = msgspec.json.decode(answer)
    given = said["params" if name.startswith("bare") else "result"]
    if said["id"] != 0 or given != {"text": "hello world, hello world"}:
        raise SystemExit(f"{name} answered {answer!r}")


WEBSOCKET = Case("websocket", "a request and its answer over a WebSocket", run)

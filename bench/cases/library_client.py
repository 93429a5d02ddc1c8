"""The same request and answer with the asyncio client of `websockets` as it comes.

It offers compression: the library's server takes the offer, ours declines it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from websockets.asyncio.client import ClientConnection, connect

from bench.case import Case, Effort
from bench.cases.websocket import request
from bench.client import HOST
from bench.contest import Turn, contest
from bench.process import Child, on_one_core
from bench.row import Row

_RIVALS = {
    "bare": ("bench.servers.bare", "plain"),
    "plain": ("bench.servers.connection", "plain"),
    "websockets": ("bench.servers.library", "plain"),
    "websockets compressing": ("bench.servers.library", "deflate"),
}


def run(effort: Effort) -> Sequence[Row]:
    with on_one_core():
        times = contest(
            lambda stack: _start(stack, effort.requests),
            repetitions=effort.repetitions,
            rounds=effort.rounds,
        )
    peers = ("bare", "websockets", "websockets compressing")
    return [times.row("from the library's client", "plain", peer) for peer in peers]


def _start(stack: ExitStack, requests: int) -> Mapping[str, Turn]:
    runner = stack.enter_context(asyncio.Runner())
    children = {name: stack.enter_context(Child(*command)) for name, command in _RIVALS.items()}
    return {name: _turn(stack, runner, child, requests) for name, child in children.items()}


def _turn(stack: ExitStack, runner: asyncio.Runner, child: Child, requests: int) -> Turn:
    client = runner.run(_connect(child.address().port))
    stack.callback(client.transport.abort)  # a goodbye would wait for the bare echo's
    messages = [request(number).decode() for number in range(requests)]
    return lambda: runner.run(_ask(client, messages))


async def _connect(port: int) -> ClientConnection:
    return await connect(f"ws://{HOST}:{port}/", proxy=None)


async def _ask(client: ClientConnection, messages: Sequence[str]) -> int:
    for message in messages:
        await client.send(message)
        await client.recv()
    return len(messages)


LIBRARY_CLIENT = Case("library_client", "the same, asked by the client of websockets", run)

"""A pair of connected connections over every transport there is."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import inspect
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
from msgspec import Struct

from anyide.rpc.connection import Connection, Handler
from anyide.rpc.framing import Headers, Lines
from anyide.rpc.transport import memory
from anyide.rpc.transport.process import ProcessTransport
from anyide.rpc.transport.stdio import StdioTransport
from anyide.rpc.transport.websocket.client import connect
from anyide.rpc.transport.websocket.server import Accept, WebSocketServer
from tests.rpc.echo_peer import CANCEL, EchoPeer

PATIENCE = 5.0


class Pair(Struct):
    """Our connection, and how the echo peer at its other end vanishes without a word."""

    ours: Connection
    vanish: Callable[[], object]


@pytest.fixture
def handlers() -> dict[str, Handler]:
    """Our handlers; a test adds to them."""
    return {"double": lambda request: bytes(request.params).decode() * 2}


@pytest.fixture(params=["memory", "process", "stdio", "websocket"])
async def pair(request: pytest.FixtureRequest, handlers: dict[str, Handler]) -> AsyncIterator[Pair]:
    opening = {
        "memory": open_memory,
        "process": open_process,
        "stdio": open_stdio,
        "websocket": open_websocket,
    }[request.param]
    async with opening(handlers) as opened:
        yield opened


@contextlib.asynccontextmanager
async def open_memory(handlers: dict[str, Handler]) -> AsyncIterator[Pair]:
    ours, theirs = Connection(handlers, cancel=CANCEL), EchoPeer().connection
    memory.join(ours, theirs)
    yield Pair(ours, theirs.close)
    ours.close()
    theirs.close()
    await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def open_process(handlers: dict[str, Handler]) -> AsyncIterator[Pair]:
    ours = Connection(handlers, cancel=CANCEL, framing=Lines())
    command = [sys.executable, "-m", "tests.rpc.echo_peer"]
    transport = await ProcessTransport.start(ours, command, cwd=str(Path(__file__).parents[2]))
    yield Pair(ours, lambda: os.kill(transport.pid, 9))
    ours.close()
    async with asyncio.timeout(PATIENCE):
        await transport.wait_gone()


@contextlib.asynccontextmanager
async def open_stdio(handlers: dict[str, Handler]) -> AsyncIterator[Pair]:
    ours = Connection(handlers, cancel=CANCEL, framing=Headers())
    theirs = EchoPeer(Headers()).connection
    (our_in, their_out), (their_in, our_out) = os.pipe(), os.pipe()
    files = [os.fdopen(fd, "rb", buffering=0) for fd in (our_in, their_in)]
    targets = [os.fdopen(fd, "wb", buffering=0) for fd in (our_out, their_out)]
    ends = [
        StdioTransport.start(receiver, source, target)
        for receiver, source, target in zip((ours, theirs), files, targets, strict=True)
    ]
    yield Pair(ours, targets[1].close)
    ours.close()
    theirs.close()
    for target in targets:  # each reader sees the end only when both sides let go
        target.close()
    async with asyncio.timeout(PATIENCE):
        for end in ends:
            await asyncio.to_thread(end._reader.join)
            await asyncio.to_thread(end._writer.join)
    for file in files:
        file.close()


@contextlib.asynccontextmanager
async def open_websocket(handlers: dict[str, Handler]) -> AsyncIterator[Pair]:
    server = await WebSocketServer.start(lambda _: Accept(EchoPeer().connection))
    ours = Connection(handlers, cancel=CANCEL)
    await connect(ours, f"ws://127.0.0.1:{server.port}")
    [socket] = server.sockets
    yield Pair(ours, socket._abort)
    ours.close()
    async with asyncio.timeout(PATIENCE):
        await server.close()


@pytest.fixture(autouse=True)
def nothing_goes_unseen(
    request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
) -> Iterator[None]:
    """Fail a test whose loop complained: an exception nobody saw, a task left pending."""
    yield
    if inspect.iscoroutinefunction(request.function):
        gc.collect()
        records = [*caplog.get_records("call"), *caplog.get_records("teardown")]
        assert [one.getMessage() for one in records if one.name == "asyncio"] == []

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from http import HTTPStatus

import pytest

from anyide.errors import ConnectFailed
from anyide.rpc.connection import Connection
from anyide.rpc.transport.websocket.client import connect
from anyide.rpc.transport.websocket.server import (
    Accept,
    Dismiss,
    Gate,
    Refuse,
    Upgrade,
    WebSocketServer,
)
from anyide.rpc.transport.websocket.socket import Limits

PATIENCE = 5.0
QUICK = Limits(open_seconds=0.1, close_seconds=0.1)
Serve = Callable[[Gate], Awaitable[str]]
ServeRaw = Callable[[bytes], Awaitable[str]]


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    servers: list[WebSocketServer] = []

    async def start(gate: Gate) -> str:
        servers.append(await WebSocketServer.start(gate, subprotocols=["mcp"], limits=QUICK))
        return f"ws://127.0.0.1:{servers[-1].port}/mcp"

    yield start
    async with asyncio.timeout(PATIENCE):
        for server in servers:
            await server.close()


@pytest.fixture
async def serve_raw() -> AsyncIterator[ServeRaw]:
    """A server that answers every request with the same bytes, and stays."""
    listeners: list[asyncio.Server] = []
    writers: list[asyncio.StreamWriter] = []

    async def start(answer: bytes) -> str:
        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writers.append(writer)
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer)

        listeners.append(await asyncio.start_server(talk, "127.0.0.1", 0))
        return f"ws://127.0.0.1:{listeners[-1].sockets[0].getsockname()[1]}"

    yield start
    for writer in writers:
        writer.close()
    for listener in listeners:
        listener.close()


def echo() -> Connection:
    return Connection({"echo": lambda call: call.params})


async def test_headers_and_subprotocols_reach_the_server(serve: Serve) -> None:
    seen: list[Upgrade] = []

    def gate(upgrade: Upgrade) -> Accept:
        seen.append(upgrade)
        return Accept(echo())

    ours = Connection({})
    client = await connect(
        ours, await serve(gate), headers={"X-Token": "abc"}, subprotocols=["mcp", "x"]
    )
    assert seen[0].path == "/mcp"
    assert seen[0].headers["x-token"] == "abc"
    assert client.subprotocol == "mcp"
    assert await ours.request("echo", [1], kind=list[int]) == [1]
    await asyncio.wait_for(client.ping(), PATIENCE)
    ours.close()


async def test_without_a_subprotocol_none_is_agreed_on(serve: Serve) -> None:
    ours = Connection({})
    client = await connect(ours, await serve(lambda _: Accept(echo())))
    assert client.subprotocol is None
    ours.close()


async def test_a_refusal_carries_status_and_text(serve: Serve) -> None:
    url = await serve(lambda _: Refuse(HTTPStatus.FORBIDDEN, "Not you"))
    with pytest.raises(ConnectFailed, match="HTTP status 403: Not you") as caught:
        await connect(Connection({}), url)
    assert caught.value.status == 403


async def test_a_dismissal_is_the_end_of_the_conversation(serve: Serve) -> None:
    ours = Connection({})
    await connect(ours, await serve(lambda _: Dismiss(1008, "Unauthorised")))
    async with asyncio.timeout(PATIENCE):
        ended = await ours.wait_closed()
    assert (ended.code, ended.reason) == (1008, "Unauthorised")


async def test_a_close_by_us_reaches_the_server_with_code_and_reason(serve: Serve) -> None:
    theirs = echo()
    ours = Connection({})
    await connect(ours, await serve(lambda _: Accept(theirs)))
    ours.close(4001, "bye")
    async with asyncio.timeout(PATIENCE):
        ended = await theirs.wait_closed()
    assert (ended.code, ended.reason) == (4001, "bye")


async def test_nobody_there_is_told() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        with pytest.raises(ConnectFailed, match=f"cannot reach 127.0.0.1:{port}"):
            await connect(Connection({}), f"ws://127.0.0.1:{port}")


@pytest.mark.parametrize("url", ["http://127.0.0.1", "nonsense", "ws://", "wss://127.0.0.1"])
async def test_what_is_no_address_of_ours_is_told(url: str) -> None:
    with pytest.raises(ConnectFailed):
        await connect(Connection({}), url)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (b"", "no answer from"),
        (b"HTTP/1.1 101 Switching Protocols\r\n", "no answer from"),
        (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", "did not shake hands"),
        (b"SSH-2.0-OpenSSH_9.0\r\n", "did not shake hands"),
    ],
)
async def test_a_server_that_does_not_shake_hands_is_told(
    serve_raw: ServeRaw, answer: bytes, problem: str
) -> None:
    limits = Limits(open_seconds=0.3, close_seconds=0.05)
    with pytest.raises(ConnectFailed, match=problem):
        await connect(Connection({}), await serve_raw(answer), limits=limits)


async def test_a_connect_that_is_cancelled_leaves_nothing_behind(serve_raw: ServeRaw) -> None:
    connecting = asyncio.create_task(connect(Connection({}), await serve_raw(b"")))
    for _ in range(10):
        await asyncio.sleep(0)
    connecting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await connecting


async def test_messages_too_big_for_us_close_with_1009(serve: Serve) -> None:
    theirs, ours = echo(), Connection({})
    limits = Limits(message_bytes=100, close_seconds=0.1)
    await connect(ours, await serve(lambda _: Accept(theirs)), limits=limits)
    theirs.notify("a", ["x" * 100])
    async with asyncio.timeout(PATIENCE):
        assert (await ours.wait_closed()).code == 1009
        assert (await theirs.wait_closed()).code == 1009

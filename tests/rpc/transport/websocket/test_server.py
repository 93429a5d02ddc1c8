from __future__ import annotations

import asyncio
import gc
import logging
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable
from http import HTTPStatus

import pytest

from anyide.errors import ConnectFailed, ConnectionClosed
from anyide.rpc.connection import Connection
from anyide.rpc.transport import Transport
from anyide.rpc.transport.websocket.client import connect
from anyide.rpc.transport.websocket.server import (
    Accept,
    Dismiss,
    Gate,
    Refuse,
    Upgrade,
    WebSocketServer,
)
from anyide.rpc.transport.websocket.socket import Limits, WebSocket
from tests.rpc.transport.raw_socket import (
    BINARY,
    CLOSE,
    CONT,
    PATIENCE,
    PING,
    PONG,
    TEXT,
    RawSocket,
    frame,
    upgrade,
)

QUICK = Limits(open_seconds=0.1, close_seconds=0.1)


class Ear:
    """A receiver that notes what it hears."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self.news = asyncio.Event()
        self.transport: Transport | None = None
        self.ended: asyncio.Future[ConnectionClosed] = asyncio.get_running_loop().create_future()

    def attached(self, transport: Transport) -> None:
        self.transport = transport

    def received(self, data: bytes) -> None:
        assert not self.ended.done()
        self.heard.append(data)
        self.news.set()

    def lost(self, error: ConnectionClosed) -> None:
        self.ended.set_result(error)

    @property
    def socket(self) -> WebSocket:
        assert isinstance(self.transport, WebSocket)
        return self.transport

    async def hears(self, count: int) -> list[bytes]:
        async with asyncio.timeout(PATIENCE):
            while len(self.heard) < count:
                self.news.clear()
                await self.news.wait()
        return self.heard

    async def end(self) -> str:
        async with asyncio.timeout(PATIENCE):
            return str(await asyncio.shield(self.ended))


Start = Callable[..., Awaitable[WebSocketServer]]


@pytest.fixture
async def start() -> AsyncIterator[Start]:
    servers: list[WebSocketServer] = []

    async def make(gate: Gate, *, limits: Limits = QUICK) -> WebSocketServer:
        subprotocols = ["other", "mcp"]
        servers.append(await WebSocketServer.start(gate, limits=limits, subprotocols=subprotocols))
        return servers[-1]

    yield make
    async with asyncio.timeout(PATIENCE):
        for server in servers:
            await server.close()


@pytest.fixture
async def ear() -> Ear:
    return Ear()


async def opened(server: WebSocketServer, more: bytes = b"") -> RawSocket:
    raw = await RawSocket.open(server.port, upgrade() + more)
    assert (await raw.response()).startswith("HTTP/1.1 101 ")
    return raw


async def test_the_gate_sees_path_and_headers(start: Start) -> None:
    seen: list[Upgrade] = []

    def gate(upgrade: Upgrade) -> Accept:
        seen.append(upgrade)
        return Accept(Ear())

    server = await start(gate)
    data = upgrade("/mcp?x=1", X_Token="abc", Cookie="a=1").replace(
        b"Cookie: a=1", b"Cookie: a=1\r\ncookie: b=2"
    )
    raw = await RawSocket.open(server.port, data)
    await raw.response()
    assert seen[0].path == "/mcp?x=1"
    assert seen[0].headers["x-token"] == "abc"
    assert seen[0].headers["cookie"] == "a=1,b=2"
    await raw.close()


async def test_the_handshake_may_come_byte_by_byte_with_frames_behind(
    start: Start, ear: Ear
) -> None:
    server = await start(lambda _: Accept(ear))
    raw = await RawSocket.open(server.port)
    for byte in upgrade():
        raw.writer.write(bytes([byte]))
        await raw.writer.drain()
        await asyncio.sleep(0)
    raw.writer.write(frame(TEXT, b"a"))
    assert (await raw.response()).startswith("HTTP/1.1 101 ")
    assert await ear.hears(1) == [b"a"]
    await raw.close()


async def test_frames_right_behind_the_upgrade_are_read_after_it(start: Start, ear: Ear) -> None:
    server = await start(lambda _: Accept(ear))
    raw = await opened(server, frame(PING, b"early") + frame(TEXT, b"a"))
    assert await raw.frame() == (PONG, b"early")
    assert await ear.hears(1) == [b"a"]
    await raw.close()


async def test_a_refusal_is_an_http_answer(start: Start) -> None:
    server = await start(lambda _: Refuse(HTTPStatus.FORBIDDEN, "Not you"))
    raw = await RawSocket.open(server.port, upgrade() + frame(TEXT, b"a"))
    assert (await raw.response()).startswith("HTTP/1.1 403 ")
    assert await raw.end() == b"Not you\n"
    await raw.close()


@pytest.mark.parametrize("behind", [b"", frame(TEXT, b"secret"), b"\xff" * 1000])
async def test_a_dismissal_closes_after_the_upgrade_and_reads_nothing(
    start: Start, behind: bytes
) -> None:
    server = await start(lambda _: Dismiss(1008, "Unauthorised"))
    raw = await opened(server, behind)
    raw.writer.write(frame(TEXT, b"x" * 100_000))
    assert await raw.close_frame() == (1008, "Unauthorised")
    assert await raw.end() == b""
    await raw.close()


async def test_a_long_reason_is_cut_to_what_a_close_frame_holds(start: Start) -> None:
    server = await start(lambda _: Dismiss(1008, "é" * 100))
    raw = await opened(server)
    assert await raw.close_frame() == (1008, "é" * 61)
    await raw.close()


async def test_fragments_become_one_message(start: Start, ear: Ear) -> None:
    server = await start(lambda _: Accept(ear))
    raw = await opened(server)
    raw.writer.write(
        frame(TEXT, b"", fin=False)
        + frame(CONT, "a\u00e9".encode()[:2], fin=False)
        + frame(PING, b"between")
        + frame(CONT, "a\u00e9".encode()[2:])
        + frame(BINARY, b"next")
    )
    assert await ear.hears(2) == ["a\u00e9".encode(), b"next"]
    assert await raw.frame() == (PONG, b"between")
    await raw.close()


async def test_pings_of_ours_wait_for_their_pongs(start: Start, ear: Ear) -> None:
    server = await start(lambda _: Accept(ear))
    raw = await opened(server)
    pings = [asyncio.create_task(ear.socket.ping()) for _ in range(3)]
    asked = [await raw.frame() for _ in pings]
    assert {opcode for opcode, _ in asked} == {PING}
    assert len({data for _, data in asked}) == 3
    raw.writer.write(frame(PONG, b"unasked") + frame(PONG, asked[1][1]))
    await asyncio.wait_for(pings[1], PATIENCE)
    assert not pings[0].done()
    assert not pings[2].done()
    later = asyncio.create_task(ear.socket.ping())
    assert (await raw.frame())[1] not in {data for _, data in asked}
    await raw.close()
    for ping in (pings[0], pings[2], later):
        with pytest.raises(ConnectionClosed, match="vanished"):
            await asyncio.wait_for(ping, PATIENCE)
    with pytest.raises(ConnectionClosed):
        await ear.socket.ping()


@pytest.mark.parametrize(
    ("offered", "agreed"),
    [
        ({}, None),
        ({"Sec_WebSocket_Protocol": "mcp"}, "mcp"),
        ({"Sec_WebSocket_Protocol": "x"}, None),
    ],
)
async def test_a_subprotocol_is_chosen_where_both_know_it(
    start: Start, ear: Ear, offered: dict[str, str], agreed: str | None
) -> None:
    server = await start(lambda _: Accept(ear))
    raw = await RawSocket.open(server.port, upgrade(**offered))
    response = await raw.response()
    assert response.startswith("HTTP/1.1 101 ")
    lines = [line for line in response.split("\r\n") if line.startswith("Sec-WebSocket-Protocol")]
    assert lines == ([] if agreed is None else [f"Sec-WebSocket-Protocol: {agreed}"])
    await raw.close()


@pytest.mark.parametrize(
    ("frames", "code"),
    [
        (frame(TEXT, b"x" * 101), 1009),
        (frame(TEXT, b"x" * 60, fin=False) + frame(CONT, b"x" * 60), 1009),
        (frame(TEXT, b"a\xff"), 1007),
        (frame(TEXT, b"\xc3", fin=False) + frame(CONT, b"\xff"), 1007),
        (frame(CONT, b"x"), 1002),
        (b"\x81\x01x", 1002),  # not masked
        (frame(0x3, b"x"), 1002),
    ],
)
async def test_frames_that_break_the_rules_are_closed_with_the_code_for_it(
    start: Start, ear: Ear, frames: bytes, code: int
) -> None:
    limits = Limits(message_bytes=100, close_seconds=0.1)
    server = await start(lambda _: Accept(ear), limits=limits)
    raw = await opened(server, frame(TEXT, b"good"))
    raw.writer.write(frames + frame(TEXT, b"after"))
    assert (await raw.close_frame())[0] == code
    assert f"close code {code}" in await ear.end()
    assert ear.heard == [b"good"]
    await raw.close()


async def test_a_binary_message_need_not_be_text(start: Start, ear: Ear) -> None:
    server = await start(lambda _: Accept(ear))
    raw = await opened(server, frame(BINARY, b"\xff"))
    assert await ear.hears(1) == [b"\xff"]
    await raw.close()


async def test_many_tiny_fragments_use_no_more_memory_than_their_bytes(
    start: Start, ear: Ear
) -> None:
    server = await start(lambda _: Accept(ear))
    raw = await opened(server, frame(TEXT, b"x", fin=False))
    tracemalloc.start()
    try:
        raw.writer.write(frame(CONT, b"x", fin=False) * 10_000)
        raw.writer.write(frame(PING, b"done"))
        await raw.frame()
        gc.collect()
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert used < 300_000
    raw.writer.write(frame(CONT, b"x"))
    assert await ear.hears(1) == [b"x" * 10_002]
    await raw.close()


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "426"),
        (upgrade().replace(b"Version: 13", b"Version: 8"), "400"),
        (upgrade().replace(b"Sec-WebSocket-Key: ", b"Sec-WebSocket-Key: !"), "400"),
        (b"GET /" + b"x" * 10_000 + b" HTTP/1.1\r\n\r\n", "414"),
    ],
)
async def test_a_bad_handshake_gets_an_http_error_and_the_receiver_is_told(
    start: Start, ear: Ear, data: bytes, status: str
) -> None:
    accepted: list[Upgrade] = []

    def gate(upgrade: Upgrade) -> Accept:
        accepted.append(upgrade)
        return Accept(ear)

    server = await start(gate)
    raw = await RawSocket.open(server.port, data)
    assert (await raw.response()).startswith(f"HTTP/1.1 {status} ")
    await raw.end()
    if accepted:
        assert "did not ask for a WebSocket" in await ear.end()
    assert ear.transport is None
    await raw.close()


async def test_what_is_not_http_is_hung_up_on(start: Start) -> None:
    server = await start(lambda _: Accept(Ear()))
    raw = await RawSocket.open(server.port, b"\x16\x03\x01 hello\r\n")
    assert await raw.end() == b""
    await raw.close()


async def test_a_handshake_that_stops_half_way_is_given_up(start: Start) -> None:
    server = await start(lambda _: Accept(Ear()))
    raw = await RawSocket.open(server.port, upgrade()[:-4])
    assert await raw.end() == b""
    await raw.close()


async def test_closing_completes_with_clients_that_do_not_answer(start: Start) -> None:
    ears = [Ear() for _ in range(3)]
    waiting = iter(ears)
    server = await start(lambda _: Accept(next(waiting)))
    raws = [await opened(server) for _ in ears]
    half = await RawSocket.open(server.port, b"GET")
    ears[1].socket.pause_reading()
    async with asyncio.timeout(PATIENCE):
        await server.close(1001, "going")
    assert [await ear.end() for ear in ears] == ["going (close code 1001)"] * 3
    for raw in raws:
        assert await raw.close_frame() == (1001, "going")
    for raw in (*raws, half):
        await raw.close()
    assert server.sockets == set()


async def test_pings_do_not_put_off_the_end(start: Start, ear: Ear) -> None:
    server = await start(lambda _: Accept(ear))
    raw = await opened(server)
    closing = asyncio.create_task(server.close())

    async def keep_pinging() -> None:
        while True:
            raw.writer.write(frame(PING, b"x"))
            await raw.writer.drain()
            await asyncio.sleep(0)

    pinging = asyncio.create_task(keep_pinging())
    await asyncio.wait_for(closing, PATIENCE)
    pinging.cancel()
    await asyncio.wait([pinging])
    assert pinging.cancelled() or isinstance(pinging.exception(), OSError)
    await raw.close()


async def test_their_close_is_answered_and_its_reason_told(start: Start, ear: Ear) -> None:
    server = await start(lambda _: Accept(ear))
    raw = await opened(server)
    raw.writer.write(frame(CLOSE, (4001).to_bytes(2) + b"bye"))
    assert await raw.close_frame() == (4001, "bye")
    assert await ear.end() == "bye (close code 4001)"
    ear.socket.send([b"nobody"])
    ear.socket.close()
    await raw.close()


async def test_a_client_that_hangs_up_is_noticed(start: Start, ear: Ear) -> None:
    server = await start(lambda _: Accept(ear))
    raw = await opened(server)
    await raw.close()
    assert "vanished" in await ear.end()


async def test_a_slow_reader_is_not_read_until_it_catches_up(start: Start, ear: Ear) -> None:
    limits = Limits(high_water_bytes=64 * 1024, close_seconds=0.1)
    server = await start(lambda _: Accept(ear), limits=limits)
    raw = await opened(server)
    data, sent = b"x" * 64 * 1024, 0
    while ear.socket._room is None:  # the system's own buffers first
        ear.socket.send([data])
        sent += 1
    waiting = asyncio.create_task(ear.socket.drain())
    raw.writer.write(frame(TEXT, b"more!"))
    for _ in range(20):
        await asyncio.sleep(0)
    assert not waiting.done()
    assert ear.heard == []
    for _ in range(sent):
        assert await raw.frame() == (TEXT, data)
    await asyncio.wait_for(waiting, PATIENCE)
    assert await ear.hears(1) == [b"more!"]
    await raw.close()


async def test_a_client_that_never_reads_is_dropped_and_memory_stays_bounded(
    start: Start, ear: Ear, caplog: pytest.LogCaptureFixture
) -> None:
    limits = Limits(high_water_bytes=64 * 1024, unsent_bytes=512 * 1024, close_seconds=0.1)
    server = await start(lambda _: Accept(ear), limits=limits)
    raw = await opened(server)
    data = b"x" * 64 * 1024
    tracemalloc.start()
    try:
        for _ in range(1000):
            ear.socket.send([data])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * limits.unsent_bytes
    assert "close code 1013" in await ear.end()
    [record] = [one for one in caplog.records if one.levelno == logging.WARNING]
    assert "does not read" in record.getMessage()
    await raw.close()


async def test_200_clients_talk_at_once(start: Start) -> None:
    server = await start(lambda _: Accept(Connection({"echo": lambda call: call.params})))
    url = f"ws://127.0.0.1:{server.port}"
    clients = [Connection({}) for _ in range(200)]
    await asyncio.gather(*(connect(client, url) for client in clients))
    assert len(server.sockets) == 200
    asks = [client.request("echo", [n], kind=list[int]) for n, client in enumerate(clients)]
    assert await asyncio.gather(*asks) == [[n] for n in range(200)]
    async with asyncio.timeout(PATIENCE):
        await server.close()
        for client in clients:
            assert (await client.wait_closed()).code == 1001


async def test_a_port_that_is_taken_is_told(start: Start) -> None:
    server = await start(lambda _: Accept(Ear()))
    with pytest.raises(ConnectFailed, match=f"cannot listen on 127.0.0.1, port {server.port}"):
        await WebSocketServer.start(lambda _: Accept(Ear()), port=server.port)

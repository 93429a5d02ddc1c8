"""The least that a WebSocket server can do with this core: it sends back what it gets."""

from __future__ import annotations

import asyncio
import sys

from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol

from bench.servers.ready import say_ready, stay


class Bare(asyncio.Protocol):
    """An echo on the sans-I/O core."""

    def __init__(self) -> None:
        self._core = ServerProtocol(max_size=64 * 1024 * 1024)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        core = self._core
        core.receive_data(data)
        for event in core.events_received():
            if type(event) is Frame:
                if event.opcode is Opcode.TEXT:
                    core.send_text(event.data)
            else:
                assert isinstance(event, Request)
                core.send_response(core.accept(event))
        self._transport.write(b"".join(core.data_to_send()))


_buffer = memoryview(bytearray(256 * 1024))


class Buffered(asyncio.BufferedProtocol):
    """The same, reading into one buffer: else asyncio asks the system for 256 KiB each time."""

    def __init__(self) -> None:
        self._bare = Bare()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._bare.connection_made(transport)

    def get_buffer(self, sizehint: int) -> memoryview:
        return _buffer

    def buffer_updated(self, nbytes: int) -> None:
        self._bare.data_received(bytes(_buffer[:nbytes]))


async def main(kind: str) -> None:
    loop = asyncio.get_running_loop()
    protocol = {"plain": Bare, "buffered": Buffered}[kind]
    server = await loop.create_server(protocol, "127.0.0.1", 0, backlog=1024)
    say_ready(server.sockets[0].getsockname()[1])
    await stay()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))

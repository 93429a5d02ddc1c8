"""The asyncio server of `websockets`, as its users write it, answering JSON-RPC with msgspec."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress

from msgspec import Raw, Struct
from msgspec.json import Decoder, Encoder
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosedError

from bench.servers.ready import say_ready, stay


class Call(Struct):
    jsonrpc: str
    id: int | str
    method: str
    params: Raw


class Answer(Struct):
    id: int | str
    result: Raw
    jsonrpc: str = "2.0"


_decoder = Decoder(Call)
_encoder = Encoder()


def echo(call: Call) -> Raw:
    return call.params


_handlers = {"echo": echo}


async def talk(socket: ServerConnection) -> None:
    with suppress(ConnectionClosedError):  # the benchmark's client does not say goodbye
        async for message in socket:
            call = _decoder.decode(message)
            answer = Answer(call.id, _handlers[call.method](call))
            await socket.send(_encoder.encode(answer), text=True)


async def main(compression: str) -> None:
    packing = {"plain": None, "deflate": "deflate"}[compression]
    async with serve(talk, "127.0.0.1", 0, compression=packing, backlog=1024) as server:
        say_ready(next(iter(server.sockets)).getsockname()[1])
        await stay()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))

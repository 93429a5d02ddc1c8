"""Our WebSocket server with a `Connection` for each client, whose `echo` gives back its params."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from anyide.rpc.connection import Connection
from anyide.rpc.message import Request
from anyide.rpc.transport.websocket.server import Accept, WebSocketServer
from bench.servers.ready import say_ready, stay


def echo(request: Request) -> Any:
    return request.params


async def echo_later(request: Request) -> Any:
    return request.params


async def main(kind: str) -> None:
    handlers = {"echo": {"plain": echo, "coroutine": echo_later}[kind]}
    server = await WebSocketServer.start(lambda _: Accept(Connection(handlers)))
    say_ready(server.port)
    await stay()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))

"""A `Connection` on standard input and output, a line a message; `echo` gives back its params."""

from __future__ import annotations

import asyncio
import sys

from anyide.rpc.connection import Connection
from anyide.rpc.framing import Lines
from anyide.rpc.transport.stdio import StdioTransport


async def main() -> None:
    connection = Connection({"echo": lambda request: request.params}, framing=Lines())
    StdioTransport.start(connection, sys.stdin.buffer, sys.stdout.buffer)
    await connection.wait_closed()


if __name__ == "__main__":
    asyncio.run(main())

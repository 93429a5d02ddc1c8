"""The agent at the standard streams of this process, until the client goes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from anyide.acp.agent import CANCEL_RULE, Agent
from anyide.acp.gather import Gathering
from anyide.rpc.connection import Connection
from anyide.rpc.framing import Lines
from anyide.rpc.transport.stdio import StdioTransport

if TYPE_CHECKING:
    from anyide.acp.setup import AgentOptions


async def serve(options: Callable[[], AgentOptions]) -> None:
    """Answer the client until it closes our input, or a signal ends us."""
    agent = Agent(options)
    connection = Connection(agent.handlers, framing=Lines(), cancel=CANCEL_RULE, name="client")
    agent.connect(connection)
    # What anything else prints must not reach the client: our output is the protocol's alone.
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    loop = asyncio.get_running_loop()
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        with contextlib.suppress(NotImplementedError, AttributeError, ValueError):
            loop.add_signal_handler(getattr(signal, name), connection.close)
    StdioTransport.start(Gathering(connection), sys.stdin.buffer, output)
    try:
        await connection.wait_closed()
    finally:
        await agent.close()

"""How a server says that it is ready, and how long it stays."""

from __future__ import annotations

import asyncio
import sys

import msgspec

from bench.process import Address


def say_ready(port: int, token: str = "") -> None:
    """Tell the benchmark how to reach this process."""
    sys.stdout.buffer.write(msgspec.json.encode(Address(port, token)) + b"\n")
    sys.stdout.buffer.flush()


async def stay() -> None:
    """Serve until the benchmark ends this process."""
    await asyncio.Event().wait()

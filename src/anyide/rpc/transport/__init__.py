"""How bytes travel: the seam between a connection and whatever carries it.

A transport pushes what arrives into a `Receiver`; it calls `lost` exactly once, last. Foreign
errors (OSError, those of libraries) end here: a receiver only ever sees `ConnectionClosed`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from anyide.errors import ConnectionClosed


class Receiver(Protocol):
    """What a transport delivers to; a `Connection` is one."""

    def attached(self, transport: Transport) -> None:
        """The transport is ready to send."""
        ...

    def received(self, data: bytes) -> None:
        """Some bytes came; over a WebSocket, one whole message."""
        ...

    def lost(self, error: ConnectionClosed) -> None:
        """Nothing more will come or go, and why."""
        ...


class Transport(Protocol):
    """What a connection sends through."""

    def send(self, messages: Sequence[bytes]) -> None:
        """Take messages to send, in order; never blocks. After closing they are dropped."""
        ...

    async def drain(self) -> None:
        """Wait until the other side has taken enough of what was sent."""
        ...

    def pause_reading(self) -> None:
        """Take nothing from the other side for now."""
        ...

    def resume_reading(self) -> None:
        """Take from the other side again."""
        ...

    def close(self, code: int = 1000, reason: str = "") -> None:
        """Send what is left, then end; `lost` follows. Code and reason reach a WebSocket peer."""
        ...

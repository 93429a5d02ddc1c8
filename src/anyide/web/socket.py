"""A page's WebSocket as a transport: whole messages, sent in order by one task."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Sequence

from starlette.websockets import WebSocket, WebSocketDisconnect

from anyide.errors import ConnectionClosed
from anyide.rpc.transport import Receiver

MAX_MESSAGE_BYTES = 64 * 1024 * 1024
MAX_UNSENT_BYTES = 256 * 1024 * 1024
"""What waits for a page that does not read; more, and the page has to come back."""
TRY_AGAIN_LATER = 1013


class PageSocket:
    """The server's end of a page's WebSocket."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._unsent: deque[bytes] = deque()
        self._unsent_bytes = 0
        self._work = asyncio.Event()
        self._sent = asyncio.Event()
        self._reading = asyncio.Event()
        self._reading.set()
        self._closing: tuple[int, str] | None = None

    async def run(self, receiver: Receiver) -> None:
        """Let the page in and pass messages on until it, or we, have had enough."""
        await self._socket.accept()
        writing = asyncio.get_running_loop().create_task(self._write())
        receiver.attached(self)
        ended = ConnectionClosed("the page went away")
        try:
            ended = await self._read(receiver)
        finally:
            writing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await writing
            receiver.lost(ended)

    async def _read(self, receiver: Receiver) -> ConnectionClosed:
        while True:
            await self._reading.wait()
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                code = message.get("code")
                return ConnectionClosed(message.get("reason") or "the page went away", code=code)
            text = message.get("text")
            receiver.received(message["bytes"] if text is None else text.encode())

    async def _write(self) -> None:
        while True:
            await self._work.wait()
            self._work.clear()
            with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
                await self._send_all()
            self._sent.set()

    async def _send_all(self) -> None:
        while self._unsent:
            message = self._unsent.popleft()
            self._unsent_bytes -= len(message)
            await self._socket.send_text(message.decode())
        if self._closing is not None:
            await self._socket.close(*self._closing)

    def send(self, messages: Sequence[bytes]) -> None:
        """Take messages to send."""
        if self._closing is not None:
            return
        self._unsent.extend(messages)
        self._unsent_bytes += sum(map(len, messages))
        if self._unsent_bytes > MAX_UNSENT_BYTES:
            self._unsent.clear()
            self.close(TRY_AGAIN_LATER, "too much was left unread")
        self._sent.clear()
        self._work.set()

    async def drain(self) -> None:
        """Wait until everything was sent."""
        if self._unsent:
            await self._sent.wait()

    def pause_reading(self) -> None:
        """Take nothing from the page for now."""
        self._reading.clear()

    def resume_reading(self) -> None:
        """Take from the page again."""
        self._reading.set()

    def close(self, code: int = 1000, reason: str = "") -> None:
        """Send what is left, then end."""
        if self._closing is None:
            self._closing = (code, reason)
            self._reading.set()
            self._work.set()

"""Our own standard input and output as a transport: pipes, files and terminals alike.

Two threads do the reading and writing, because that alone works for every kind of file on every
system, and because non-blocking mode would leak to whoever shares the file with us (a terminal's
shell, our own stderr behind `2>&1`).
"""

from __future__ import annotations

import asyncio
import os
import queue
import select
import threading
from collections.abc import Sequence
from typing import BinaryIO

from anyide.errors import ConnectFailed, ConnectionClosed
from anyide.rpc.transport import Receiver

READ_BYTES = 64 * 1024
READ_AHEAD = 2
"""How many chunks may be read that the loop has not taken yet."""
HIGH_WATER_BYTES = 1024 * 1024
"""Unsent bytes above which `drain` waits."""
FLUSH_SECONDS = 2.0
"""How long a reader that does not read may hold up the end."""
MAX_UNSENT_BYTES = 256 * 1024 * 1024
"""Unsent bytes above which we give the reader up instead of eating the memory."""


class StdioTransport:
    """Reads `source`, writes `target`; `start` makes one for a receiver."""

    def __init__(
        self, receiver: Receiver, source: int, target: int, *, flush_seconds: float
    ) -> None:
        self._receiver = receiver
        self._flush_seconds = flush_seconds
        self._source = source
        self._target = target
        self._loop = asyncio.get_running_loop()
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._unsent = 0
        self._room = asyncio.Event()
        self._room.set()
        self._may_read = threading.Event()
        self._may_read.set()
        self._ahead = threading.Semaphore(READ_AHEAD)
        self._closing = False
        self._reason = ""
        self._is_lost = False
        self._writer = threading.Thread(target=self._write, name="anyide-stdout", daemon=True)
        self._reader = threading.Thread(target=self._read, name="anyide-stdin", daemon=True)

    @classmethod
    def start(
        cls,
        receiver: Receiver,
        source: BinaryIO,
        target: BinaryIO,
        *,
        flush_seconds: float = FLUSH_SECONDS,
    ) -> StdioTransport:
        """Begin to read and write; to be called inside the running loop.

        Raises ConnectFailed for a file that is closed or is none of the system's.
        """
        try:
            ends = source.fileno(), target.fileno()
        except (OSError, ValueError) as error:
            raise ConnectFailed(f"cannot use the standard streams: {error}") from error
        transport = cls(receiver, *ends, flush_seconds=flush_seconds)
        receiver.attached(transport)
        transport._writer.start()
        transport._reader.start()
        return transport

    def send(self, messages: Sequence[bytes]) -> None:
        """Queue messages for the writing thread."""
        if self._closing:
            return
        data = b"".join(messages)
        self._unsent += len(data)
        if self._unsent > HIGH_WATER_BYTES:
            self._room.clear()
        if self._unsent > MAX_UNSENT_BYTES:
            self._lose(f"the reader of our output left {self._unsent} bytes unread")
        else:
            self._outbox.put(data)

    async def drain(self) -> None:
        """Wait until the writing thread has caught up."""
        await self._room.wait()

    def pause_reading(self) -> None:
        """Leave input where it is, after the chunk that is being read."""
        self._may_read.clear()

    def resume_reading(self) -> None:
        """Read input again."""
        self._may_read.set()

    def close(self, code: int = 1000, reason: str = "closed by us") -> None:
        """Write what is queued, then end; a code has no place here."""
        if not self._closing:
            self._closing = True
            self._outbox.put(None)
            self._reason = reason
            self._loop.call_later(self._flush_seconds, self._lose, reason)

    # In the threads: only blocking calls and messages to the loop.

    def _read(self) -> None:
        problem = "the input ended"
        while self._ahead.acquire() and self._may_read.wait() and not self._closing:
            try:
                data = _read_some(self._source)
            except OSError as error:
                problem = f"the input cannot be read: {error.strerror}"
                break
            if not data or not self._tell(self._take, data):
                break
        self._tell(self.close, 1000, problem)

    def _write(self) -> None:
        problem = ""
        while (data := self._outbox.get()) is not None:
            try:
                _write_all(self._target, data)
            except OSError as error:
                problem = f"the output cannot be written: {error.strerror}"
                break
            self._tell(self._wrote, len(data))
        self._tell(self._lose, problem)

    def _tell(self, call: object, *arguments: object) -> bool:
        try:
            self._loop.call_soon_threadsafe(call, *arguments)  # type: ignore[arg-type]
        except RuntimeError:  # the loop is closed: nobody is left to tell
            return False
        return True

    # In the loop.

    def _take(self, data: bytes) -> None:
        self._ahead.release()
        if not self._is_lost:
            self._receiver.received(data)

    def _wrote(self, count: int) -> None:
        self._unsent -= count
        if self._unsent <= HIGH_WATER_BYTES // 2:
            self._room.set()

    def _lose(self, reason: str) -> None:
        if self._is_lost:
            return
        self._is_lost = True
        self._room.set()
        self.close()
        self._may_read.set()
        self._ahead.release()
        self._receiver.lost(ConnectionClosed(reason or self._reason))


# Whoever shares the file with us may have made it non-blocking; then it is waited for.


def _read_some(source: int) -> bytes:
    while True:
        try:
            return os.read(source, READ_BYTES)
        except BlockingIOError:
            select.select([source], [], [])


def _write_all(target: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(target, view) :]
        except BlockingIOError:
            select.select([], [target], [])

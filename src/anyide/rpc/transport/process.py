"""A child process as a transport: its standard input and output carry the conversation.

The child leads a process group of its own, its standard error is always read and its tail kept, and
it is ended by a ladder: end of input, grace, SIGTERM, grace, SIGKILL of the whole group.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any, cast

from anyide.errors import ConnectFailed, ConnectionClosed
from anyide.rpc.transport import Receiver
from anyide.rpc.transport.breath import PAUSE_SECONDS, Breath

if sys.platform == "win32":
    import psutil

STDERR_TAIL_BYTES = 64 * 1024
HIGH_WATER_BYTES = 1024 * 1024
MAX_UNSENT_BYTES = 256 * 1024 * 1024
GRACE_SECONDS = 2.0

_STDIN, _STDOUT = 0, 1
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


class ProcessTransport(asyncio.SubprocessProtocol):
    """Talks with a child; `start` makes one for a receiver."""

    def __init__(self, receiver: Receiver, *, grace_seconds: float = GRACE_SECONDS) -> None:
        self._receiver = receiver
        self._grace_seconds = grace_seconds
        self._loop = asyncio.get_running_loop()
        self._process: asyncio.SubprocessTransport | None = None
        self._stderr = bytearray()
        self._room = asyncio.Event()
        self._room.set()
        self._breath = Breath()
        self._is_held = False
        self._is_lost = False
        self._gone = asyncio.Event()
        self._ending: asyncio.Task[None] | None = None
        self.exited: asyncio.Future[int] = self._loop.create_future()
        """The exit code, once there is one; negative for a signal."""

    @classmethod
    async def start(
        cls,
        receiver: Receiver,
        command: Sequence[str],
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        grace_seconds: float = GRACE_SECONDS,
    ) -> ProcessTransport:
        """Start the child; raises ConnectFailed when it cannot be started."""
        transport = cls(receiver, grace_seconds=grace_seconds)
        try:
            await transport._loop.subprocess_exec(
                lambda: transport, *command, cwd=cwd, env=env, **_own_group()
            )
        except (OSError, ValueError) as error:
            raise ConnectFailed(f"cannot start {command[0]}: {_explain(error)}") from error
        return transport

    @property
    def pid(self) -> int:
        """The child's process id."""
        assert self._process is not None
        return self._process.get_pid()

    @property
    def stderr_tail(self) -> str:
        """The last that the child wrote to its standard error."""
        return self._stderr.decode(errors="replace")

    # As a transport.

    def send(self, messages: Sequence[bytes]) -> None:
        """Write to the child's input."""
        pipe = self._stdin()
        if pipe is None or pipe.is_closing() or self._is_lost:
            return
        self._breath.sent()
        pipe.write(b"".join(messages))
        if pipe.get_write_buffer_size() > MAX_UNSENT_BYTES:
            self._lose("the process does not read its input")

    async def drain(self) -> None:
        """Wait until the child has read enough of its input."""
        await self._room.wait()

    def pause_reading(self) -> None:
        """Leave the child's output in its pipe."""
        self._is_held = True
        self._stdout().pause_reading()

    def resume_reading(self) -> None:
        """Read the child's output again."""
        self._is_held = False
        self._read_on()

    def close(self, code: int = 1000, reason: str = "closed by us") -> None:
        """End the child by the ladder, in the background; `exited` tells when it is gone."""
        if self._ending is None:
            self._ending = self._loop.create_task(self._descend())

    async def wait_gone(self) -> None:
        """Wait until the child has ended and its pipes are closed."""
        await self._gone.wait()

    async def _descend(self) -> None:
        pipe = self._stdin()
        if pipe is not None:
            pipe.close()
        try:
            for signal_number in (signal.SIGTERM, _KILL):
                if await self._exits_within(self._grace_seconds):
                    break
                self.signal(signal_number)
        finally:  # also when the loop ends before the ladder does
            self.signal(_KILL)  # whatever the child started and left behind
        await self._close_pipes()

    async def _exits_within(self, seconds: float) -> bool:
        await asyncio.wait([self.exited], timeout=seconds)
        return self.exited.done()

    async def _close_pipes(self) -> None:
        # Mostly they close by themselves; a process that left the group may hold them open.
        assert self._process is not None
        try:
            async with asyncio.timeout(self._grace_seconds):
                await self._gone.wait()
        except TimeoutError:
            self._process.close()

    def signal(self, number: int) -> None:
        """Send a signal to the child and everything it started; on Windows, end it."""
        if sys.platform == "win32":
            _end_tree(self.pid)
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def _stdin(self) -> asyncio.WriteTransport | None:
        return cast("asyncio.WriteTransport | None", self._pipe(_STDIN))

    def _stdout(self) -> asyncio.ReadTransport:
        return cast("asyncio.ReadTransport", self._pipe(_STDOUT))

    def _pipe(self, number: int) -> Any:
        return None if self._process is None else self._process.get_pipe_transport(number)

    # As asyncio's subprocess protocol.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The child runs."""
        self._process = cast("asyncio.SubprocessTransport", transport)
        self._pipe(_STDIN).set_write_buffer_limits(high=HIGH_WATER_BYTES)
        self._receiver.attached(self)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """The child wrote something."""
        if fd == _STDOUT:
            if not self._is_lost:
                self._receiver.received(data)
                self._breathe(len(data))
        else:
            self._stderr += data
            del self._stderr[:-STDERR_TAIL_BYTES]

    def _breathe(self, size: int) -> None:
        if self._breath.is_due(size, self._loop.time()) and not self._is_held:
            self._stdout().pause_reading()
            self._loop.call_later(PAUSE_SECONDS, self._read_on)

    def _read_on(self) -> None:
        if not self._is_held and not self._is_lost:
            self._stdout().resume_reading()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """The child closed a pipe; without its output there is no conversation."""
        if fd == _STDOUT:
            self._lose_later("the process closed its output")

    def pause_writing(self) -> None:
        """The child is slow to read."""
        self._room.clear()

    def resume_writing(self) -> None:
        """The child caught up."""
        self._room.set()

    def process_exited(self) -> None:
        """The child ended; what it wrote before may still be on its way."""
        assert self._process is not None
        code = self._process.get_returncode()
        self.exited.set_result(code if code is not None else 0)
        # Somebody it started may hold its output open for ever.
        self._lose_later(_describe_exit(self.exited.result()))

    def connection_lost(self, exc: Exception | None) -> None:
        """The child ended and everything it wrote is read."""
        assert self._process is not None
        self._process.close()  # asyncio does not count it as closed otherwise
        self._gone.set()
        self._lose(_describe_exit(self.exited.result()))

    def _lose_later(self, reason: str) -> None:
        self._loop.call_later(self._grace_seconds, self._lose, reason)

    def _lose(self, reason: str) -> None:
        if not self._is_lost:
            self._is_lost = True
            self._room.set()
            self._receiver.lost(ConnectionClosed(reason))
            self.close()


def _explain(error: OSError | ValueError) -> str:
    if not isinstance(error, OSError):
        return str(error)
    # The file that is missing need not be the program: it may be the folder to start in.
    return ": ".join(str(part) for part in (error.strerror, error.filename) if part) or str(error)


def _own_group() -> dict[str, Any]:
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


if sys.platform == "win32":

    def _end_tree(pid: int) -> None:
        with contextlib.suppress(psutil.NoSuchProcess):
            parent = psutil.Process(pid)
            for process in [*parent.children(recursive=True), parent]:
                process.terminate()


def _describe_exit(code: int) -> str:
    if code < 0:
        return f"the process was ended by {signal.Signals(-code).name}"
    return f"the process ended with exit code {code}"

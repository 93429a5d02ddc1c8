"""The wire to the CLI: lines in, decoded and routed as they come; lines out.

Runs in the reader: nothing here waits for who reads a turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from anyide.errors import (
    ClaudeError,
    ClaudeExited,
    ConnectionClosed,
    FramingError,
    ProtocolBroken,
)
from anyide.headless.control import ControlCancelRequest, ControlRequest, ControlResponse
from anyide.headless.failure import of_exit
from anyide.headless.inbound import Inbound
from anyide.headless.messages import Message, Noise, StreamEvent
from anyide.headless.options import Options
from anyide.headless.outbound import Outbound
from anyide.headless.process import start
from anyide.headless.report import KeepAlive
from anyide.headless.turns import Turns
from anyide.rpc.framing import Lines
from anyide.rpc.transport import Transport
from anyide.rpc.transport.process import ProcessTransport

if TYPE_CHECKING:
    from anyide.headless.record import Recorder

MAX_NOISE = 10_000  # lines in a row that are no message; who says more of them is no CLI

_encode = msgspec.json.Encoder().encode


class Link:
    """Receives from a transport and sends to it."""

    inbound: Inbound
    outbound: Outbound

    def __init__(self, turns: Turns, lost: Callable[[ClaudeError], None]) -> None:
        self._turns = turns
        self._lost = lost
        self._lines = Lines()
        self._transport: Transport | None = None
        self._decode: Callable[[bytes], Message]
        self._is_closing = False
        self._noise_in_a_row = 0
        self._routes: dict[type, Callable[[Any], None]] = {
            ControlRequest: self._ask_us,
            ControlResponse: lambda message: self.outbound.answered(message.response),
            ControlCancelRequest: lambda message: self.inbound.cancel(message.request_id),
            KeepAlive: lambda message: None,
            Noise: self._count_noise,
        }
        self.recorder: Recorder | None = None
        self.error: ClaudeError | None = None
        self.lines = 0
        self.noise = 0

    # As a receiver.

    def attached(self, transport: Transport) -> None:
        """The CLI runs; until it speaks there is time to load what reads it."""
        self._transport = transport
        from anyide.headless.decode import decode  # noqa: PLC0415 - 5 ms

        self._decode = decode

    def received(self, data: bytes) -> None:
        """The CLI said something."""
        self._take(self._lines.receive(data))

    def lost(self, error: ConnectionClosed) -> None:
        """The CLI ended, closed its output or no longer reads; a recording ran out."""
        self._take(self._lines.receive_eof())
        if self._is_closing:
            self._fail(ClaudeExited("the session was closed before this was answered"))
        code, said = self._exit_code(), self.stderr_tail
        self._fail(of_exit(code, said, reason=error.reason, result=self._turns.stray))

    def _take(self, lines: Sequence[bytes | FramingError]) -> None:
        if not lines:
            return
        turns, decode = self._turns, self._decode
        self.lines += len(lines)
        if self.recorder is not None:
            self._record(lines, self.recorder)
        streamed: list[Message] = []  # the quick way, for thousands of deltas
        size = 0
        for line in lines:
            message = decode(line) if type(line) is bytes else Noise(problem=str(line))
            if type(message) is StreamEvent and message.user_message_uuid is None:
                streamed.append(message)
                size += len(line)  # type: ignore[arg-type]
                continue
            if streamed:
                turns.put_streamed(streamed, size)
                streamed, size = [], 0
            self._route(message)
        if streamed:
            turns.put_streamed(streamed, size)

    def _route(self, message: Message) -> None:
        route = self._routes.get(type(message))
        if type(message) is not Noise:
            self._noise_in_a_row = 0
        if route is None:
            self._turns.put(message)
        else:
            route(message)

    def _ask_us(self, message: ControlRequest) -> None:
        self.inbound.ask(message)

    def _record(self, lines: Sequence[bytes | FramingError], recorder: Recorder) -> None:
        for line in lines:
            recorder.take("cli", line if isinstance(line, bytes) else str(line).encode())

    def _count_noise(self, message: Noise) -> None:
        self.noise += 1
        self._noise_in_a_row += 1
        if self._noise_in_a_row > MAX_NOISE:
            self._fail(ProtocolBroken(f"Claude Code does not speak stream-json: {message.problem}"))
            if self._transport is not None:
                self._transport.close()
        self._turns.put(message)

    def _fail(self, error: ClaudeError) -> None:
        if self.error is None:
            self.error = error
            self._lost(error)

    # To send and to end.

    def send(self, message: msgspec.Struct) -> None:
        """Send one line."""
        if self._transport is None:
            return
        line = _encode(message)
        if self.recorder is not None:
            self.recorder.take("app", line)
        self._transport.send([line + b"\n"])

    async def close(self) -> None:
        """End the CLI and wait until it is gone."""
        self._is_closing = True
        try:
            if self._transport is not None:
                self._transport.close()
            if isinstance(self._transport, ProcessTransport):
                await self._transport.wait_gone()
        finally:
            if self.recorder is not None:
                self.recorder.close()

    @property
    def stderr_tail(self) -> str:
        """The last that the CLI complained."""
        return getattr(self._transport, "stderr_tail", "")

    @property
    def pid(self) -> int | None:
        """The process of the CLI, if there is one."""
        return getattr(self._transport, "pid", None)

    def _exit_code(self) -> int | None:
        exited: asyncio.Future[int] | None = getattr(self._transport, "exited", None)
        return exited.result() if exited is not None and exited.done() else None


class Connect(Protocol):
    """Makes the wire: to a process, or to a recording."""

    def __call__(self, link: Link, options: Options, asks_permission: bool) -> Awaitable[None]:
        """Attach something to the link."""
        ...


async def connect_process(link: Link, options: Options, asks_permission: bool) -> None:
    """Start the CLI."""
    await start(link, options, asks_permission=asks_permission)

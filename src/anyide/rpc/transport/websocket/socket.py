"""One WebSocket after its handshake, the same for both sides.

It is asyncio's protocol and our transport in one object, to spare a layer per message and per idle
connection.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from websockets.exceptions import InvalidState
from websockets.frames import Frame, Opcode
from websockets.protocol import SEND_EOF, Protocol, State

from anyide.errors import ConnectionClosed
from anyide.rpc.framing import MAX_MESSAGE_BYTES, is_utf8
from anyide.rpc.transport import Receiver

INBOX_BYTES = 256 * 1024

log = logging.getLogger(__name__)

_TEXT, _BINARY, _CONT = Opcode.TEXT, Opcode.BINARY, Opcode.CONT

INVALID_DATA = 1007
TRY_AGAIN_LATER = 1013


class Limits(Struct, frozen=True):
    """What one WebSocket may use, in bytes and seconds."""

    message_bytes: int = MAX_MESSAGE_BYTES
    high_water_bytes: int = 1024 * 1024
    """Unsent bytes above which `drain` waits and a server stops reading from that client."""
    unsent_bytes: int = 256 * 1024 * 1024
    """Unsent bytes above which that side is dropped with 1013."""
    open_seconds: float = 10.0
    close_seconds: float = 2.0


def new_inbox() -> memoryview:
    """Room for what one read takes from a socket; sockets of one loop may share it.

    Without it asyncio allocates as much for every read and gives it back, and that costs as much
    as all the rest of a small message.
    """
    return memoryview(bytearray(INBOX_BYTES))


class WebSocket(asyncio.BufferedProtocol):
    """Frames to messages and back; subclasses do the handshake of their side."""

    def __init__(self, protocol: Protocol, limits: Limits, inbox: memoryview) -> None:
        self._protocol = protocol
        self._inbox = inbox
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._tcp: asyncio.Transport | None = None
        self._receiver: Receiver | None = None
        self._fragments: bytearray | None = None
        self._is_text = False
        self._room: asyncio.Future[None] | None = None
        self._pauses = 0
        self._deadline: asyncio.TimerHandle | None = None
        self._is_ending = False
        self._is_deaf = False  # they broke a rule: what else came in that chunk is not heard
        self._pings: dict[bytes, asyncio.Future[None]] = {}
        self._ping_count = 0
        self._dropped: str | None = None

    # As our transport.

    def send(self, messages: Sequence[bytes]) -> None:
        """Send each message as one text frame."""
        if self._protocol.state is not State.OPEN:
            return
        for message in messages:
            self._protocol.send_text(message)
        self._write()

    async def drain(self) -> None:
        """Wait while the other side is slow."""
        if self._room is not None:
            await asyncio.shield(self._room)

    def pause_reading(self) -> None:
        """Take nothing from the socket until resumed as often as paused."""
        self._pauses += 1
        if self._pauses == 1 and self._tcp is not None:
            self._tcp.pause_reading()

    def resume_reading(self) -> None:
        """Take from the socket again."""
        self._pauses -= 1
        if self._pauses == 0 and self._tcp is not None and not self._tcp.is_closing():
            self._tcp.resume_reading()

    def close(self, code: int = 1000, reason: str = "") -> None:
        """Send what is left and a close frame, and wait a little for theirs."""
        if self._protocol.state is State.OPEN:
            self._protocol.send_close(code, shorten(reason))
            self._write()
            self._unpause()
        elif self._protocol.state is State.CONNECTING:
            self._abort()

    async def ping(self) -> None:
        """Send a ping frame and wait for its pong; raises ConnectionClosed."""
        self._ping_count += 1
        payload = self._ping_count.to_bytes(8)
        answer = self._pings[payload] = self._loop.create_future()
        try:
            self._protocol.send_ping(payload)
        except InvalidState as error:
            raise ConnectionClosed("the socket is closed") from error
        else:
            self._write()
            await answer
        finally:
            del self._pings[payload]

    # As asyncio's protocol.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The TCP connection is there; the handshake has its time."""
        assert isinstance(transport, asyncio.Transport)
        self._tcp = transport
        transport.set_write_buffer_limits(high=self._limits.high_water_bytes)
        self._give(self._limits.open_seconds)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Where the next bytes go; they are taken out before anything else is read."""
        return self._inbox

    def buffer_updated(self, nbytes: int) -> None:
        """Bytes came from the socket."""
        self.data_received(bytes(self._inbox[:nbytes]))

    def data_received(self, data: bytes) -> None:
        """Act on bytes from the socket."""
        if self._receiver is None:
            self._receive_early(data)
        else:
            self._receive(data)

    def _receive(self, data: bytes) -> None:
        self._protocol.receive_data(data)
        for event in self._protocol.events_received():
            if type(event) is not Frame:
                self._shake_hands(event)
            elif self._receiver is not None:  # else refused: nothing they say is ever read
                self._take_frame(event)
        if self._protocol.writes:  # mostly empty by now: an answer was written when it was given
            self._write()

    def eof_received(self) -> None:
        """They will send no more."""
        self._protocol.receive_eof()
        self._write()

    def connection_lost(self, exc: Exception | None) -> None:
        """The TCP connection is gone."""
        self._protocol.receive_eof()
        self._stop_clock()
        self._give_room()
        error = self._epitaph(exc)
        for answer in self._pings.values():
            if not answer.done():
                answer.set_exception(error)
        if self._receiver is not None:
            receiver, self._receiver = self._receiver, None
            receiver.lost(error)

    def pause_writing(self) -> None:
        """They are slow: `drain` waits."""
        self._room = self._loop.create_future()

    def resume_writing(self) -> None:
        """They caught up."""
        self._give_room()

    # Inside.

    def _receive_early(self, data: bytes) -> None:
        self._receive(data)

    def _shake_hands(self, event: Any) -> None:
        raise NotImplementedError

    def _opened(self, receiver: Receiver) -> None:
        self._stop_clock()
        self._receiver = receiver
        self._write()
        receiver.attached(self)

    def _take_frame(self, frame: Frame) -> None:
        opcode = frame.opcode
        if opcode is _TEXT or opcode is _BINARY or opcode is _CONT:
            self._take_data(frame)
        elif opcode is Opcode.PONG:
            answer = self._pings.get(bytes(frame.data))
            if answer is not None and not answer.done():
                answer.set_result(None)

    def _take_data(self, frame: Frame) -> None:
        assert self._receiver is not None
        message = bytes(frame.data)
        if frame.opcode is not _CONT:
            self._is_text = frame.opcode is _TEXT
        if self._fragments is not None or not frame.fin:
            # One buffer, not a list: a million fragments of one byte are still one million bytes.
            if self._fragments is None:
                self._fragments = bytearray()
            self._fragments += message
            if not frame.fin:
                return
            message, self._fragments = bytes(self._fragments), None
        if self._is_text and not is_utf8(message):
            self._protocol.fail(INVALID_DATA, "a text message that is not UTF-8")
            self._is_deaf = True
        elif not self._is_deaf:
            self._receiver.received(message)

    def _write(self) -> None:
        """Put what the protocol wants sent onto the socket."""
        data = self._protocol.data_to_send()
        tcp = self._tcp
        if not data or tcp is None:
            return
        if not tcp.is_closing():
            tcp.write(data[0] if len(data) == 1 else b"".join(data))
            if data[-1] == SEND_EOF:
                # Not close(): a reset for what they still send could overtake our last words.
                tcp.write_eof()
        if self._protocol.state is not State.OPEN and self._protocol.close_expected():
            self._begin_ending()
        if tcp.get_write_buffer_size() > self._limits.unsent_bytes:
            self._drop()

    def _drop(self) -> None:
        """Give up a client that does not take what it is sent."""
        assert self._tcp is not None
        unsent = self._tcp.get_write_buffer_size()
        self._dropped = f"dropped with {unsent} bytes unsent"
        log.warning("a WebSocket was %s: the other side does not read", self._dropped)
        self._protocol.fail(TRY_AGAIN_LATER, "you do not read what you are sent")
        self._abort()

    def _abort(self) -> None:
        if self._tcp is not None:
            self._tcp.abort()

    def _begin_ending(self) -> None:
        # Once: whoever goes on sending pings must not put off the end.
        if not self._is_ending:
            self._is_ending = True
            self._give(self._limits.close_seconds)

    def _unpause(self) -> None:
        # Their close frame must be read, whatever else we do not want to read.
        if self._pauses and self._tcp is not None and not self._tcp.is_closing():
            self._tcp.resume_reading()

    def _give(self, seconds: float) -> None:
        self._stop_clock()
        self._deadline = self._loop.call_later(seconds, self._abort)

    def _stop_clock(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_room(self) -> None:
        if self._room is not None:
            self._room.set_result(None)
            self._room = None

    def _epitaph(self, exc: Exception | None) -> ConnectionClosed:
        if self._dropped is not None:
            return ConnectionClosed(self._dropped, code=TRY_AGAIN_LATER)
        received, sent = self._protocol.close_rcvd, self._protocol.close_sent
        if received is not None and self._protocol.close_rcvd_then_sent is not False:
            reason = received.reason or "closed by the other side"
            return ConnectionClosed(reason, code=int(received.code))
        if sent is not None:
            return ConnectionClosed(sent.reason or "closed by us", code=int(sent.code))
        cause = f": {exc}" if exc is not None else ""
        return ConnectionClosed(f"the other side vanished{cause}")


def shorten(reason: str) -> str:
    """Cut a reason to what fits into a close frame (123 bytes)."""
    return reason.encode()[:123].decode(errors="ignore")

"""Where one message ends and the next begins, in bytes that come in any chunks.

A framing hands out whole messages. Bytes that can be no message come out in their place as a
`FramingError`: a value, so that the good messages before and after it are not lost.
"""

from __future__ import annotations

from typing import Protocol

from anyide.errors import FramingError

MAX_MESSAGE_BYTES = 64 * 1024 * 1024
MAX_HEADER_BYTES = 8 * 1024


class Framing(Protocol):
    """One way of telling messages apart."""

    def receive(self, data: bytes) -> list[bytes | FramingError]:
        """Take the next bytes; give the messages that are whole now, in order."""
        ...

    def receive_eof(self) -> list[bytes | FramingError]:
        """Take the end of the bytes; give the message that it makes whole, if any."""
        ...

    def frame(self, message: bytes) -> bytes:
        """Wrap one message for sending."""
        ...


class Whole:
    """Each chunk is one message: WebSocket, memory."""

    def __init__(self, *, max_message_bytes: int = MAX_MESSAGE_BYTES) -> None:
        self.max_message_bytes = max_message_bytes

    def receive(self, data: bytes) -> list[bytes | FramingError]:
        """Give the chunk back as the message it is."""
        if len(data) > self.max_message_bytes:
            return [_too_long("message", self.max_message_bytes, fatal=False)]
        return [data]

    def receive_eof(self) -> list[bytes | FramingError]:
        """Give nothing: every message was whole before."""
        return []

    def frame(self, message: bytes) -> bytes:
        """Leave the message as it is."""
        return message


class Lines:
    """One message a line: ACP, headless. A line that is too long is skipped; the next is read."""

    def __init__(self, *, max_message_bytes: int = MAX_MESSAGE_BYTES) -> None:
        self.max_message_bytes = max_message_bytes
        self._parts: list[bytes] = []  # of the line that has no end yet
        self._size = 0
        self._skipping = False

    def receive(self, data: bytes) -> list[bytes | FramingError]:
        """Give the lines that ended, without their line ends and without the empty ones."""
        first, *others = data.split(b"\n")
        if not others:
            self._keep(first)
            return []
        messages: list[bytes | FramingError] = []
        begun = self._end_line(first)
        if isinstance(begun, FramingError) or begun:
            messages.append(begun)
        rest = others.pop()
        limit = self.max_message_bytes
        for part in others:  # whole lines, mostly many and short
            if len(part) > limit:
                messages.append(_too_long("line", limit, fatal=False))
            elif line := part.strip(b" \t\r"):
                messages.append(line)
        self._keep(rest)
        return messages

    def receive_eof(self) -> list[bytes | FramingError]:
        """Give what stands after the last line end: some programs leave the last one out."""
        line = self._end_line(b"")
        return [line] if isinstance(line, FramingError) or line else []

    def frame(self, message: bytes) -> bytes:
        """End the message with a newline."""
        return message + b"\n"

    def _end_line(self, part: bytes) -> bytes | FramingError:
        self._keep(part)
        line = b"".join(self._parts)
        skipped, self._skipping = self._skipping, False
        self._parts, self._size = [], 0
        if skipped:
            return _too_long("line", self.max_message_bytes, fatal=False)
        return line.strip(b" \t\r")

    def _keep(self, part: bytes) -> None:
        if not part:
            return
        self._size += len(part)
        if self._size > self.max_message_bytes:
            self._skipping = True
            self._parts.clear()
        else:
            self._parts.append(part)


class Headers:
    """A Content-Length header before each message: LSP.

    A header that cannot be read is fatal: nobody knows where the next message begins.
    """

    def __init__(self, *, max_message_bytes: int = MAX_MESSAGE_BYTES) -> None:
        self.max_message_bytes = max_message_bytes
        self._buffer = bytearray()
        self._length: int | None = None  # of the body that is awaited; None: a header is
        self._lost = False

    def receive(self, data: bytes) -> list[bytes | FramingError]:
        """Give the bodies that are whole; after a fatal error nothing more comes."""
        if self._lost:
            return []
        self._buffer += data
        messages: list[bytes | FramingError] = []
        while (message := self._next()) is not None:
            messages.append(message)
            if isinstance(message, FramingError):
                self._lost = True
                self._buffer.clear()
                break
        return messages

    def receive_eof(self) -> list[bytes | FramingError]:
        """Give an error if the end cuts a message short."""
        if self._lost or (self._length is None and not self._buffer):
            return []
        self._lost = True
        return [FramingError("a message cut short by the end", fatal=False)]

    def frame(self, message: bytes) -> bytes:
        """Put the header before the message."""
        return b"Content-Length: %d\r\n\r\n%b" % (len(message), message)

    def _next(self) -> bytes | FramingError | None:
        if self._length is None:
            problem = self._read_header()
            if problem is not None:
                return problem
        if self._length is None or len(self._buffer) < self._length:
            return None
        message = bytes(self._buffer[: self._length])
        del self._buffer[: self._length]
        self._length = None
        return message

    def _read_header(self) -> FramingError | None:
        end = self._buffer.find(b"\r\n\r\n", 0, MAX_HEADER_BYTES)
        if end < 0:
            if len(self._buffer) >= MAX_HEADER_BYTES:
                return _too_long("header", MAX_HEADER_BYTES, fatal=True)
            return None
        length = _content_length(bytes(self._buffer[:end]))
        if length is None:
            return FramingError("a header without a readable Content-Length", fatal=True)
        if length > self.max_message_bytes:
            return _too_long("message", self.max_message_bytes, fatal=True)
        del self._buffer[: end + 4]
        self._length = length
        return None


def _content_length(header: bytes) -> int | None:
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            digits = value.strip()
            return int(digits) if digits.isdigit() and len(digits) <= 18 else None
    return None


def _too_long(what: str, limit: int, *, fatal: bool) -> FramingError:
    return FramingError(f"a {what} of more than {limit} bytes", fatal=fatal)


def is_utf8(data: bytes) -> bool:
    """Whether bytes are UTF-8 text; most messages are ASCII, which is seen at once."""
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True

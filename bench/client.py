"""The client of every WebSocket server here: a blocking socket and nothing that is not needed.

It is the same for all rivals and cheap, so that what is measured is theirs.
"""

from __future__ import annotations

import socket
import zlib
from typing import Self

from bench.process import Address

HOST = "127.0.0.1"
TIMEOUT = 30.0
_DEFLATE = "permessage-deflate; client_no_context_takeover"
_NO_MASK = bytes(4)


class Client:
    """One WebSocket; `ask` sends a frame that `frame` made and gives the answer's payload."""

    def __init__(self, address: Address, *, deflate: bool = False) -> None:
        self._rest = b""
        self.socket = socket.create_connection((HOST, address.port), TIMEOUT)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(_upgrade(address, deflate=deflate))
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self._some()
        if not answer.startswith(b"HTTP/1.1 101 "):
            raise SystemExit(f"the server refused: {answer!r}")
        if deflate and b"permessage-deflate" not in answer:
            raise SystemExit("the server does not compress")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def ask(self, frame: bytes) -> bytes:
        """Send a frame and wait for one."""
        self.socket.sendall(frame)
        return self.next()

    def next(self) -> bytes:
        """Wait for the next frame; gives its payload as it is."""
        data = self._rest or self._some()
        while (end := whole(data)) > len(data):
            data += self._some()
        self._rest = data[end:]
        return data[2:end] if data[1] < 126 else data[4 if data[1] == 126 else 10 : end]

    def _some(self) -> bytes:
        data = self.socket.recv(65536)
        if not data:
            raise SystemExit("the server closed the connection")
        return data


def whole(data: bytes) -> int:
    """How long the frame is that `data` begins with; at least, if its header is not there yet."""
    size = data[1] if len(data) > 1 else 0
    if size < 126:
        return 2 + size
    if size == 126:
        return 4 + int.from_bytes(data[2:4]) if len(data) >= 4 else 4
    return 10 + int.from_bytes(data[2:10]) if len(data) >= 10 else 10


def frame(message: bytes, *, deflate: bool = False) -> bytes:
    """A text frame as a client sends it; its mask of zeros costs the server what any mask does."""
    first = 0x81
    if deflate:
        first |= 0x40
        packer = zlib.compressobj(wbits=-15)
        message = (packer.compress(message) + packer.flush(zlib.Z_SYNC_FLUSH))[:-4]
    return bytes([first]) + _length(len(message)) + _NO_MASK + message


def _length(size: int) -> bytes:
    if size < 126:
        return bytes([0x80 | size])
    if size < 65536:
        return bytes([0x80 | 126]) + size.to_bytes(2)
    return bytes([0x80 | 127]) + size.to_bytes(8)


def _upgrade(address: Address, *, deflate: bool) -> bytes:
    lines = [
        "GET / HTTP/1.1",
        f"Host: {HOST}:{address.port}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
    ]
    if address.token:
        lines.append(f"x-claude-code-ide-authorization: {address.token}")
    if deflate:
        lines.append(f"Sec-WebSocket-Extensions: {_DEFLATE}")
    return "\r\n".join([*lines, "", ""]).encode()

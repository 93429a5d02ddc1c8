"""A WebSocket client made by hand, to send what a well-behaved one would not."""

from __future__ import annotations

import asyncio
import struct

PATIENCE = 5.0
MASK = b"\x37\xfa\x21\x3d"
TEXT, BINARY, CLOSE, PING, PONG, CONT = 0x1, 0x2, 0x8, 0x9, 0xA, 0x0


def upgrade(path: str = "/", **headers: str) -> bytes:
    """The bytes of an upgrade request."""
    lines = [
        f"GET {path} HTTP/1.1",
        "Host: 127.0.0.1",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
        *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def frame(opcode: int, data: bytes, *, fin: bool = True) -> bytes:
    """The bytes of a masked frame."""
    masked = bytes(byte ^ MASK[n % 4] for n, byte in enumerate(data))
    if len(data) < 126:
        size = struct.pack("!B", 0x80 | len(data))
    elif len(data) < 65536:
        size = struct.pack("!BH", 0x80 | 126, len(data))
    else:
        size = struct.pack("!BQ", 0x80 | 127, len(data))
    return bytes([opcode | (0x80 if fin else 0)]) + size + MASK + masked


class RawSocket:
    """A TCP connection on which a test writes and reads frames."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def open(cls, port: int, data: bytes = b"") -> RawSocket:
        """Connect and send some bytes."""
        raw = cls(*await asyncio.open_connection("127.0.0.1", port))
        raw.writer.write(data)
        return raw

    async def response(self) -> str:
        """The head of the HTTP response."""
        async with asyncio.timeout(PATIENCE):
            return (await self.reader.readuntil(b"\r\n\r\n")).decode()

    async def frame(self) -> tuple[int, bytes]:
        """The next frame: its opcode and its data."""
        async with asyncio.timeout(PATIENCE):
            first, size = await self.reader.readexactly(2)
            if size == 126:
                [size] = struct.unpack("!H", await self.reader.readexactly(2))
            elif size == 127:
                [size] = struct.unpack("!Q", await self.reader.readexactly(8))
            return first & 0x0F, await self.reader.readexactly(size)

    async def close_frame(self) -> tuple[int, str]:
        """Code and reason of the close frame that comes next."""
        opcode, data = await self.frame()
        assert opcode == CLOSE
        return int.from_bytes(data[:2]), data[2:].decode()

    async def end(self) -> bytes:
        """Everything up to the end of the connection."""
        async with asyncio.timeout(PATIENCE):
            try:
                return await self.reader.read()
            except ConnectionResetError:
                return b""

    async def close(self) -> None:
        """Hang up."""
        self.writer.close()
        try:
            await self.writer.wait_closed()
        except OSError:
            return

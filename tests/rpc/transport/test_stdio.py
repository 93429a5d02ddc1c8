from __future__ import annotations

import asyncio
import contextlib
import os
import pty
import tempfile
import threading
import tty
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

from anyide.errors import ConnectFailed, ConnectionClosed
from anyide.rpc.transport import Transport, stdio
from anyide.rpc.transport.stdio import (
    HIGH_WATER_BYTES,
    READ_AHEAD,
    READ_BYTES,
    StdioTransport,
)

PATIENCE = 5.0


class Ear:
    """A receiver that notes what it hears and echoes it, in capitals, if asked to."""

    def __init__(self, *, echo: bool = False) -> None:
        self.heard = b""
        self.echo = echo
        self.transport: Transport | None = None
        self.news = asyncio.Event()
        self.ended: asyncio.Future[ConnectionClosed] = asyncio.get_running_loop().create_future()

    def attached(self, transport: Transport) -> None:
        self.transport = transport

    def received(self, data: bytes) -> None:
        assert not self.ended.done()
        self.heard += data
        self.news.set()
        if self.echo and self.transport is not None:
            self.transport.send([data.upper()])

    def lost(self, error: ConnectionClosed) -> None:
        self.ended.set_result(error)

    async def hears(self, data: bytes) -> None:
        async with asyncio.timeout(PATIENCE):
            while self.heard != data:
                self.news.clear()
                await self.news.wait()

    async def end(self) -> str:
        async with asyncio.timeout(PATIENCE):
            return str(await asyncio.shield(self.ended))


class Pipe:
    """A pipe of the system, both ends as files."""

    def __init__(self) -> None:
        read, write = os.pipe()
        self.out: BinaryIO = os.fdopen(read, "rb", buffering=0)
        self.into: BinaryIO = os.fdopen(write, "wb", buffering=0)

    def close(self) -> None:
        for file in (self.into, self.out):
            with contextlib.suppress(OSError):
                file.close()


@pytest.fixture
def pipes() -> Iterator[tuple[Pipe, Pipe]]:
    stdin, stdout = Pipe(), Pipe()
    yield stdin, stdout
    stdin.into.close()  # lets the reading thread go before its file is closed
    for thread in threading.enumerate():
        if thread.name == "anyide-stdin":
            thread.join(PATIENCE)
    stdin.close()
    stdout.close()


async def test_pipes_carry_both_ways_and_the_last_words_are_written(
    pipes: tuple[Pipe, Pipe],
) -> None:
    stdin, stdout = pipes
    ear = Ear(echo=True)
    StdioTransport.start(ear, stdin.out, stdout.into)
    stdin.into.write(b"hello")
    stdin.into.close()
    assert await ear.end() == "the input ended"
    assert ear.heard == b"hello"
    assert os.read(stdout.out.fileno(), 100) == b"HELLO"


async def test_what_is_sent_before_the_close_is_written_first(pipes: tuple[Pipe, Pipe]) -> None:
    stdin, stdout = pipes
    ear = Ear()
    transport = StdioTransport.start(ear, stdin.out, stdout.into)
    transport.send([b"last ", b"words"])
    transport.close(1000, "done")
    transport.close()
    transport.send([b"too late"])
    assert await ear.end() == "done"
    assert os.read(stdout.out.fileno(), 100) == b"last words"


async def test_regular_files_serve_as_input_and_output(tmp_path: Path) -> None:
    data = os.urandom(5 * READ_BYTES + 7)
    (tmp_path / "in").write_bytes(data)
    ear = Ear(echo=True)
    with (tmp_path / "in").open("rb") as source, (tmp_path / "out").open("wb") as target:
        StdioTransport.start(ear, source, target)
        assert await ear.end() == "the input ended"
    assert ear.heard == data
    assert (tmp_path / "out").read_bytes() == data.upper()


async def test_a_terminal_serves_as_input_and_output() -> None:
    master, slave = pty.openpty()
    tty.setraw(slave)
    ear = Ear(echo=True)
    with open(slave, "r+b", buffering=0) as terminal:  # noqa: ASYNC230, PTH123 - it is open
        StdioTransport.start(ear, terminal, terminal)
        os.write(master, b"typed\n")
        await ear.hears(b"typed\n")
        async with asyncio.timeout(PATIENCE):
            assert await asyncio.to_thread(os.read, master, 100) == b"TYPED\n"
        assert os.get_blocking(slave)
        os.close(master)
        assert (await ear.end()).startswith("the input")


async def test_an_input_without_anything_ends_at_once() -> None:
    ear = Ear()
    with open(os.devnull, "rb") as source, open(os.devnull, "wb") as target:  # noqa: ASYNC230, PTH123
        StdioTransport.start(ear, source, target)
        assert await ear.end() == "the input ended"


async def test_a_closed_file_cannot_be_used() -> None:
    with tempfile.TemporaryFile() as source:
        pass
    with pytest.raises(ConnectFailed, match="cannot use the standard streams"):
        StdioTransport.start(Ear(), source, source)


async def test_a_descriptor_that_was_closed_underneath_ends_with_the_reason() -> None:
    ear = Ear()
    with tempfile.TemporaryFile() as target:
        source = Pipe()
        os.close(source.out.fileno())
        StdioTransport.start(ear, source.out, target)
        assert await ear.end() == "the input cannot be read: Bad file descriptor"
    source.into.close()
    with contextlib.suppress(OSError):
        source.out.close()


async def test_an_output_whose_reader_is_gone_ends_with_the_reason(
    pipes: tuple[Pipe, Pipe],
) -> None:
    stdin, stdout = pipes
    ear = Ear()
    transport = StdioTransport.start(ear, stdin.out, stdout.into)
    stdout.out.close()
    transport.send([b"anybody?"])
    assert await ear.end() == "the output cannot be written: Broken pipe"
    transport.send([b"nobody"])
    await transport.drain()


async def test_a_reader_that_does_not_read_never_blocks_the_loop(
    pipes: tuple[Pipe, Pipe],
) -> None:
    stdin, stdout = pipes
    ear = Ear()
    transport = StdioTransport.start(ear, stdin.out, stdout.into)
    data = b"x" * (2 * HIGH_WATER_BYTES)
    transport.send([data])
    waiting = asyncio.ensure_future(transport.drain())
    stdin.into.write(b"still here")
    await ear.hears(b"still here")
    assert not waiting.done()
    async with asyncio.timeout(PATIENCE):
        await asyncio.to_thread(read_exactly, stdout.out, len(data))
        await waiting


async def test_a_reader_that_does_not_read_cannot_hold_up_the_end(
    pipes: tuple[Pipe, Pipe],
) -> None:
    stdin, stdout = pipes
    ear = Ear()
    transport = StdioTransport.start(ear, stdin.out, stdout.into, flush_seconds=0.05)
    transport.send([b"x" * (2 * HIGH_WATER_BYTES)])
    transport.close(1000, "enough")
    assert await ear.end() == "enough"
    stdout.out.close()  # lets the writing thread go


async def test_a_reader_that_leaves_too_much_is_given_up(pipes: tuple[Pipe, Pipe]) -> None:
    stdin, stdout = pipes
    ear = Ear()
    transport = StdioTransport.start(ear, stdin.out, stdout.into)
    chunk = b"x" * (1024 * 1024)
    for _ in range(stdio.MAX_UNSENT_BYTES // len(chunk) + 1):
        transport.send([chunk])  # the same bytes each time: no memory is used
    assert "bytes unread" in await ear.end()
    stdout.out.close()


async def test_a_paused_input_stays_where_it_is(tmp_path: Path) -> None:
    class PausingEar(Ear):
        def received(self, data: bytes) -> None:
            if not self.heard and self.transport is not None:
                self.transport.pause_reading()
            super().received(data)

    data = os.urandom(50 * READ_BYTES)
    (tmp_path / "in").write_bytes(data)
    ear = PausingEar()
    with (tmp_path / "in").open("rb") as source, (tmp_path / "out").open("wb") as target:
        transport = StdioTransport.start(ear, source, target)
        async with asyncio.timeout(PATIENCE):
            await ear.news.wait()
        for _ in range(100):
            await asyncio.sleep(0)
        # The first, those that were read ahead, and the one that was being read.
        assert len(ear.heard) <= (2 + READ_AHEAD) * READ_BYTES
        transport.resume_reading()
        assert await ear.end() == "the input ended"
    assert ear.heard == data


async def test_files_that_others_made_non_blocking_are_waited_for(
    pipes: tuple[Pipe, Pipe],
) -> None:
    stdin, stdout = pipes
    os.set_blocking(stdin.out.fileno(), False)
    os.set_blocking(stdout.into.fileno(), False)
    ear = Ear()
    transport = StdioTransport.start(ear, stdin.out, stdout.into)
    data = b"x" * HIGH_WATER_BYTES
    transport.send([data])
    async with asyncio.timeout(PATIENCE):
        assert await asyncio.to_thread(read_exactly, stdout.out, len(data)) == data
    stdin.into.write(b"here")
    await ear.hears(b"here")


async def test_a_loop_that_is_gone_does_not_disturb_the_threads(pipes: tuple[Pipe, Pipe]) -> None:
    stdin, stdout = pipes

    async def leave() -> None:
        StdioTransport.start(Ear(), stdin.out, stdout.into)

    await asyncio.to_thread(asyncio.run, leave())
    stdin.into.write(b"anybody?")


def read_exactly(file: BinaryIO, size: int) -> bytes:
    data = b""
    while len(data) < size:
        data += os.read(file.fileno(), size - len(data))
    return data

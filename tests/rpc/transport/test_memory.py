from __future__ import annotations

import asyncio

from anyide.errors import ConnectionClosed
from anyide.rpc.transport import Transport, memory


class Ear:
    """A receiver that notes what it hears."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self.ends: list[ConnectionClosed] = []
        self.transport: Transport | None = None

    def attached(self, transport: Transport) -> None:
        self.transport = transport

    def received(self, data: bytes) -> None:
        assert not self.ends
        self.heard.append(data)

    def lost(self, error: ConnectionClosed) -> None:
        self.ends.append(error)


def join() -> tuple[Ear, Transport, Ear, Transport]:
    left, right = Ear(), Ear()
    memory.join(left, right)
    assert left.transport is not None
    assert right.transport is not None
    return left, left.transport, right, right.transport


async def test_messages_arrive_in_the_next_turn_of_the_loop() -> None:
    _, here, ear, _ = join()
    here.send([b"a", b"b"])
    assert ear.heard == []
    await asyncio.sleep(0)
    assert ear.heard == [b"a", b"b"]


async def test_drain_waits_while_the_other_end_does_not_read() -> None:
    _, here, ear, there = join()
    there.pause_reading()
    here.send([b"a"])
    waiting = asyncio.ensure_future(here.drain())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not waiting.done()
    assert ear.heard == []
    there.resume_reading()
    await asyncio.wait_for(waiting, 5)
    assert ear.heard == [b"a"]


async def test_both_ends_are_told_once_after_the_last_message() -> None:
    near, here, far, there = join()
    there.pause_reading()
    here.send([b"last"])
    here.close(4000, "enough")
    here.close()
    there.close()
    here.send([b"too late"])
    await asyncio.sleep(0)
    there.resume_reading()
    await asyncio.sleep(0)
    assert far.heard == [b"last"]
    assert [str(error) for error in near.ends + far.ends] == ["enough (close code 4000)"] * 2

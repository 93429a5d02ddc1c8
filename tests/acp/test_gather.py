from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from anyide.acp.gather import PAUSE_SECONDS, Gathering
from anyide.errors import ConnectionClosed
from anyide.rpc.transport import Transport
from anyide.rpc.transport.memory import join

FLOOD = 500


class End:
    """A receiver that writes down what it gets."""

    def __init__(self, answer: bytes = b"") -> None:
        self.transport: Any = None
        self.got: list[bytes] = []
        self.closed = asyncio.get_running_loop().create_future()
        self._answer = answer

    def attached(self, transport: Transport) -> None:
        self.transport = transport

    def received(self, data: bytes) -> None:
        self.got.append(data)
        if self._answer:
            self.transport.send([self._answer])

    def lost(self, error: ConnectionClosed) -> None:
        self.closed.set_result(error)


class Watch:
    """Stands between the gathering and its transport, and writes down each write."""

    def __init__(self, inner: Gathering) -> None:
        self.writes: list[list[bytes]] = []
        self.received, self.lost = inner.received, inner.lost
        self._inner = inner

    def attached(self, transport: Transport) -> None:
        self._transport = transport
        self.drain, self.close = transport.drain, transport.close
        self.pause_reading, self.resume_reading = transport.pause_reading, transport.resume_reading
        self._inner.attached(self)

    def send(self, messages: Sequence[bytes]) -> None:
        self.writes.append(list(messages))
        self._transport.send(messages)


class Pair:
    """Our end, gathering, and theirs."""

    def __init__(self, answer: bytes = b"") -> None:
        self.ours, self.theirs = End(answer), End()
        watch = Watch(Gathering(self.ours))
        self.writes = watch.writes
        join(watch, self.theirs)

    def send(self, *messages: bytes) -> None:
        self.ours.transport.send(messages)


async def turns(count: int = 5) -> None:
    """Let the loop go round: no time passes."""
    for _ in range(count):
        await asyncio.sleep(0)


async def pause() -> None:
    """Wait until the time between two writes is over."""
    over = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_later(PAUSE_SECONDS * 2, over.set_result, None)
    await over


STEP = st.sampled_from(["send", "send two", "send nothing", "receive", "turn", "pause"])


@settings(max_examples=50, deadline=None)
@given(st.lists(STEP, max_size=12))
def test_nothing_is_lost_and_the_order_is_kept(steps: list[str]) -> None:
    async def play() -> None:
        pair = Pair(answer=b"answer")
        said: list[bytes] = []
        asked = 0
        for number, step in enumerate(steps):
            if step.startswith("send"):
                count = {"send": 1, "send two": 2, "send nothing": 0}[step]
                messages = [b"%d-%d" % (number, at) for at in range(count)]
                pair.send(*messages)
                said += messages
            elif step == "receive":
                pair.theirs.transport.send([b"question"])
                asked += 1
            elif step == "turn":
                await turns(1)
            else:
                await pause()
        await turns()
        pair.ours.transport.close()
        async with asyncio.timeout(5):
            await asyncio.gather(pair.ours.closed, pair.theirs.closed)
        assert [got for got in pair.theirs.got if got != b"answer"] == said
        assert pair.theirs.got.count(b"answer") == len(pair.ours.got) == asked

    asyncio.run(play())


async def test_what_comes_after_a_pause_goes_at_once() -> None:
    pair = Pair()
    for message in (b"1", b"2"):
        pair.send(message)
        await turns()
        assert pair.theirs.got[-1] == message
        await pause()


async def test_what_comes_soon_after_waits_and_goes_together() -> None:
    pair = Pair()
    pair.send(b"first")
    await turns()
    pair.send(b"a")
    pair.send(b"b")
    assert pair.writes == [[b"first"]]
    await pause()
    assert pair.writes == [[b"first"], [b"a", b"b"]]


async def test_a_flood_makes_few_writes() -> None:
    pair = Pair()
    begin = asyncio.get_running_loop().time()
    for number in range(FLOOD):
        pair.send(b"%d" % number)
        await turns(1)
    await pause()
    lasted = asyncio.get_running_loop().time() - begin
    assert pair.theirs.got == [b"%d" % number for number in range(FLOOD)]
    assert len(pair.writes) <= lasted / PAUSE_SECONDS + 2


async def test_an_answer_does_not_wait() -> None:
    pair = Pair(answer=b"answer")
    pair.send(b"first")
    await turns()
    pair.send(b"waits")
    pair.theirs.transport.send([b"question"])
    await turns()
    assert pair.theirs.got == [b"first", b"waits", b"answer"]


async def test_what_was_said_before_the_end_is_sent_and_nothing_after() -> None:
    pair = Pair()
    pair.send(b"1")
    await turns()
    pair.send(b"2")
    pair.ours.transport.close(1000, "enough")
    pair.send(b"3")
    async with asyncio.timeout(5):
        error = await pair.theirs.closed
        await pair.ours.closed
    await pause()
    assert pair.theirs.got == [b"1", b"2"]
    assert "enough" in str(error)


async def test_what_is_said_before_there_is_a_transport_is_not_lost() -> None:
    ours, theirs = End(), End()
    gathering = Gathering(ours)
    gathering.send([b"early"])
    await pause()
    gathering.send([b"later"])
    join(gathering, theirs)
    await turns()
    assert theirs.got == [b"early", b"later"]

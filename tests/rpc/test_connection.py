from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from anyide.errors import (
    ConnectionClosed,
    InvalidAnswer,
    MethodNotFound,
    RequestTimeout,
    RpcError,
)
from anyide.rpc import connection as connection_module
from anyide.rpc.connection import MAX_IN_PROGRESS, Connection, Handler
from anyide.rpc.framing import Headers
from anyide.rpc.message import Notification, Request
from anyide.rpc.transport import memory
from tests.rpc.conftest import PATIENCE, Pair
from tests.rpc.echo_peer import CANCEL, EchoPeer

ASK = b'{"jsonrpc":"2.0","id":%d,"method":"%b"}'
CANCEL_1 = b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}'


@pytest.fixture(autouse=True)
async def bounded() -> AsyncIterator[None]:
    async with asyncio.timeout(4 * PATIENCE):
        yield


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - there is no event to wait for from outside
            await asyncio.sleep(0)


async def read_journal(ours: Connection) -> list[str]:
    return await ours.request("journal", kind=list[str])


async def journal_has(ours: Connection, line: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while line not in await read_journal(ours):
            pass


# Over every transport.


async def test_what_is_asked_is_answered(pair: Pair) -> None:
    params = {"text": "line\nline\r\n\u2028 é😀", "n": [0, None, True, 1.5]}
    assert await pair.ours.request("echo", params, kind=dict[str, Any]) == params


async def test_requests_go_both_ways_at_once(pair: Pair) -> None:
    back = [pair.ours.request("call", ["double", [n]], kind=str) for n in range(50)]
    forth = [pair.ours.request("echo", [n], kind=list[int]) for n in range(50)]
    doubled, echoed = await asyncio.gather(asyncio.gather(*back), asyncio.gather(*forth))
    assert doubled == [f"[{n}][{n}]" for n in range(50)]
    assert echoed == [[n] for n in range(50)]


async def test_slow_handlers_run_side_by_side_and_end_out_of_order(pair: Pair) -> None:
    ended: list[str] = []

    async def ask(name: str) -> None:
        ended.append(await pair.ours.request("wait", [name], kind=str))

    async with asyncio.TaskGroup() as group:
        for name in "abc":
            group.create_task(ask(name))
        for name in "cab":
            await journal_has(pair.ours, f"waits {name}")
            pair.ours.notify("release", [name])
            await until(lambda name=name: name in ended)  # type: ignore[misc]
    assert ended == ["c", "a", "b"]


async def test_notifications_arrive_in_order(pair: Pair) -> None:
    for n in range(200):
        pair.ours.notify("say", [n])
    assert await read_journal(pair.ours) == [f"[{n}]" for n in range(200)]


async def test_big_messages_go_both_ways_without_a_deadlock(pair: Pair) -> None:
    text = "x" * (3 * 1024 * 1024)
    asks = [pair.ours.request("echo", [text], kind=list[str]) for _ in range(3)]
    for answer in await asyncio.gather(*asks):
        assert answer == [text]
    await pair.ours.drain()


@pytest.mark.parametrize("method", ["fail", "fail_later"])
@pytest.mark.parametrize(
    ("how", "code", "message", "data"),
    [
        ("rpc", 1234, "told so", {"why": [1]}),
        ("bad data", 1234, "told so", None),
        ("anyide", -32603, "a sentence", None),
        ("surrogate", -32603, "no file ?", None),
        ("other", -32603, "{} failed inside", None),
        ("result", -32603, "{} failed inside", None),
    ],
)
async def test_a_handler_that_raises_is_answered_with_an_error(
    pair: Pair, method: str, how: str, code: int, message: str, data: Any
) -> None:
    with pytest.raises(RpcError) as caught:
        await pair.ours.request(method, [how], kind=object)
    error = caught.value
    assert (error.code, error.message, error.data) == (code, message.format(method), data)
    assert await pair.ours.request("echo", [1], kind=list[int]) == [1]


async def test_a_method_that_nobody_knows_is_said(pair: Pair) -> None:
    with pytest.raises(MethodNotFound, match="Method not found: nothing"):
        await pair.ours.request("nothing", kind=object)
    pair.ours.notify("nothing")
    assert await read_journal(pair.ours) == []


async def test_an_answer_of_another_kind_is_an_invalid_answer(pair: Pair) -> None:
    with pytest.raises(InvalidAnswer, match=r"\[0\]: expected str, got int"):
        await pair.ours.request("echo", [1], kind=list[str])


async def test_a_request_that_takes_too_long_ends_and_they_are_told(pair: Pair) -> None:
    await read_journal(pair.ours)  # now they run
    with pytest.raises(RequestTimeout, match="no answer to 'wait' within"):
        await pair.ours.request("wait", ["a"], kind=str, timeout=0.2)
    await journal_has(pair.ours, "cancelled a")


async def test_cancelling_the_caller_tells_the_other_side(pair: Pair) -> None:
    task = asyncio.create_task(pair.ours.request("wait", ["a"], kind=str))
    await journal_has(pair.ours, "waits a")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await journal_has(pair.ours, "cancelled a")


async def test_closing_fails_what_waits_and_says_why(pair: Pair) -> None:
    task = asyncio.create_task(pair.ours.request("wait", ["a"], kind=str))
    await journal_has(pair.ours, "waits a")
    pair.ours.close(reason="time to go")
    with pytest.raises(ConnectionClosed, match="time to go"):
        await task
    assert pair.ours.is_closed
    for _ in range(2):
        with pytest.raises(ConnectionClosed, match="time to go"):
            await pair.ours.request("echo", kind=object)
    pair.ours.notify("say", [1])
    pair.ours.close()
    assert (await pair.ours.wait_closed()).reason == "time to go"


async def test_a_peer_that_vanishes_is_noticed(pair: Pair) -> None:
    task = asyncio.create_task(pair.ours.request("wait", ["a"], kind=str))
    await journal_has(pair.ours, "waits a")
    pair.vanish()
    with pytest.raises(ConnectionClosed) as caught:
        await task
    assert str(caught.value)
    assert (await pair.ours.wait_closed()).reason == caught.value.reason


async def test_a_failing_handler_leaves_a_log_line(
    pair: Pair, handlers: dict[str, Handler], caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: Request | Notification) -> None:
        raise ZeroDivisionError("inside")

    handlers["broken"] = broken
    with pytest.raises(RpcError, match="broken failed inside"):
        await pair.ours.request("call", ["broken", []], kind=object)
    [record] = [one for one in caplog.records if one.levelno == logging.ERROR]
    assert record.name == connection_module.__name__
    assert record.getMessage() == "peer: broken failed"
    assert record.exc_info is not None
    assert record.exc_info[0] is ZeroDivisionError


async def test_too_many_requests_in_progress_pause_the_reading_until_some_are_done(
    pair: Pair, handlers: dict[str, Handler]
) -> None:
    started, full, may_end = 0, asyncio.Event(), asyncio.Event()

    async def hold(_: Request) -> int:
        nonlocal started
        started += 1
        if started == MAX_IN_PROGRESS:
            full.set()
        await may_end.wait()
        return 1

    handlers["hold"] = hold
    count = 3 * MAX_IN_PROGRESS
    flood = asyncio.create_task(pair.ours.request("flood", [count], kind=int))
    await asyncio.wait_for(full.wait(), PATIENCE)
    for _ in range(300):
        await asyncio.sleep(0)
    assert MAX_IN_PROGRESS <= started < count
    may_end.set()
    assert await flood == count
    assert started == count
    assert await pair.ours.request("echo", [1], kind=list[int]) == [1]


# What needs no particular transport.


class Wire:
    """A transport that keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.calls: list[str] = []

    def send(self, messages: Any) -> None:
        self.sent += messages

    async def drain(self) -> None: ...

    def pause_reading(self) -> None:
        self.calls.append("pause")

    def resume_reading(self) -> None:
        self.calls.append("resume")

    def close(self, code: int = 1000, reason: str = "") -> None:
        self.calls.append(f"close {code} {reason}")


async def test_a_cancelled_handler_cannot_answer_a_later_request_of_the_same_id() -> None:
    first_may_end, second_may_end = asyncio.Event(), asyncio.Event()

    async def stubborn(_: Request) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await first_may_end.wait()
        return "first"

    async def second(_: Request) -> str:
        await second_may_end.wait()
        return "second"

    wire = Wire()
    ours = Connection({"stubborn": stubborn, "second": second}, cancel=CANCEL)
    ours.attached(wire)
    ours.received(ASK % (1, b"stubborn"))
    await asyncio.sleep(0)
    ours.received(CANCEL_1)
    ours.received(ASK % (1, b"second"))
    first_may_end.set()
    for _ in range(5):
        await asyncio.sleep(0)
    second_may_end.set()
    await until(lambda: len(wire.sent) == 2)
    assert b"-32800" in wire.sent[0]
    assert wire.sent[1] == b'{"id":1,"result":"second","jsonrpc":"2.0"}'
    ours.close()


async def test_a_request_cancelled_before_its_handler_began_leaves_nothing_behind() -> None:
    began: list[int] = []

    async def slow(request: Request) -> None:
        began.append(1)

    wire = Wire()
    ours = Connection({"slow": slow}, cancel=CANCEL)
    ours.attached(wire)
    ours.received(ASK % (1, b"slow"))
    ours.received(CANCEL_1)
    for _ in range(5):
        await asyncio.sleep(0)
    assert began == []
    assert len(wire.sent) == 1
    ours.close()


async def test_what_was_said_before_the_transport_came_is_sent() -> None:
    ours, theirs = Connection({}), EchoPeer()
    ours.notify("say", ["early"])
    memory.join(ours, theirs.connection)
    assert await read_journal(ours) == ['["early"]']
    ours.close()


async def test_a_connection_closed_before_its_transport_came_closes_it() -> None:
    ours, wire = Connection({}), Wire()
    ours.close(reason="changed my mind")
    ours.attached(wire)
    assert wire.calls == ["close 1000 changed my mind"]


async def test_a_handler_that_closes_ends_the_chunk_and_keeps_the_answers_before_it() -> None:
    called: list[str] = []
    ours, wire = Connection({}, framing=Headers()), Wire()

    def note(request: Request) -> str:
        called.append(request.method)
        if request.method == "close":
            ours.close(reason="done")
        return "noted"

    ours._handlers = dict.fromkeys(["first", "close", "last"], note)
    ours.attached(wire)
    names = (b"first", b"close", b"last")
    ours.received(b"".join(Headers().frame(ASK % (n, name)) for n, name in enumerate(names)))
    assert called == ["first", "close"]
    assert [b"noted" in message for message in wire.sent] == [True]
    assert wire.calls[0] == "close 1000 done"


async def test_an_error_that_crosses_a_cancellation_is_not_left_unseen() -> None:
    ours, wire = Connection({}), Wire()
    ours.attached(wire)
    task = asyncio.create_task(ours.request("a", kind=object))
    await asyncio.sleep(0)
    ours.received(b'{"jsonrpc":"2.0","id":0,"error":{"code":1,"message":"no"}}')
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    ours.close()


async def test_a_stream_that_lost_its_place_is_closed_with_the_reason() -> None:
    reasons: list[ConnectionClosed] = []
    ours, wire = Connection({}, framing=Headers(), on_closed=reasons.append), Wire()
    ours.attached(wire)
    ours.received(b"nonsense\r\n\r\n")
    assert b"-32700" in wire.sent[0]
    assert wire.calls == ["close 1002 they sent a header without a readable Content-Length"]
    assert [error.reason for error in reasons] == [
        "they sent a header without a readable Content-Length"
    ]


async def test_the_end_is_told_once() -> None:
    reasons: list[ConnectionClosed] = []
    ours = Connection({}, on_closed=reasons.append)
    ours.attached(Wire())
    ours.lost(ConnectionClosed("gone", code=1006))
    ours.lost(ConnectionClosed("gone again"))
    ours.close()
    assert [str(error) for error in reasons] == ["gone (close code 1006)"]


async def test_other_hears_what_no_handler_is_for() -> None:
    heard: list[str] = []

    def other(call: Request | Notification) -> str:
        heard.append(call.method)
        return "other"

    ours, theirs = Connection({}), Connection({}, other=other)
    memory.join(ours, theirs)
    ours.notify("a")
    assert await ours.request("b", kind=str) == "other"
    assert heard == ["a", "b"]
    ours.close()


async def test_failing_notification_handlers_leave_a_log_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(_: Notification) -> None:
        raise ZeroDivisionError

    async def broken_later(_: Notification) -> None:
        raise ZeroDivisionError

    ours = Connection({"a": broken, "b": broken_later}, name="them")
    for method in (b"a", b"b"):
        ours.received(b'{"jsonrpc":"2.0","method":"%b"}' % method)
    await until(lambda: len(caplog.records) == 2)
    assert [one.getMessage() for one in caplog.records] == [
        "them: the handler of a failed",
        "them: the handler of b failed",
    ]
    ours.close()


async def test_what_is_no_message_leaves_a_log_line_and_strays_do_not_harm(
    caplog: pytest.LogCaptureFixture,
) -> None:
    ours, wire = Connection({}, name="them"), Wire()
    ours.attached(wire)
    ours.received(b"{")
    ours.received(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}')
    ours.received(b'{"jsonrpc":"2.0","id":77,"result":1}')
    assert len(wire.sent) == 1
    assert "them: not a message" in caplog.records[0].getMessage()
    assert caplog.records[1].getMessage() == "them: they could not read us: what?"
    ours.close()


async def test_params_that_json_cannot_hold_raise_and_leave_the_connection_well() -> None:
    ours, theirs = Connection({}), EchoPeer().connection
    memory.join(ours, theirs)
    with pytest.raises(TypeError):
        await ours.request("echo", [object()], kind=object)
    with pytest.raises(TypeError):
        ours.notify("say", [object()])
    assert await ours.request("echo", [1], kind=list[int]) == [1]
    ours.close()

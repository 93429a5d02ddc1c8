from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from anyide.rpc.framing import Framing, Headers, Lines, Whole
from anyide.rpc.message import (
    ErrorCode,
    ErrorResponse,
    Id,
    Malformed,
    Notification,
    Request,
    Response,
)
from anyide.rpc.peer import Cancelled, CancelRule, Closed, Event, Peer, Stray

LSP = CancelRule("$/cancelRequest", "id", answer_code=-32800)
MCP = CancelRule("notifications/cancelled", "requestId")
FRAMINGS: list[Callable[[], Framing]] = [Whole, Lines, Headers]


def tell(peer: Peer, *messages: Any) -> list[Event]:
    """Give the peer messages, each in one piece; what they mean to it."""
    for message in messages:
        peer.receive_data(message if isinstance(message, bytes) else json.dumps(message).encode())
    return peer.events_received()


def said(peer: Peer) -> list[Any]:
    return [json.loads(message) for message in peer.data_to_send()]


def ask(identity: Any, method: str = "m") -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "method": method}


def codes(answers: list[Any]) -> list[tuple[Any, int | None]]:
    return [(one["id"], one["error"]["code"] if "error" in one else None) for one in answers]


class Side:
    """One end with a book of what must be: each request of ours, how often it ended."""

    def __init__(self, framing: Framing, cancel: CancelRule) -> None:
        self.peer = Peer(framing, cancel=cancel)
        self.keeps_messages_apart = isinstance(framing, Whole)
        self.wire: list[bytes] = []  # what the other side sent and we have not read
        self.open: set[Id] = set()
        self.ends: dict[Id, list[str]] = {}
        self.to_answer: list[Id] = []
        self.heard: list[bytes] = []
        self.notified = 0
        self.closed = 0

    def take_events(self) -> None:
        for event in self.peer.events_received():
            if isinstance(event, Request):
                assert event.id not in self.to_answer
                self.to_answer.append(event.id)
            elif isinstance(event, Response | ErrorResponse):
                assert event.id is not None
                self.end(event.id, "answered")
            elif isinstance(event, Cancelled):
                self.to_answer.remove(event.id)
            elif isinstance(event, Notification):
                self.heard.append(bytes(event.params))
            elif isinstance(event, Closed):
                self.closed += 1
                for identity in event.lost:
                    self.end(identity, "lost")
            else:
                assert isinstance(event, Stray), f"two peers do not agree: {event}"
                assert self.ends[event.response.id or 0] == ["cancelled"]

    def end(self, identity: Id, how: str) -> None:
        self.open.discard(identity)
        self.ends.setdefault(identity, []).append(how)

    def read(self, size: int) -> None:
        if self.keeps_messages_apart:
            count = 1 + size % len(self.wire)
            for message in self.wire[:count]:
                self.peer.receive_data(message)
            self.wire = self.wire[count:]
        else:
            data = b"".join(self.wire)
            size = 1 + size % len(data)
            self.peer.receive_data(data[:size])
            self.wire = [data[size:]] if size < len(data) else []
        self.take_events()


class TwoPeers(RuleBasedStateMachine):
    """Two peers back to back: every request ends exactly once, whatever crosses on the wire."""

    cancel: CancelRule

    @initialize(make=st.sampled_from(FRAMINGS), cancel=st.sampled_from([LSP, MCP]))
    def begin(self, make: Callable[[], Framing], cancel: CancelRule) -> None:
        self.cancel = cancel
        self.sides = (Side(make(), cancel), Side(make(), cancel))

    def carry(self) -> None:
        for here, there in (self.sides, self.sides[::-1]):
            there.wire += here.peer.data_to_send()

    @rule(who=st.integers(0, 1))
    def request(self, who: int) -> None:
        side = self.sides[who]
        if not side.closed:
            identity = side.peer.request("do", {"text": "a\nb"})
            assert identity not in side.ends
            side.open.add(identity)
            self.carry()

    @rule(who=st.integers(0, 1))
    def notify(self, who: int) -> None:
        side = self.sides[who]
        if not side.closed:
            side.peer.notify("say", [side.notified])
            side.notified += 1
            self.carry()

    @rule(who=st.integers(0, 1), pick=st.integers(0, 99), well=st.booleans())
    def answer(self, who: int, pick: int, well: bool) -> None:
        side = self.sides[who]
        if side.to_answer:
            identity = side.to_answer.pop(pick % len(side.to_answer))
            for _ in range(2):  # the second must go nowhere
                if well:
                    side.peer.respond(identity, {"fine": True})
                else:
                    side.peer.respond_error(identity, 5, "no")
            self.carry()

    @rule(who=st.integers(0, 1), pick=st.integers(0, 99))
    def give_up(self, who: int, pick: int) -> None:
        side = self.sides[who]
        if side.open and not side.closed:
            identity = sorted(side.open, key=str)[pick % len(side.open)]
            side.peer.cancel(identity)
            side.peer.cancel(identity)
            side.end(identity, "cancelled")
            self.carry()

    @rule(who=st.integers(0, 1), size=st.integers(0, 300))
    def deliver(self, who: int, size: int) -> None:
        if self.sides[who].wire:
            self.sides[who].read(size)
            self.carry()

    @precondition(lambda self: hasattr(self, "sides") and len(self.sides[0].ends) > 3)
    @rule(who=st.integers(0, 1))
    def close(self, who: int) -> None:
        self.sides[who].peer.close("enough")
        self.sides[who].take_events()
        self.carry()

    def teardown(self) -> None:
        if hasattr(self, "sides"):
            self.settle()
            for side, other in (self.sides, self.sides[::-1]):
                if not side.closed and not other.closed:
                    assert side.heard == [b"[%d]" % number for number in range(other.notified)]
                    assert not side.open
                side.peer.close("over")
                side.peer.close("over")
                side.take_events()
                assert side.closed == 1
                assert not side.open
                assert all(len(ends) == 1 for ends in side.ends.values())

    def settle(self) -> None:
        while any(side.wire or side.to_answer for side in self.sides):
            for who, side in enumerate(self.sides):
                while side.wire:
                    self.deliver(who, 10_000)
                while side.to_answer:
                    self.answer(who, 0, well=True)


TestTwoPeers = TwoPeers.TestCase
TestTwoPeers.settings = settings(max_examples=150, stateful_step_count=60, deadline=None)


def test_ids_begin_with_0_and_count_up() -> None:
    peer = Peer()
    assert [peer.request("a"), peer.request("b", [1])] == [0, 1]
    assert said(peer) == [
        {"jsonrpc": "2.0", "id": 0, "method": "a"},
        {"jsonrpc": "2.0", "id": 1, "method": "b", "params": [1]},
    ]


def test_what_json_cannot_hold_is_not_asked_and_costs_no_id() -> None:
    peer = Peer()
    with pytest.raises(TypeError):
        peer.request("a", [object()])
    assert peer.request("a") == 0
    assert len(said(peer)) == 1


def test_a_duplicate_id_is_refused_and_the_first_request_keeps_its_answer() -> None:
    peer = Peer()
    first, second = tell(peer, ask(1), ask(1, "other"))
    assert isinstance(first, Request)
    assert isinstance(second, Malformed)
    peer.respond(1, "yes")
    assert codes(said(peer)) == [(None, ErrorCode.INVALID_REQUEST), (1, None)]


def test_an_id_may_be_used_again_once_it_is_answered() -> None:
    peer = Peer()
    tell(peer, ask(1))
    peer.respond(1, "yes")
    assert tell(peer, ask(1)) == [Request(method="m", id=1)]


def test_1_and_the_text_1_are_two_ids() -> None:
    peer = Peer()
    assert len(tell(peer, ask(1), ask("1"))) == 2
    peer.respond("1", "text")
    assert said(peer) == [{"jsonrpc": "2.0", "id": "1", "result": "text"}]


def test_an_answer_goes_nowhere_when_nobody_asked() -> None:
    peer = Peer()
    peer.respond(5, "yes")
    peer.respond_error(5, 1, "no")
    assert said(peer) == []


def test_an_answer_to_nothing_is_stray() -> None:
    peer = Peer()
    [event] = tell(peer, {"jsonrpc": "2.0", "id": 9, "result": 1})
    assert isinstance(event, Stray)
    [event] = tell(peer, {"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": "?"}})
    assert isinstance(event, Stray)
    assert said(peer) == []


def test_the_second_answer_is_stray() -> None:
    peer = Peer()
    peer.request("a")
    answer = {"jsonrpc": "2.0", "id": 0, "result": 1}
    first, second = tell(peer, answer, answer)
    assert isinstance(first, Response)
    assert isinstance(second, Stray)


def test_a_broken_answer_is_not_answered() -> None:
    peer = Peer()
    [event] = tell(peer, {"jsonrpc": "1.0", "id": 0, "result": 1})
    assert isinstance(event, Malformed)
    assert said(peer) == []


def test_two_peers_never_answer_errors_with_errors_for_ever() -> None:
    left, right = Peer(), Peer()
    left.receive_data(b"{")
    for _ in range(5):
        for here, there in ((left, right), (right, left)):
            for message in here.data_to_send():
                there.receive_data(message)
    assert left.data_to_send() == right.data_to_send() == []


def test_a_cancelled_request_is_answered_with_the_code_of_the_rule() -> None:
    peer = Peer(cancel=LSP)
    cancel = {"jsonrpc": "2.0", "method": LSP.method, "params": {"id": 7}}
    assert tell(peer, ask(7), cancel) == [Request(method="m", id=7), Cancelled(7)]
    peer.respond(7, "too late")
    assert codes(said(peer)) == [(7, -32800)]
    assert tell(peer, cancel) == []


def test_a_cancelled_request_gets_no_answer_where_the_rule_has_none() -> None:
    peer = Peer(cancel=MCP)
    cancel = {"jsonrpc": "2.0", "method": MCP.method, "params": {"requestId": "x", "reason": "r"}}
    assert tell(peer, ask("x"), cancel) == [Request(method="m", id="x"), Cancelled("x")]
    peer.respond("x", "too late")
    assert said(peer) == []


@pytest.mark.parametrize(
    "params", [None, [], {}, {"id": None}, {"id": True}, {"id": 1.5}, {"id": 8}, {"id": [7]}]
)
def test_a_cancel_that_names_nothing_is_passed_over(params: Any) -> None:
    peer = Peer(cancel=LSP)
    notification = {"jsonrpc": "2.0", "method": LSP.method, "params": params}
    assert tell(peer, ask(7), notification) == [Request(method="m", id=7)]
    assert said(peer) == []


def test_without_a_rule_a_cancel_is_like_any_notification() -> None:
    peer = Peer()
    peer.request("a")
    peer.cancel(0)
    assert len(said(peer)) == 1
    [event] = tell(peer, {"jsonrpc": "2.0", "method": LSP.method})
    assert isinstance(event, Notification)


def test_the_answers_of_a_batch_go_together_when_the_last_is_there() -> None:
    peer = Peer()
    events = tell(peer, [ask(1), ask(2), 5, ask(3)])
    assert len(events) == 4
    peer.respond(3, "c")
    peer.respond_error(1, 7, "a")
    assert said(peer) == []
    peer.respond(2, "b")
    assert [codes(batch) for batch in said(peer)] == [
        [(None, ErrorCode.INVALID_REQUEST), (3, None), (1, 7), (2, None)]
    ]


def test_a_duplicate_id_inside_a_batch_is_answered_in_the_batch() -> None:
    peer = Peer()
    tell(peer, [ask(1), ask(1)])
    peer.respond(1, "a")
    assert [codes(batch) for batch in said(peer)] == [
        [(None, ErrorCode.INVALID_REQUEST), (1, None)]
    ]


@pytest.mark.parametrize(("rule", "count"), [(LSP, 2), (MCP, 1)])
def test_a_batch_does_not_wait_for_what_was_cancelled(rule: CancelRule, count: int) -> None:
    peer = Peer(cancel=rule)
    cancel = {"jsonrpc": "2.0", "method": rule.method, "params": {rule.id_field: 1}}
    tell(peer, [ask(1), ask(2)])
    peer.respond(2, "b")
    assert said(peer) == []
    tell(peer, cancel)
    [batch] = said(peer)
    assert len(batch) == count


def test_a_batch_with_a_cancel_of_its_own_request_is_settled() -> None:
    peer = Peer(cancel=MCP)
    cancel = {"jsonrpc": "2.0", "method": MCP.method, "params": {"requestId": 1}}
    assert tell(peer, [ask(1), cancel]) == [Request(method="m", id=1), Cancelled(1)]
    assert said(peer) == []


def test_a_result_of_a_batch_that_json_cannot_hold_raises_at_once() -> None:
    peer = Peer()
    tell(peer, [ask(1)])
    with pytest.raises(TypeError):
        peer.respond(1, object())
    peer.respond(1, "b")
    assert [codes(batch) for batch in said(peer)] == [[(1, None)]]


def test_a_fatal_framing_error_is_answered_and_ends_the_conversation() -> None:
    peer = Peer(Headers())
    peer.request("a")
    peer.data_to_send()
    malformed, closed = tell(peer, b"nonsense\r\n\r\n")
    assert isinstance(malformed, Malformed)
    assert closed == Closed("they sent a header without a readable Content-Length", (0,))
    [answer] = peer.data_to_send()
    assert b"-32700" in answer
    assert tell(peer, Headers().frame(b"{}")) == []


def test_a_skipped_line_is_a_parse_error_and_the_conversation_goes_on() -> None:
    peer = Peer(Lines(max_message_bytes=50))
    peer.receive_data(b"x" * 60 + b'\n{"jsonrpc":"2.0","method":"a","id":1}\n')
    peer.respond(1, 1)
    assert codes(said(peer)) == [(None, ErrorCode.PARSE_ERROR), (1, None)]


def test_a_last_line_without_its_end_is_read_at_the_end() -> None:
    peer = Peer(Lines())
    peer.receive_data(b'{"jsonrpc":"2.0","method":"a"}')
    assert peer.events_received() == []
    peer.receive_eof()
    assert peer.events_received() == [Notification(method="a")]


def test_after_the_close_nothing_goes_in_or_out() -> None:
    peer = Peer()
    tell(peer, ask(1))
    peer.close("enough")
    peer.respond(1, "yes")
    peer.notify("a")
    peer.request("b")
    peer.receive_eof()
    assert said(peer) == []
    assert tell(peer, ask(2)) == [Closed("enough", ())]

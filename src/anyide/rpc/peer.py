"""One end of a JSON-RPC conversation, without I/O. Both ends are the same class.

Bytes go in by `receive_data` and come out of `data_to_send`; what they mean comes out of
`events_received`. The peer owns the ids, the table of requests that wait for an answer in either
direction, the answers of a batch, and what a malformed message gets.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, Struct

from anyide.errors import FramingError
from anyide.rpc.framing import Framing, Whole
from anyide.rpc.message import (
    ErrorCode,
    ErrorDetail,
    ErrorResponse,
    Id,
    Malformed,
    Message,
    Notification,
    Request,
    Response,
    encode,
    parse,
)


class CancelRule(Struct, frozen=True):
    """How a protocol says that a request is not wanted any more.

    `answer_code` is the error that a cancelled request is still answered with (LSP); None: it gets
    no answer (MCP).
    """

    method: str
    id_field: str
    answer_code: int | None = None


class Cancelled(Struct, frozen=True):
    """They do not want the answer to a request of theirs any more."""

    id: Id


class Stray(Struct, frozen=True):
    """An answer to nothing that waits: unknown, already answered, or cancelled by us."""

    response: Response | ErrorResponse


class Closed(Struct, frozen=True):
    """Nothing more comes; `lost` are our requests that get no answer any more."""

    reason: str
    lost: tuple[Id, ...]


Event = Message | Cancelled | Malformed | Stray | Closed


class _Batch:
    """The answers of one batch, sent together when the last one is there."""

    __slots__ = ("answers", "open")

    def __init__(self) -> None:
        self.answers: list[Response | ErrorResponse] = []
        self.open = 0


class Peer:
    """One end of a conversation; every method returns at once and none does I/O."""

    def __init__(self, framing: Framing | None = None, *, cancel: CancelRule | None = None) -> None:
        self._framing = framing or Whole()
        self._cancel_rule = cancel
        self._next_id = 0
        self._ours: set[Id] = set()
        self._theirs: dict[Id, _Batch | None] = {}
        self._events: list[Event] = []
        self._out: list[bytes] = []
        self.is_closed = False

    # What comes in.

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the other side; never raises, whatever they are."""
        if not self.is_closed:
            self._receive_all(self._framing.receive(data))

    def receive_eof(self) -> None:
        """Take the end of their bytes, which may make a last message whole; never raises."""
        if not self.is_closed:
            self._receive_all(self._framing.receive_eof())

    def close(self, reason: str) -> None:
        """End the conversation: nothing goes in or out any more, what waits is lost."""
        if self.is_closed:
            return
        self.is_closed = True
        lost = tuple(self._ours)
        self._ours.clear()
        self._theirs.clear()
        self._events.append(Closed(reason, lost))

    def events_received(self) -> list[Event]:
        """What the bytes so far have said, each once, in order."""
        events, self._events = self._events, []
        return events

    # What goes out.

    def data_to_send(self) -> list[bytes]:
        """What is to be sent now, each once, in order."""
        out, self._out = self._out, []
        return out

    def request(self, method: str, params: Any = UNSET) -> Id:
        """Ask; the answer comes as an event under the returned id."""
        identity = self._next_id
        self._send(Request(method=method, id=identity, params=params))
        self._next_id += 1
        self._ours.add(identity)
        return identity

    def notify(self, method: str, params: Any = UNSET) -> None:
        """Say something that wants no answer."""
        self._send(Notification(method=method, params=params))

    def respond(self, identity: Id, result: Any) -> None:
        """Answer a request of theirs; one that does not wait any more is passed over.

        Raises TypeError, ValueError or RecursionError for a result that JSON cannot hold; the
        request then still waits.
        """
        if identity in self._theirs:
            self._answer(Response(id=identity, result=result))

    def respond_error(self, identity: Id, code: int, message: str, data: Any = UNSET) -> None:
        """Answer a request of theirs with an error; raises as `respond` does."""
        if identity in self._theirs:
            self._answer(ErrorResponse(id=identity, error=ErrorDetail(code, message, data)))

    def cancel(self, identity: Id) -> None:
        """Give up a request of ours: its answer is stray from now on, and they are told."""
        if identity not in self._ours:
            return
        self._ours.discard(identity)
        if self._cancel_rule is not None:
            self.notify(self._cancel_rule.method, {self._cancel_rule.id_field: identity})

    # Inside.

    def _receive_all(self, messages: list[bytes | FramingError]) -> None:
        for message in messages:
            if isinstance(message, FramingError):
                self._receive_broken(message)
            else:
                self._receive_message(message)

    def _send(self, message: Message | list[Response | ErrorResponse]) -> None:
        data = encode(message)
        if not self.is_closed:
            self._out.append(self._framing.frame(data))

    def _receive_broken(self, problem: FramingError) -> None:
        malformed = Malformed(code=ErrorCode.PARSE_ERROR, problem=str(problem))
        self._events.append(malformed)
        self._send(malformed.response())
        if problem.fatal:
            self.close(f"they sent {problem}")

    def _receive_message(self, data: bytes) -> None:
        parsed = parse(data)
        if isinstance(parsed, list):
            self._receive_batch(parsed)
        else:
            self._receive(parsed, None)

    def _receive_batch(self, members: list[Message | Malformed]) -> None:
        batch = _Batch()
        batch.open = 1  # held open until every member is read
        for member in members:
            self._receive(member, batch)
        self._settle(batch)

    def _receive(self, message: Message | Malformed, batch: _Batch | None) -> None:
        if isinstance(message, Request):
            self._receive_request(message, batch)
        elif isinstance(message, Notification):
            self._receive_notification(message)
        elif isinstance(message, Malformed):
            self._receive_malformed(message, batch)
        elif message.id in self._ours:
            self._ours.discard(message.id)
            self._events.append(message)
        else:
            self._events.append(Stray(message))

    def _receive_request(self, request: Request, batch: _Batch | None) -> None:
        if request.id in self._theirs:
            # The id stays null, so that the first request under it keeps its one answer.
            problem = f"a request with the id {request.id!r} waits already"
            self._receive_malformed(
                Malformed(code=ErrorCode.INVALID_REQUEST, problem=problem), batch
            )
            return
        self._theirs[request.id] = batch
        if batch is not None:
            batch.open += 1
        self._events.append(request)

    def _receive_notification(self, notification: Notification) -> None:
        rule = self._cancel_rule
        if rule is None or notification.method != rule.method:
            self._events.append(notification)
            return
        identity = _cancelled_id(notification, rule)
        if identity is None or identity not in self._theirs:
            return  # answered already: the two crossed on the way
        self._events.append(Cancelled(identity))
        if rule.answer_code is not None:
            self.respond_error(identity, rule.answer_code, "cancelled")
        elif (batch := self._theirs.pop(identity)) is not None:
            self._settle(batch)

    def _receive_malformed(self, malformed: Malformed, batch: _Batch | None) -> None:
        self._events.append(malformed)
        if not malformed.answer:
            return
        if batch is None:
            self._send(malformed.response())
        else:
            batch.answers.append(malformed.response())

    def _answer(self, response: Response | ErrorResponse) -> None:
        assert response.id is not None
        batch = self._theirs[response.id]
        if batch is None:
            self._send(response)
            del self._theirs[response.id]
            return
        encode(response)  # what cannot be sent must raise now, not when the batch is whole
        batch.answers.append(response)
        del self._theirs[response.id]
        self._settle(batch)

    def _settle(self, batch: _Batch) -> None:
        batch.open -= 1
        if batch.open == 0 and batch.answers:
            self._send(batch.answers)


def _cancelled_id(notification: Notification, rule: CancelRule) -> Id | None:
    if notification.params is UNSET:
        return None
    try:
        fields = msgspec.json.decode(notification.params, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        return None
    identity = fields.get(rule.id_field)
    is_id = isinstance(identity, int | str) and not isinstance(identity, bool)
    return identity if is_id else None

"""Which turn a message belongs to.

A prompt has an id of ours, and the CLI names it in what comes back. It also starts turns by itself,
for example when a background task ends: those are turns that are not ours. Old CLIs name no ids:
with them the oldest prompt is the one that is answered.
"""

from __future__ import annotations

from collections.abc import Callable

from anyide.errors import AnyideError
from anyide.headless.failure import of_result
from anyide.headless.inbox import MAX_UNREAD_BYTES, Inbox
from anyide.headless.messages import Assistant, Message, Result, StreamEvent, User
from anyide.headless.notice import Init, SessionStateChanged, Status
from anyide.headless.report import CommandLifecycle, RateLimitEvent, RateLimitInfo
from anyide.headless.turn import Turn

_OF_A_TURN = (StreamEvent, Assistant, User, Init, Status)


class Turns:
    """The turns that are not over, and which of them is running."""

    def __init__(self, *, max_unread_bytes: int = MAX_UNREAD_BYTES) -> None:
        self._max_unread_bytes = max_unread_bytes
        self._names_ids = False
        self._spent = 0.0
        self.open: dict[str, Turn] = {}
        self.current: Turn | None = None
        self.limit: RateLimitInfo | None = None
        self.stray: Result | None = None
        self.unprompted: Callable[[Turn], None] = lambda turn: turn.inbox.discard()
        self.outside: Callable[[Message], None] = lambda message: None
        self.session_id = ""
        self.state = ""

    def add(self, uuid: str) -> Turn:
        """A prompt of ours was sent."""
        turn = self.open[uuid] = self._make(uuid, is_ours=True)
        return turn

    def drop(self, uuid: str) -> None:
        """A prompt of ours could not be sent: nothing will answer it."""
        self.open.pop(uuid, None)

    def fail(self, error: AnyideError) -> None:
        """No turn will get a result any more."""
        for turn in {*self.open.values(), *([self.current] if self.current else [])}:
            turn.end(turn.notes.reply(None, spent_before=self._spent), error)
        self.open.clear()
        self.current = None

    def put(self, message: Message) -> None:
        """Give a message to its turn."""
        if isinstance(message, Init):
            self.session_id = message.session_id or self.session_id
        elif isinstance(message, SessionStateChanged):
            self.state = message.state
        if isinstance(message, CommandLifecycle):
            self._follow(message)
        elif isinstance(message, Result):
            self._finish(message)
        else:
            self._deliver(message)

    def put_streamed(self, messages: list[Message], size: int) -> None:
        """Give stream events that name no prompt to the turn that runs."""
        if self.current is None:
            self.current = self._begin_unnamed()
        self.current.inbox.put_all(messages, size)

    def _deliver(self, message: Message) -> None:
        if isinstance(message, RateLimitEvent):
            self.limit = message.rate_limit_info
        named = self._named(message)
        if named is not None:
            self.current = named
        elif self.current is None and _belongs_to_a_turn(message):
            self.current = self._begin_unnamed()
        if self.current is None:
            self.outside(message)
        else:
            self.current.put(message)

    def _named(self, message: Message) -> Turn | None:
        uuid = getattr(message, "user_message_uuid", None)
        uuids = getattr(message, "user_message_uuids", None) or ([uuid] if uuid else ())
        if not uuids:
            return None
        self._names_ids = True
        return next((self.open[uuid] for uuid in uuids if uuid in self.open), None)

    def _begin_unnamed(self) -> Turn:
        if self.open and not self._names_ids:
            return next(iter(self.open.values()))
        turn = self._make("", is_ours=False)
        self.unprompted(turn)
        return turn

    def _follow(self, message: CommandLifecycle) -> None:
        self._names_ids = True
        turn = self.open.get(message.command_uuid)
        if turn is not None and message.state == "started" and self.current is None:
            self.current = turn
        if turn is not None and message.state == "cancelled" and turn is not self.current:
            self._close(turn, Result(subtype="cancelled", terminal_reason="aborted_streaming"))
        self.outside(message)

    def _finish(self, result: Result) -> None:
        turns = self._ended_by(result)
        if self.current in turns:
            self.current = None
        if not turns:
            self.stray = result
            self.outside(result)
        for turn in turns:
            turn.put(result)
            self._close(turn, result)
        self._spent = float(result.total_cost_usd or self._spent)

    def _ended_by(self, result: Result) -> list[Turn]:
        uuids = result.user_message_uuids or [result.user_message_uuid or ""]
        named = [self.open[uuid] for uuid in uuids if uuid in self.open]
        if named:
            return named
        # A result that something else than a prompt caused ends no turn of ours.
        is_own = result.origin is not None and result.origin.kind not in ("", "human")
        if self.current is not None and not (is_own and self.current.is_ours):
            return [self.current]
        return [] if is_own or self._names_ids else list(self.open.values())[:1]

    def _close(self, turn: Turn, result: Result) -> None:
        self.open.pop(turn.uuid, None)
        reply = turn.notes.reply(result, spent_before=self._spent)
        error = of_result(result, reply, cause=turn.notes.error, limit=self.limit)
        turn.end(reply, error)

    def _make(self, uuid: str, *, is_ours: bool) -> Turn:
        return Turn(uuid, is_ours=is_ours, inbox=Inbox(self._max_unread_bytes))


def _belongs_to_a_turn(message: Message) -> bool:
    if isinstance(message, Status):
        return message.status is not None
    if isinstance(message, User):
        return not message.is_replay
    return isinstance(message, _OF_A_TURN)

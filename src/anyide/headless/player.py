"""Replaying a recorded session without a CLI.

    async with Claude(connect=replay("session.jsonl")) as claude: ...

The recording goes on when what the application said then is said again: a prompt, a control request
of the same kind, an answer to the same question. The ids of now stand in for those of then.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from anyide.errors import ConnectionClosed
from anyide.headless.link import Connect, Link
from anyide.headless.options import Options
from anyide.headless.record import APP, Entry, read_recording

Key = tuple[str, str]


def replay(path: str | os.PathLike[str], *, original_speed: bool = False) -> Connect:
    """A wire to a recording, for `Claude(connect=…)`."""
    entries = read_recording(path)

    async def connect(link: Link, options: Options, asks_permission: bool) -> None:
        link.attached(Player(link, entries, original_speed=original_speed))

    return connect


class Player:
    """A transport that plays the part of the CLI."""

    def __init__(self, link: Link, entries: Sequence[Entry], *, original_speed: bool) -> None:
        self._link = link
        self._entries = entries
        self._original_speed = original_speed
        self._loop = asyncio.get_running_loop()
        self._at = 0
        self._said: dict[Key, list[dict[str, Any]]] = {}
        self._ids: dict[bytes, bytes] = {}
        self._is_closed = False
        self._scheduled: asyncio.Handle | None = None
        self._left = Counter(_key(_json(e)) for e in entries if e.speaker == APP)

    # As a transport.

    def send(self, messages: Sequence[bytes]) -> None:
        """Hear what the application says."""
        for line in b"".join(messages).splitlines():
            message = msgspec.json.decode(line)
            key = _key(message)
            self._left[key] -= 1
            if self._left[key] < 0:
                self._not_recorded(message)
            else:
                self._said.setdefault(key, []).append(message)
        self._schedule()

    async def drain(self) -> None:
        """A recording takes everything at once."""

    def pause_reading(self) -> None:
        """A recording does not stop."""

    def resume_reading(self) -> None:
        """A recording does not stop."""

    def close(self, code: int = 1000, reason: str = "") -> None:
        """End the play."""
        if not self._is_closed:
            self._is_closed = True
            self._link.lost(ConnectionClosed("the replay was closed"))

    # The play.

    def _schedule(self) -> None:
        if self._scheduled is None and not self._is_closed:
            self._scheduled = self._loop.call_soon(self._play)

    def _play(self) -> None:
        self._scheduled = None
        while not self._is_closed and self._at < len(self._entries):
            entry = self._entries[self._at]
            if entry.speaker == APP:
                if not self._hear(_json(entry)):
                    return
                self._at += 1
                continue
            self._at += 1
            self._say(entry)
            if self._waits(entry):
                return
        if self._at >= len(self._entries) and not self._is_closed:
            self._is_closed = True
            self._link.lost(ConnectionClosed("the recording is over"))

    def _hear(self, then: dict[str, Any]) -> bool:
        waiting = self._said.get(_key(then))
        if not waiting:
            return False
        now = waiting.pop(0)
        for name in ("request_id", "uuid"):
            if then.get(name) and now.get(name):
                self._ids[str(then[name]).encode()] = str(now[name]).encode()
        return True

    def _say(self, entry: Entry) -> None:
        line = bytes(entry.line) or entry.text.encode()
        if self._ids:
            # All at once: an id of now may be another's of then.
            then = b"|".join(map(re.escape, self._ids))
            line = re.sub(b'"(%b)"' % then, lambda found: b'"%b"' % self._ids[found[1]], line)
        self._link.received(line + b"\n")

    def _waits(self, entry: Entry) -> bool:
        """At the original speed, wait as long as it took then."""
        if not self._original_speed or self._at >= len(self._entries):
            return False
        pause = self._entries[self._at].at - entry.at
        if pause > 0 and self._entries[self._at].speaker != APP:
            self._scheduled = self._loop.call_later(pause, self._play)
            return True
        return False

    def _not_recorded(self, message: dict[str, Any]) -> None:
        if message.get("type") == "control_request":
            subtype = message["request"].get("subtype")
            answer = {
                "subtype": "error",
                "request_id": message["request_id"],
                "error": f"the recording has no answer to {subtype!r}",
            }
            line = msgspec.json.encode({"type": "control_response", "response": answer})
            self._loop.call_soon(self._link.received, line + b"\n")
        elif message.get("type") == "user":
            self._is_closed = True
            self._loop.call_soon(
                self._link.lost, ConnectionClosed("the recording has no answer to this prompt")
            )


def _json(entry: Entry) -> dict[str, Any]:
    found = msgspec.json.decode(entry.line) if bytes(entry.line) else {}
    return found if isinstance(found, dict) else {}


def _key(message: dict[str, Any]) -> Key:
    kind = str(message.get("type"))
    if kind == "control_request":
        return kind, str(message["request"].get("subtype"))
    if kind == "control_response":
        return kind, str(message["response"].get("request_id"))
    return kind, ""

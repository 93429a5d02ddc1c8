"""What was said in a stored session, as updates: for `session/load`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from anyide.acp.messages import SessionUpdate, UserMessageChunk
from anyide.acp.prompt import from_claude
from anyide.acp.translate import Translator
from anyide.headless.decode import decode
from anyide.headless.messages import Assistant, User, text_of

NO_RESPONSE = "No response requested."
_MACHINES = frozenset({"task-notification", "auto-continuation"})
# What the CLI wrote for itself.
_NOT_SAID = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly")


def replay(path: Path, translator: Translator) -> Iterator[SessionUpdate]:
    """The updates of a whole session, in order; the translator then knows what was told."""
    with path.open("rb") as file:
        for line in file:
            # Most entries are not what was said: those are not decoded.
            if b'"user"' in line or b'"assistant"' in line:
                yield from _entry(line, translator)
    yield from translator.calls.abandon()


def _entry(line: bytes, translator: Translator) -> Iterator[SessionUpdate]:
    message = decode(line)
    if not isinstance(message, Assistant | User):
        return
    entry = message.json
    if any(entry.get(name) for name in _NOT_SAID) or _is_filler(message):
        return
    yield from translator.translate(message)
    if isinstance(message, User) and _is_persons(message):
        yield from _typed(entry)


def _is_filler(message: Assistant | User) -> bool:
    """The CLI fills a gap with words of its own, so that turns alternate."""
    is_synthetic = isinstance(message, Assistant) and message.model == "<synthetic>"
    return is_synthetic and text_of(message.content) == NO_RESPONSE


def _is_persons(message: User) -> bool:
    return message.origin is None or message.origin.kind not in _MACHINES


def _typed(entry: dict[str, Any]) -> Iterator[SessionUpdate]:
    said = entry.get("message")
    content = said.get("content") if isinstance(said, dict) else None
    for block in from_claude(content):
        yield UserMessageChunk(content=block, message_id=str(entry.get("uuid") or "") or None)

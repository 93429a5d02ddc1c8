"""A line of the CLI as a message. Never raises: what makes no sense comes as `Unknown` or `Noise`.

The quick way decodes straight into the union of all messages. A line that does not fit goes the
tolerant way: each field by itself, what does not fit is left at its default, unknown parts become
`Unknown`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast

import msgspec
from msgspec import structs

from anyide.headless.control import ControlCancelRequest, ControlRequest, ControlResponse
from anyide.headless.messages import (
    Assistant,
    Json,
    Message,
    Noise,
    Result,
    StreamEvent,
    Unknown,
    User,
)
from anyide.headless.notice import NOTICES, Notice
from anyide.headless.report import (
    ActiveGoal,
    AuthStatus,
    CommandLifecycle,
    ConversationReset,
    KeepAlive,
    PromptSuggestion,
    RateLimitEvent,
    ToolProgress,
    ToolUseSummary,
    TranscriptMirror,
)
from anyide.headless.tolerant import MISSING, build

KINDS: dict[str, type[Message]] = {
    "stream_event": StreamEvent,
    "assistant": Assistant,
    "user": User,
    "result": Result,
    "system": Notice,
    "rate_limit_event": RateLimitEvent,
    "tool_progress": ToolProgress,
    "auth_status": AuthStatus,
    "tool_use_summary": ToolUseSummary,
    "prompt_suggestion": PromptSuggestion,
    "conversation_reset": ConversationReset,
    "active_goal": ActiveGoal,
    "command_lifecycle": CommandLifecycle,
    "transcript_mirror": TranscriptMirror,
    "keep_alive": KeepAlive,
    "control_request": ControlRequest,
    "control_response": ControlResponse,
    "control_cancel_request": ControlCancelRequest,
}
_ANY = (
    StreamEvent
    | Assistant
    | User
    | Result
    | Notice
    | RateLimitEvent
    | ToolProgress
    | AuthStatus
    | ToolUseSummary
    | PromptSuggestion
    | ConversationReset
    | ActiveGoal
    | CommandLifecycle
    | TranscriptMirror
    | KeepAlive
    | ControlRequest
    | ControlResponse
    | ControlCancelRequest
)
_decode = msgspec.json.Decoder(_ANY).decode
_decode_any = msgspec.json.Decoder().decode
_set = structs.force_setattr


def decode(line: bytes) -> Message:
    """The message in a line."""
    try:
        message: Message = _decode(line)
        if type(message) is Notice:
            return _notice(message, line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _tolerant(line)
    _set(message, "raw", line)
    return message


def encode(message: Message) -> bytes:
    """The line of a message: the one that it came in, or a new one."""
    return message.raw or msgspec.json.encode(message)


def _notice(notice: Notice, line: bytes) -> Message:
    decode_notice = _notice_decoder(notice.subtype)
    if decode_notice is None:
        return Unknown(
            kind="system",
            subtype=notice.subtype,
            uuid=notice.uuid,
            session_id=notice.session_id,
            raw=line,
        )
    message = decode_notice(line)
    if b'"data"' in line and not message.session_id:
        return _tolerant(line)  # the old shape: the fields are inside `data`
    _set(message, "raw", line)
    return message


@lru_cache(maxsize=2 * len(NOTICES))
def _notice_decoder(subtype: str) -> Callable[[bytes], Notice] | None:
    # Made when it is needed: all of them would be half the time of the import.
    kind = NOTICES.get(subtype)
    return None if kind is None else msgspec.json.Decoder(kind).decode


def _tolerant(line: bytes) -> Message:
    try:
        data = _decode_any(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return Noise(raw=line, problem=f"not JSON: {error}")
    if not isinstance(data, dict):
        return Noise(raw=line, problem="not a JSON object")
    try:
        return _from_object(data, line)
    except RecursionError:
        return Noise(raw=line, problem="nested too deeply")


def _from_object(data: Json, line: bytes) -> Message:
    kind = _kind(data)
    if kind is not None and issubclass(kind, Notice) and isinstance(data.get("data"), dict):
        data = {**data["data"], **data}
    built = MISSING if kind is None else build(kind, data)
    if built is MISSING:
        return _unknown(data, line)
    message = cast("Message", built)
    _set(message, "raw", line)
    return message


def _kind(data: Json) -> type[Message] | None:
    name, subtype = data.get("type"), data.get("subtype")
    if name == "system":
        return NOTICES.get(subtype) if isinstance(subtype, str) else None
    return KINDS.get(name) if isinstance(name, str) else None


def _unknown(data: Json, line: bytes) -> Unknown:
    return Unknown(
        kind=_text(data.get("type")),
        subtype=_text(data.get("subtype")),
        uuid=_text(data.get("uuid")) or None,
        session_id=_text(data.get("session_id")) or None,
        raw=line,
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from anyide.headless import report
from anyide.headless.decode import KINDS, decode
from anyide.headless.messages import Message
from anyide.headless.report import (
    AuthStatus,
    CommandLifecycle,
    RateLimitEvent,
    RateLimitInfo,
    ToolProgress,
    TranscriptMirror,
)

REPORTS = [
    kind
    for kind in vars(report).values()
    if isinstance(kind, type) and issubclass(kind, Message) and kind is not Message
]


@pytest.mark.parametrize("kind", REPORTS)
def test_every_report_is_decoded_by_its_type(kind: type[Message]) -> None:
    tag = str(kind.__struct_config__.tag)
    assert KINDS[tag] is kind
    line = msgspec.json.encode({"type": tag, "uuid": "u", "a_new_field": [1]})
    message = decode(line)
    assert type(message) is kind
    assert (message.uuid, message.raw) == ("u", line)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            {"type": "rate_limit_event", "rate_limit_info": {"status": "new", "resetsAt": 1.5}},
            RateLimitEvent(rate_limit_info=RateLimitInfo(status="new", resets_at=1.5)),
        ),
        (
            {"type": "rate_limit_event", "rate_limit_info": {"isUsingOverage": True}},
            RateLimitEvent(rate_limit_info=RateLimitInfo(is_using_overage=True)),
        ),
        (
            {"type": "auth_status", "isAuthenticating": True, "output": ["visit"]},
            AuthStatus(is_authenticating=True, output=["visit"]),
        ),
        (
            {"type": "tool_progress", "tool_use_id": "t", "elapsed_time_seconds": 2.5},
            ToolProgress(tool_use_id="t", elapsed_time_seconds=2.5),
        ),
        (
            {"type": "command_lifecycle", "command_uuid": "u", "state": "started"},
            CommandLifecycle(command_uuid="u", state="started"),
        ),
        (
            {"type": "transcript_mirror", "filePath": "/f", "entries": [{"a": 1}]},
            TranscriptMirror(file_path="/f", entries=[{"a": 1}]),
        ),
    ],
)
def test_a_report_is_read_by_the_names_of_the_wire(line: dict[str, Any], message: Message) -> None:
    found = decode(msgspec.json.encode(line))
    assert msgspec.structs.replace(found, raw=b"") == message
    assert message.json == line


def test_a_rate_limit_that_does_not_fit_is_still_a_rate_limit() -> None:
    info = {"status": "rejected", "resetsAt": "tomorrow", "utilization": None}
    found = decode(msgspec.json.encode({"type": "rate_limit_event", "rate_limit_info": info}))
    assert isinstance(found, RateLimitEvent)
    assert found.rate_limit_info == RateLimitInfo(status="rejected")

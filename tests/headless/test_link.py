"""How a session ends; what comes and goes while it lasts is in test_session.py."""

from __future__ import annotations

import pytest

from anyide.errors import ClaudeError, ConnectionClosed
from anyide.headless.link import Link
from anyide.headless.turns import Turns


@pytest.mark.parametrize("reason", ["the process does not read its input", "the recording is over"])
def test_why_the_wire_was_lost_is_in_the_error(reason: str) -> None:
    errors: list[ClaudeError] = []
    link = Link(Turns(), errors.append)
    link.lost(ConnectionClosed(reason))
    assert [str(error) for error in errors] == [f"the session ended: {reason}"]
    assert link.error is errors[0]


async def test_a_session_that_we_close_says_so_and_nothing_else() -> None:
    errors: list[ClaudeError] = []
    link = Link(Turns(), errors.append)
    await link.close()
    link.lost(ConnectionClosed("the process ended with exit code 0"))
    assert [str(error) for error in errors] == ["the session was closed before this was answered"]

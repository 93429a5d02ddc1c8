"""The errors that the protocol gives codes of their own, and the CLI's end."""

from __future__ import annotations

from anyide.errors import ClaudeError, RpcError
from anyide.rpc.message import ErrorCode


class AuthRequired(RpcError):
    """Nobody is logged in."""

    def __init__(self, what: str) -> None:
        super().__init__(-32000, f"Authentication required: {what}")


class NotFound(RpcError):
    """There is no such session."""

    def __init__(self, what: str) -> None:
        super().__init__(-32002, f"Resource not found: {what}")


class CliEnded(RpcError):
    """The CLI ended in a turn; `was_heard` tells whether it had said anything in it."""

    def __init__(self, error: ClaudeError, *, was_heard: bool) -> None:
        self.was_heard = was_heard
        again = "the next prompt starts it again and goes on with the session"
        super().__init__(ErrorCode.INTERNAL_ERROR, f"{error}; {again}")

"""Every error that anyide raises on purpose, in one tree.

    AnyideError                  the root: its text is a sentence a person can act on
    ├── UsageError               what was typed is wrong; the command line exits with 2
    │   └── ConfigError          a setting is wrong; names file and line, or the variable
    ├── StateError               what we keep on disk cannot be read or written
    ├── FramingError             their bytes are not a message: which limit or rule was broken
    ├── RpcError                 an error answer: given by a handler, or got by a request
    │   ├── InvalidParams        the arguments of a call are wrong; names the argument
    │   └── MethodNotFound       the other side does not know the method
    ├── InvalidAnswer            their answer is not of the kind that was asked for
    ├── RequestTimeout           the other side did not answer in time; the conversation goes on
    ├── ConnectionClosed         the conversation is over, and why
    │   └── ConnectFailed        it never began: nobody there, or we were refused
    ├── EditorError              the editor cannot do what was asked; the conversation goes on
    │   ├── EditorGone           the editor went away: nothing was decided
    │   └── OutsideWorkspace     a path leads out of the workspace folders
    ├── IdeNotFound              no running IDE serves this folder
    └── ClaudeNotFound           the Claude Code CLI is not installed

Foreign errors are translated into these once, at the transport; a handler's, at the connection.
"""

from __future__ import annotations

from typing import Any


class AnyideError(Exception):
    """The root of everything anyide raises on purpose."""


class UsageError(AnyideError):
    """What a person typed is wrong."""


class ConfigError(UsageError):
    """A setting is wrong; `source` says which file or variable, `line` where in it."""

    def __init__(self, problem: str, *, source: str, line: int | None = None) -> None:
        self.problem = problem
        self.source = source
        self.line = line
        place = source if line is None else f"{source}, line {line}"
        super().__init__(f"{place}: {problem}")


class StateError(AnyideError):
    """What we keep on disk cannot be read or written."""


class FramingError(AnyideError):
    """Bytes from the other side that are not a message.

    `fatal` tells whether the stream lost its place, so that nothing after it can be read.
    """

    def __init__(self, problem: str, *, fatal: bool) -> None:
        self.fatal = fatal
        super().__init__(problem)


class RpcError(AnyideError):
    """A JSON-RPC error answer.

    A handler raises it to give that answer; a request of ours raises it when it got one.
    """

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        self.code = code
        self.message = message
        self.data = data
        super().__init__(f"{message} ({code})")


class InvalidParams(RpcError):
    """The arguments of a call are wrong."""

    def __init__(self, message: str, data: Any = None) -> None:
        super().__init__(-32602, message, data)


class MethodNotFound(RpcError):
    """The other side does not know the method."""

    def __init__(self, message: str = "Method not found", data: Any = None) -> None:
        super().__init__(-32601, message, data)


class InvalidAnswer(AnyideError):
    """Their answer is not of the kind that was asked for."""

    def __init__(self, method: str, problem: str) -> None:
        self.method = method
        super().__init__(f"the answer to {method!r} makes no sense: {problem}")


class RequestTimeout(AnyideError):
    """The other side did not answer in time; the conversation goes on."""

    def __init__(self, method: str, seconds: float) -> None:
        self.method = method
        self.seconds = seconds
        super().__init__(f"no answer to {method!r} within {seconds:g} s")


class ConnectionClosed(AnyideError):
    """The conversation is over; `reason` says why, `code` is the WebSocket close code, if any."""

    def __init__(self, reason: str, *, code: int | None = None) -> None:
        self.reason = reason
        self.code = code
        super().__init__(reason if code is None else f"{reason} (close code {code})")


class ConnectFailed(ConnectionClosed):
    """The conversation never began; `status` is the HTTP status of a refusal."""

    def __init__(self, reason: str, *, status: int | None = None) -> None:
        self.status = status
        super().__init__(reason)


class EditorError(AnyideError):
    """The editor cannot do what was asked; the conversation goes on."""


class EditorGone(EditorError):
    """The editor went away: what was pending is not decided."""


class OutsideWorkspace(EditorError):
    """A path leads out of the workspace folders, by name or by symbolic link."""


class IdeNotFound(AnyideError):
    """No running IDE serves this folder."""


class ClaudeNotFound(AnyideError):
    """The Claude Code CLI is not installed, or not where it was said to be."""

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
    ├── ClaudeNotFound           the Claude Code CLI is not installed
    └── ClaudeError              the Claude Code CLI failed, or a turn of it
        ├── ClaudeTooOld         this CLI cannot do what is needed
        ├── ClaudeExited         the CLI ended; its exit code and the tail of its stderr
        │   ├── ClaudeKilled     a signal ended it
        │   └── NoResult         it ended by itself, without the result of a turn
        ├── ProtocolBroken       what the CLI says makes no sense
        ├── ControlFailed        the CLI refused a control request
        └── TurnFailed           a turn ended with an error; what was said before is in `reply`
            ├── RateLimited      a rate limit is reached; when it resets
            ├── BudgetReached    the turn cost as much as it may
            ├── TurnLimitReached  the turn took as many steps as it may
            └── LoginNeeded      the API does not know who asks

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


class ClaudeError(AnyideError):
    """The Claude Code CLI failed, or a turn of it."""


class ClaudeTooOld(ClaudeError):
    """This CLI cannot do what is needed."""


class ClaudeExited(ClaudeError):
    """The CLI ended; `exit_code` is its code, `stderr` the tail of what it complained."""

    def __init__(self, problem: str, *, exit_code: int | None = None, stderr: str = "") -> None:
        self.exit_code = exit_code
        self.stderr = stderr
        said = stderr.strip()
        super().__init__(f"{problem}; it said: {said[-2000:]}" if said else problem)


class ClaudeKilled(ClaudeExited):
    """A signal ended the CLI; `signal` is its name."""

    def __init__(self, problem: str, *, exit_code: int, signal: str, stderr: str = "") -> None:
        self.signal = signal
        super().__init__(problem, exit_code=exit_code, stderr=stderr)


class NoResult(ClaudeExited):
    """The CLI ended by itself without the result of a turn."""


class ProtocolBroken(ClaudeError):
    """What the CLI says makes no sense."""


class ControlFailed(ClaudeError):
    """The CLI refused a control request; `code` is its name for the reason, if it gave one."""

    def __init__(self, subtype: str, message: str, *, code: str | None = None) -> None:
        self.subtype = subtype
        self.message = message
        self.code = code
        super().__init__(f"Claude Code refused {subtype!r}: {message}")


class TurnFailed(ClaudeError):
    """A turn ended with an error; `result` is the CLI's message, `reply` what was said before."""

    def __init__(self, problem: str, *, result: Any = None, reply: Any = None) -> None:
        self.result = result
        self.reply = reply
        super().__init__(problem)


class RateLimited(TurnFailed):
    """A rate limit is reached; `resets_at` is when it ends, in seconds since 1970, if known."""

    def __init__(
        self,
        problem: str,
        *,
        resets_at: float | None = None,
        result: Any = None,
        reply: Any = None,
    ) -> None:
        self.resets_at = resets_at
        super().__init__(problem, result=result, reply=reply)


class BudgetReached(TurnFailed):
    """The turn cost as much as it may."""


class TurnLimitReached(TurnFailed):
    """The turn took as many steps as it may."""


class LoginNeeded(TurnFailed):
    """The API does not know who asks."""

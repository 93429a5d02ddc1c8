"""How `anyide run` shows a turn: for people, as one JSON object, or as every message."""

from __future__ import annotations

import json
import sys
from typing import IO, Protocol

from anyide.headless import (
    Reply,
    Result,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ToolResult,
    ToolUse,
)
from anyide.headless.decode import encode
from anyide.headless.events import Event
from anyide.headless.messages import Message, StreamEvent

DIM, PLAIN = "\x1b[2m", "\x1b[0m"
MAX_LINE = 100
# The part of a tool's input that says most, in this order.
_TELLING = ("command", "file_path", "path", "pattern", "url", "query", "description", "prompt")


class View(Protocol):
    """Shows what comes: events, or messages as they are."""

    takes_messages: bool

    def event(self, event: Event) -> None:
        """Show an event of the turn."""
        ...

    def end(self, reply: Reply) -> None:
        """Show how the turn ended."""
        ...


class ForPeople:
    """Text as it streams, thinking dimmed, a line for each tool call, the cost at the end.

    Where nobody watches (`out` is no terminal) only the answer is printed, at the end.
    """

    takes_messages = False

    def __init__(self, *, quiet: bool, out: IO[str], err: IO[str]) -> None:
        self._out, self._err = out, err
        self._is_live = out.isatty()
        self._talks = not quiet and err.isatty()
        self._dim, self._plain = (DIM, PLAIN) if self._is_live else ("", "")
        self._streamed = False
        self._at_line_start = True

    def event(self, event: Event) -> None:
        """Show an event of the turn."""
        match event:
            case TextDelta(text=text) if self._is_live:
                self._streamed = True
                self._write(text)
            case ThinkingDelta(text=text) if self._is_live and self._talks:
                self._write(f"{self._dim}{text}{self._plain}", ends_line=text.endswith("\n"))
            case Text(text=text) if self._is_live:
                self._write("\n" if self._streamed else text + "\n")
                self._streamed = False
            case Thinking() if self._is_live and self._talks:
                self._fresh_line()
            case ToolUse():
                self._say(f"● {tool_line(event)}")
            case ToolResult(is_error=True):
                self._say(f"  ⎿ {_short(event.text)}")

    def end(self, reply: Reply) -> None:
        """Show how the turn ended."""
        if not self._is_live:
            self._out.write(reply.text if reply.text.endswith("\n") else reply.text + "\n")
            self._out.flush()
        stopped = "interrupted, " if reply.interrupted else ""
        self._say(f"{stopped}${reply.cost_usd:.4f}, {reply.duration_ms / 1000:.1f} s")

    def _write(self, text: str, *, ends_line: bool | None = None) -> None:
        self._out.write(text)
        self._out.flush()
        self._at_line_start = text.endswith("\n") if ends_line is None else ends_line

    def _fresh_line(self) -> None:
        if not self._at_line_start:
            self._write("\n")

    def _say(self, line: str) -> None:
        if self._is_live:
            self._fresh_line()
        if self._talks:
            self._err.write(f"{DIM}{line}{PLAIN}\n")
            self._err.flush()


class AsJson:
    """The result of the turn as one JSON object."""

    takes_messages = True

    def __init__(self, out: IO[str]) -> None:
        self._out = out

    def event(self, event: Event) -> None:
        """Print the result; nothing else."""
        if isinstance(event, Result):
            print(encode(event).decode(errors="replace"), file=self._out, flush=True)

    def end(self, reply: Reply) -> None:
        """The result was printed when it came."""


class AsLines:
    """Every message as the line it came in; deltas only when they are wanted."""

    takes_messages = True

    def __init__(self, out: IO[str], *, wants_partial: bool) -> None:
        self._out = out
        self._wants_partial = wants_partial

    def event(self, event: Event) -> None:
        """Print a message."""
        if not isinstance(event, Message):
            return
        if self._wants_partial or not isinstance(event, StreamEvent):
            print(encode(event).decode(errors="replace"), file=self._out, flush=True)

    def end(self, reply: Reply) -> None:
        """The result was printed when it came."""


def make_view(
    output_format: str, *, quiet: bool, wants_partial: bool, out: IO[str] | None = None
) -> View:
    """The view for an --output-format."""
    out = out or sys.stdout
    if output_format == "json":
        return AsJson(out)
    if output_format == "stream-json":
        return AsLines(out, wants_partial=wants_partial)
    return ForPeople(quiet=quiet, out=out, err=sys.stderr)


def tool_line(use: ToolUse) -> str:
    """A tool call in one line."""
    telling = next((str(use.input[name]) for name in _TELLING if name in use.input), "")
    given = telling or (json.dumps(use.input, ensure_ascii=False) if use.input else "")
    return _short(f"{use.name} {given}")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_LINE else line[: MAX_LINE - 1] + "…"

"""What Claude says in a session, as updates for the client. Pure.

The translator remembers what the client was told, so that nothing is told twice: text that streamed
is not sent again when its message is whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import structs

from anyide.acp import option
from anyide.acp.call import Calls
from anyide.acp.messages import (
    AgentMessageChunk,
    AgentThoughtChunk,
    AvailableCommandsUpdate,
    CompactionUpdate,
    ConfigOptionUpdate,
    Cost,
    CurrentModeUpdate,
    Notice,
    SessionInfoUpdate,
    SessionUpdate,
    StopReason,
    TextContent,
    UsageUpdate,
)
from anyide.acp.option import Choices
from anyide.acp.wishes import Wishes
from anyide.headless import notice
from anyide.headless.messages import (
    Assistant,
    Block,
    BlockDelta,
    BlockStart,
    Message,
    MessageChange,
    MessageStart,
    Number,
    Result,
    StreamEvent,
    StreamPart,
    TextBlock,
    TextPiece,
    ThinkingBlock,
    ThinkingPiece,
    ToolResultBlock,
    ToolUseBlock,
    Usage,
    User,
)
from anyide.headless.report import RateLimitEvent, ToolProgress

CONTEXT_TOKENS = 200_000
"""The size of the context until the CLI tells it."""


class Translator:
    """Turns messages of one session into updates."""

    def __init__(self, choices: Choices, wishes: Wishes | None = None) -> None:
        self.choices = choices
        self.calls = Calls()
        self._wishes = wishes or Wishes()
        self._message_id: str | None = None
        self._streamed: set[str] = set()
        self._used = 0
        self._size = CONTEXT_TOKENS
        self._compactions = 0
        self._limit_status = "allowed"
        self._ways: dict[type, Callable[[Any], Iterator[SessionUpdate]]] = {
            StreamEvent: self._stream,
            Assistant: self._assistant,
            User: self._user,
            Result: self._result,
            ToolProgress: lambda message: self.calls.run(message.tool_use_id),
            RateLimitEvent: self._rate_limit,
            notice.Init: self._mode,
            notice.Status: self._status,
            notice.CompactBoundary: self._compacted,
            notice.CommandsChanged: self._commands,
            notice.SessionTitleChanged: self._title,
            notice.LocalCommandOutput: lambda message: self._text(message.content),
            notice.ApiRetry: self._retry,
            notice.Informational: self._informational,
            notice.Notification: lambda message: self._notice("info", message.text),
            notice.TaskNotification: lambda message: self._notice("info", message.summary),
            notice.ModelRefusalFallback: lambda m: self._notice("warning", m.content),
            notice.SessionWritesLost: self._lost,
        }

    def translate(self, message: Message) -> Iterator[SessionUpdate]:
        """The updates that a message stands for."""
        way = self._ways.get(type(message))
        if way is not None:
            yield from way(message)

    def choose(self, **changes: Any) -> Iterator[SessionUpdate]:
        """Something else was chosen: mode, model or effort."""
        choices = structs.replace(self.choices, **changes)
        if choices == self.choices:
            return
        if choices.mode != self.choices.mode:
            yield CurrentModeUpdate(current_mode_id=choices.mode)
        self.choices = choices
        yield ConfigOptionUpdate(config_options=option.config_options(choices))

    # While it streams.

    def _stream(self, message: StreamEvent) -> Iterator[SessionUpdate]:
        if message.parent_tool_use_id is not None:
            return  # of a subagent: its calls are told when they are whole
        part = message.event
        if type(part) is BlockDelta:
            piece = part.delta
            if type(piece) is TextPiece:
                yield from self._text(piece.text)
            elif type(piece) is ThinkingPiece:
                yield from self._thought(piece.text)
        else:
            yield from self._frame(part)

    def _frame(self, part: StreamPart | None) -> Iterator[SessionUpdate]:
        """What stands around the pieces."""
        match part:
            case BlockStart(content_block=ToolUseBlock() as block):
                yield from self.calls.begin(block)
            case MessageStart(message=message):
                self._message_id = message.id
                self._streamed = {message.id} if message.id else set()
            case MessageChange(usage=usage):
                yield from self._usage(usage)

    def _text(self, text: str) -> Iterator[SessionUpdate]:
        if text:
            yield AgentMessageChunk(content=TextContent(text=text), message_id=self._message_id)

    def _thought(self, text: str) -> Iterator[SessionUpdate]:
        if text:
            yield AgentThoughtChunk(content=TextContent(text=text), message_id=self._message_id)

    # Whole messages.

    def _assistant(self, message: Assistant) -> Iterator[SessionUpdate]:
        identity = message.message.id if message.message else None
        is_told = identity in self._streamed
        if not is_told and message.parent_tool_use_id is None:
            self._message_id = identity
        for block in message.content:
            if isinstance(block, ToolUseBlock):
                yield from self._use(block, message.parent_tool_use_id)
            elif not is_told and message.parent_tool_use_id is None:
                yield from self._block(block)

    def _block(self, block: Block) -> Iterator[SessionUpdate]:
        if isinstance(block, TextBlock):
            yield from self._text(block.text)
        elif isinstance(block, ThinkingBlock):
            yield from self._thought(block.thinking)

    def _use(self, block: ToolUseBlock, parent: str | None) -> Iterator[SessionUpdate]:
        yield from self.calls.use(block.id, block.name, block.input, parent=parent)

    def _user(self, message: User) -> Iterator[SessionUpdate]:
        for block in message.content:
            if isinstance(block, ToolResultBlock):
                yield from self.calls.end(block)

    def _result(self, message: Result) -> Iterator[SessionUpdate]:
        for usage in (message.model_usage or {}).values():
            if usage.context_window:
                self._size = int(usage.context_window)
                break
        cost = message.total_cost_usd
        told = Cost(amount=float(cost), currency="USD") if cost is not None else None
        yield UsageUpdate(used=self._used, size=self._size, cost=told)
        yield from self.calls.abandon()

    def _usage(self, usage: Usage | None) -> Iterator[SessionUpdate]:
        if usage is None:
            return
        self._used = sum(
            _count(tokens)
            for tokens in (
                usage.input_tokens,
                usage.cache_read_input_tokens,
                usage.cache_creation_input_tokens,
                usage.output_tokens,
            )
        )
        yield UsageUpdate(used=self._used, size=self._size)

    # What the CLI tells about itself.

    def _mode(self, message: notice.Init) -> Iterator[SessionUpdate]:
        if message.permission_mode:
            yield from self.choose(mode=message.permission_mode)

    def _status(self, message: notice.Status) -> Iterator[SessionUpdate]:
        if message.permission_mode:
            yield from self.choose(mode=message.permission_mode)
        if message.status == "compacting":
            self._compactions += 1
            yield from self._compaction("in_progress")
        elif message.compact_result == "failed":
            yield from self._compaction("failed", message.compact_error)

    def _compacted(self, message: notice.CompactBoundary) -> Iterator[SessionUpdate]:
        yield from self._compaction("completed")

    def _compaction(self, status: str, error: str | None = None) -> Iterator[SessionUpdate]:
        if self._wishes.compaction:
            identity = f"compaction-{self._compactions}"
            yield CompactionUpdate(compaction_id=identity, status=status, error=error)

    def _commands(self, message: notice.CommandsChanged) -> Iterator[SessionUpdate]:
        yield AvailableCommandsUpdate(available_commands=option.commands(message.commands))

    def _title(self, message: notice.SessionTitleChanged) -> Iterator[SessionUpdate]:
        yield SessionInfoUpdate(title=message.title)

    def _retry(self, message: notice.ApiRetry) -> Iterator[SessionUpdate]:
        status = f" ({message.error_status})" if message.error_status else ""
        count = f"attempt {message.attempt} of {message.max_retries}"
        yield from self._notice("warning", f"The API failed{status}: {count}")

    def _informational(self, message: notice.Informational) -> Iterator[SessionUpdate]:
        severity = "warning" if message.level == "warning" else "info"
        yield from self._notice(severity, message.content)

    def _lost(self, message: notice.SessionWritesLost) -> Iterator[SessionUpdate]:
        yield from self._notice("error", "The disk is full: this session is not stored completely")

    def _rate_limit(self, message: RateLimitEvent) -> Iterator[SessionUpdate]:
        info = message.rate_limit_info
        if info.status and info.status != self._limit_status:
            self._limit_status = info.status
            if info.status != "allowed":
                name = (info.rate_limit_type or "rate limit").replace("_", " ")
                used = "" if info.utilization is None else f": {info.utilization:.0%} used"
                yield from self._notice("warning", f"Close to the limit ({name}){used}")

    def _notice(self, severity: str, text: str) -> Iterator[SessionUpdate]:
        if self._wishes.notices and text:
            title, _, rest = text.strip().partition("\n")
            yield Notice(severity=severity, title=title, description=rest.strip() or None)


def stop_reason(result: Result | None) -> StopReason:
    """Why a turn has ended; one that failed for no reason of the protocol's has "end_turn"."""
    if result is None:
        return "end_turn"
    if result.terminal_reason in ("aborted_streaming", "aborted_tools"):
        return "cancelled"
    if result.stop_reason == "refusal":
        return "refusal"
    if result.stop_reason == "max_tokens" or result.api_error == "max_output_tokens":
        return "max_tokens"
    if result.subtype.startswith("error_max") or result.terminal_reason in (
        "max_turns",
        "budget_exhausted",
    ):
        return "max_turn_requests"
    return "end_turn"


def _count(tokens: Number | None) -> int:
    return int(tokens or 0)

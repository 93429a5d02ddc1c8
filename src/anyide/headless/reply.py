"""The whole of a turn: what was said, thought, done and spent."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from anyide.headless.messages import (
    Assistant,
    Message,
    PermissionDenial,
    Result,
    TextBlock,
    ThinkingBlock,
    ThinkingMetadata,
    Todo,
    ToolResultBlock,
    ToolUseBlock,
    Usage,
    User,
)

INTERRUPTED = ("aborted_streaming", "aborted_tools")


class ToolCall(Struct, frozen=True, kw_only=True):
    """A tool that was called, and what it answered; `result` is None when it did not."""

    id: str
    name: str
    input: dict[str, Any]
    result: str | None = None
    is_error: bool = False
    parent_tool_use_id: str | None = None


class Reply(Struct, frozen=True, kw_only=True):
    """One turn, complete."""

    text: str = ""
    thinking: str = ""
    tools: tuple[ToolCall, ...] = ()
    cost_usd: float = 0.0
    total_cost_usd: float = 0.0
    usage: Usage = Usage()
    duration_ms: float = 0.0
    session_id: str = ""
    model: str = ""
    structured: Any = None
    interrupted: bool = False
    denials: tuple[PermissionDenial, ...] = ()
    todos: tuple[Todo, ...] = ()
    thinking_metadata: ThinkingMetadata | None = None
    result: Result | None = None


class Notes:
    """Collects a reply while its messages pass."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._thinking: list[str] = []
        self._calls: dict[str, ToolCall] = {}
        self._last: Assistant | None = None
        self._todos: list[Todo] = []
        self._metadata: ThinkingMetadata | None = None
        self.error: str | None = None

    def note(self, message: Message) -> None:
        """Take what a message adds."""
        if isinstance(message, Assistant):
            self._note_assistant(message)
        elif isinstance(message, User):
            for block in message.content:
                if isinstance(block, ToolResultBlock):
                    self._note_result(block)

    def _note_assistant(self, message: Assistant) -> None:
        is_main = message.parent_tool_use_id is None
        if is_main:
            self._last = message
            self.error = message.error
            self._todos = message.todos or self._todos
            self._metadata = message.thinking_metadata or self._metadata
        for block in message.content:
            if isinstance(block, ToolUseBlock):
                self._calls[block.id] = ToolCall(
                    id=block.id,
                    name=block.name,
                    input=block.input,
                    parent_tool_use_id=message.parent_tool_use_id,
                )
            elif is_main and isinstance(block, TextBlock):
                self.texts.append(block.text)
            elif is_main and isinstance(block, ThinkingBlock):
                self._thinking.append(block.thinking)

    def _note_result(self, block: ToolResultBlock) -> None:
        call = self._calls.get(block.tool_use_id)
        if call is not None:
            self._calls[call.id] = ToolCall(
                id=call.id,
                name=call.name,
                input=call.input,
                result=block.text,
                is_error=bool(block.is_error),
                parent_tool_use_id=call.parent_tool_use_id,
            )

    def reply(self, result: Result | None, *, spent_before: float = 0.0) -> Reply:
        """The reply so far; `spent_before` is what the session had cost before this turn."""
        end = result or Result()
        total = float(end.total_cost_usd or 0.0)
        text = end.result if end.result is not None else "\n".join(self.texts)
        return Reply(
            text=text,
            thinking="\n".join(self._thinking),
            tools=tuple(self._calls.values()),
            cost_usd=_cost(end, total - spent_before),
            total_cost_usd=total,
            usage=end.usage or Usage(),
            duration_ms=float(end.duration_ms or 0.0),
            session_id=end.session_id or "",
            model=(self._last.model or "") if self._last else "",
            structured=end.structured_output,
            interrupted=end.terminal_reason in INTERRUPTED,
            denials=tuple(end.permission_denials or ()),
            todos=tuple(self._todos),
            thinking_metadata=self._metadata,
            result=result,
        )


def _cost(end: Result, difference: float) -> float:
    """What a turn cost. The total of a resumed session begins with what it had cost before."""
    if end.model_usage_since_last_result is None:
        return max(0.0, difference)
    return float(sum(used.cost_usd or 0 for used in end.model_usage_since_last_result.values()))

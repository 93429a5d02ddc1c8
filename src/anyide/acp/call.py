"""The calls of tools in a session, as the client was told of them. Pure.

A call begins pending, is in progress, and ends completed or failed; each change is told once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET, UnsetType

from anyide.acp import tool_call
from anyide.acp.messages import (
    SessionToolCallUpdate,
    SessionUpdate,
    Terminal,
    ToolCall,
    ToolCallContent,
    ToolCallStatus,
    ToolCallUpdate,
)
from anyide.acp.plan import TOOLS, Tasks
from anyide.headless.control import CanUseTool
from anyide.headless.messages import ToolResultBlock, ToolUseBlock

Json = dict[str, Any]


class Call:
    """One call."""

    __slots__ = ("given", "has_terminal", "name", "parent", "shown", "status", "waits")

    def __init__(self, name: str, parent: str | None) -> None:
        self.name = name
        self.parent = parent
        self.given: Json | None = None
        self.status: ToolCallStatus = "pending"
        self.shown: list[ToolCallContent] = []
        self.has_terminal = False
        self.waits = False

    @property
    def meta(self) -> Json:
        """What clients know from other adapters: the tool, and the call that it is inside of."""
        told = {"toolName": self.name}
        return {"claudeCode": {**told, "parentToolUseId": self.parent} if self.parent else told}


class Calls:
    """All calls that have not ended."""

    def __init__(self) -> None:
        self._open: dict[str, Call] = {}
        self._tasks = Tasks()
        self._old_texts: dict[str, str | None] = {}

    def remember(self, identity: str, old_text: str | None) -> None:
        """Take the text of the file that a call is going to change."""
        self._old_texts[identity] = old_text

    def has_text(self, identity: str) -> bool:
        """Whether the text of the file is there, or known to be missing."""
        return identity in self._old_texts

    def begin(self, block: ToolUseBlock) -> Iterator[SessionUpdate]:
        """The model begins to write a call; its input is not there yet."""
        if block.id in self._open or block.name in TOOLS:
            return
        call = self._open[block.id] = Call(block.name, None)
        yield ToolCall(
            tool_call_id=block.id,
            title=tool_call.show(block.name, {}).title.strip() or block.name,
            name=block.name,
            kind=tool_call.kind_of(block.name),
            status="pending",
            raw_input={},
            meta=call.meta,
        )

    def use(
        self, identity: str, name: str, given: Json, *, parent: str | None = None
    ) -> Iterator[SessionUpdate]:
        """The whole call is there."""
        is_new = identity not in self._open
        call = self._open.setdefault(identity, Call(name, parent))
        is_nested = parent is not None and call.parent is None
        call.parent = call.parent or parent  # a question may come before the message that tells it
        if call.given is not None and (call.given == given or not given) and not is_nested:
            return
        call.given = given or call.given
        if name in TOOLS:
            # A subagent's list is its own.
            plan = None if call.parent else self._tasks.called(name, given)
            if plan is not None:
                yield plan
            return
        yield self._told(identity, call, is_new=is_new)

    def _told(self, identity: str, call: Call, *, is_new: bool) -> SessionUpdate:
        given = call.given or {}
        shown = tool_call.show(call.name, given, self._old_texts.get(identity))
        call.shown = shown.content
        kind = ToolCall if is_new else SessionToolCallUpdate
        return kind(
            tool_call_id=identity,
            title=shown.title,
            name=call.name,
            kind=shown.kind,
            status=call.status,
            content=shown.content,
            locations=shown.locations,
            raw_input=given,
            meta=call.meta,
        )

    def run(self, identity: str) -> Iterator[SessionUpdate]:
        """The tool runs now."""
        call = self._open.get(identity)
        if call is not None and call.status == "pending" and call.name not in TOOLS:
            call.status, call.waits = "in_progress", False
            yield SessionToolCallUpdate(tool_call_id=identity, status="in_progress", meta=call.meta)

    def run_all(self) -> Iterator[SessionUpdate]:
        """Nobody was asked, so the calls run; while one waits for the person, no other begins."""
        if not any(call.waits for call in self._open.values()):
            for identity, call in list(self._open.items()):
                if call.given is not None:
                    yield from self.run(identity)

    def ask(self, request: CanUseTool) -> tuple[list[SessionUpdate], ToolCallUpdate]:
        """What is told before the person is asked, and the call as the question shows it."""
        identity = request.tool_use_id
        told = list(self.use(identity, request.tool_name, request.input))
        call = self._open[identity]
        call.status, call.waits = "pending", True
        given = {**(call.given or {}), **request.input}
        shown = tool_call.show(request.tool_name, given, self._old_texts.get(identity))
        why = [tool_call.text_content(request.decision_reason)] if request.decision_reason else []
        question = ToolCallUpdate(
            tool_call_id=identity,
            title=request.title or shown.title,
            name=request.tool_name,
            kind=shown.kind,
            status="pending",
            content=[*shown.content, *why],
            locations=shown.locations,
            raw_input=given,
            meta=call.meta,
        )
        return told, question

    def embed(self, identity: str, terminal_id: str) -> Iterator[SessionUpdate]:
        """The output of a call is in a terminal of the client."""
        call = self._open.get(identity)
        if call is not None:
            yield from self.run(identity)
            call.has_terminal = True
            content: list[ToolCallContent] = [Terminal(terminal_id=terminal_id)]
            yield SessionToolCallUpdate(tool_call_id=identity, content=content, meta=call.meta)

    def end(self, block: ToolResultBlock) -> Iterator[SessionUpdate]:
        """A tool answered."""
        identity, is_error = block.tool_use_id, bool(block.is_error)
        call = self._open.pop(identity, None)
        self._old_texts.pop(identity, None)
        if call is None:
            return
        if call.name in TOOLS:
            text = tool_call.result_text(block.content)
            given = call.given or {}
            plan = self._tasks.answered(call.name, given, text, is_error=is_error)
            if plan is not None and not call.parent:
                yield plan
            return
        if not is_error and call.status == "pending":
            call.status = "in_progress"
            yield SessionToolCallUpdate(tool_call_id=identity, status="in_progress", meta=call.meta)
        yield SessionToolCallUpdate(
            tool_call_id=identity,
            status="failed" if is_error else "completed",
            content=self._result(call, block),
            meta=call.meta,
        )

    def _result(self, call: Call, block: ToolResultBlock) -> list[ToolCallContent] | UnsetType:
        if call.has_terminal:
            return UNSET
        return tool_call.show_result(
            call.name, block.content, call.shown, is_error=bool(block.is_error)
        )

    def abandon(self) -> Iterator[SessionUpdate]:
        """The turn is over: what has not ended never will."""
        for identity, call in self._open.items():
            if call.name not in TOOLS:
                yield SessionToolCallUpdate(tool_call_id=identity, status="failed", meta=call.meta)
        self._open.clear()
        self._old_texts.clear()

    def given_to(self, identity: str) -> Json:
        """The input of a call that has not ended."""
        call = self._open.get(identity)
        return (call.given or {}) if call is not None else {}

"""Hooks: functions of ours that the CLI calls when something happens, for example before a tool."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from anyide.errors import ProtocolBroken
from anyide.headless.control import HookCallback

# fmt: off
EVENTS = (
    "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification",
    "UserPromptSubmit", "UserPromptExpansion", "SessionStart", "SessionEnd", "Stop", "StopFailure",
    "SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "PreModelSwitch",
    "PostModelSwitch", "PermissionRequest", "PermissionDenied", "Setup", "TeammateIdle",
    "TaskCreated", "TaskCompleted", "Elicitation", "ElicitationResult", "ConfigChange",
    "WorktreeCreate", "WorktreeRemove", "InstructionsLoaded", "CwdChanged", "FileChanged",
    "DirectoryAdded", "MessageDisplay",
)
# fmt: on

HookOutput = Mapping[str, Any] | None
HookFunction = Callable[[HookCallback], HookOutput | Awaitable[HookOutput]]


class Hook(Struct, frozen=True):
    """A function for an event; `matcher` names the tools that it is for, all if there is none."""

    call: HookFunction
    matcher: str | None = None
    timeout: float | None = None
    on_failure: str | None = None


Hooks = Mapping[str, Sequence[Hook | HookFunction] | Hook | HookFunction]


class HookTable:
    """The hooks by the ids that the CLI calls them with."""

    def __init__(self, hooks: Hooks) -> None:
        self.calls: dict[str, HookFunction] = {}
        self.declared: dict[str, list[dict[str, Any]]] = {}
        for event, given in hooks.items():
            several = given if isinstance(given, Sequence) else [given]
            self.declared[event] = [self._declare(event, hook) for hook in several]

    def find(self, callback_id: str) -> HookFunction:
        """The hook with this id; raises ProtocolBroken when there is none."""
        found = self.calls.get(callback_id)
        if found is None:
            raise ProtocolBroken(f"no hook was declared with the id {callback_id!r}")
        return found

    def _declare(self, event: str, given: Hook | HookFunction) -> dict[str, Any]:
        hook = given if isinstance(given, Hook) else Hook(given)
        callback = f"{event}-{len(self.calls)}"
        self.calls[callback] = hook.call
        found: dict[str, Any] = {"matcher": hook.matcher, "hookCallbackIds": [callback]}
        if hook.timeout is not None:
            found["timeout"] = hook.timeout
        if hook.on_failure is not None:
            found["onFailure"] = hook.on_failure
        return found


def block(reason: str) -> dict[str, Any]:
    """The output of a hook that stops what was about to happen; the model reads the reason."""
    return {"decision": "block", "reason": reason}


def deny_tool(reason: str) -> dict[str, Any]:
    """The output of a PreToolUse hook that does not let the tool run."""
    return _before_tool("deny", permissionDecisionReason=reason)


def change_input(changed: Mapping[str, Any]) -> dict[str, Any]:
    """The output of a PreToolUse hook that lets the tool run with another input."""
    return _before_tool("allow", updatedInput=dict(changed))


def add_context(event: str, text: str) -> dict[str, Any]:
    """The output of a hook that tells the model something more."""
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _before_tool(decision: str, **fields: Any) -> dict[str, Any]:
    output = {"hookEventName": "PreToolUse", "permissionDecision": decision, **fields}
    return {"hookSpecificOutput": output}

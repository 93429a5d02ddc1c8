"""May the model use this tool? What is asked, and the answers there are."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from msgspec import Struct

from anyide.headless.control import CanUseTool

SESSION = "session"

PermissionRequest = CanUseTool


class Allow(Struct, frozen=True, kw_only=True):
    """Let the tool run; with `input`, with that input instead of the model's."""

    input: dict[str, Any] | None = None
    remember: Sequence[dict[str, Any]] = ()

    def answer(self, request: CanUseTool) -> dict[str, Any]:
        """What is sent."""
        found: dict[str, Any] = {
            "behavior": "allow",
            "updatedInput": request.input if self.input is None else self.input,
            "toolUseID": request.tool_use_id,
        }
        if self.remember:
            found["updatedPermissions"] = list(self.remember)
        return found


class Deny(Struct, frozen=True, kw_only=True):
    """Do not let the tool run; the model reads the message. With `interrupt` the turn ends."""

    message: str = "The person did not allow this."
    interrupt: bool = False

    def answer(self, request: CanUseTool) -> dict[str, Any]:
        """What is sent."""
        found: dict[str, Any] = {
            "behavior": "deny",
            "message": self.message,
            "toolUseID": request.tool_use_id,
        }
        return {**found, "interrupt": True} if self.interrupt else found


Decision = Allow | Deny | bool
Permission = Callable[[CanUseTool], Decision | Awaitable[Decision]]


def allow_and_remember(request: CanUseTool, *, destination: str = SESSION) -> Allow:
    """Allow this, and the like of it from now on: what the CLI suggests, or the whole tool."""
    rule = {
        "type": "addRules",
        "rules": [{"toolName": request.tool_name}],
        "behavior": "allow",
    }
    suggested = request.permission_suggestions or [rule]
    return Allow(remember=[{**update, "destination": destination} for update in suggested])


def answer(decision: Decision, request: CanUseTool) -> dict[str, Any]:
    """What is sent for a decision; True and False will do for it."""
    if isinstance(decision, Allow | Deny):
        return decision.answer(request)
    return (Allow() if decision is True else Deny()).answer(request)

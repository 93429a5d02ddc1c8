"""What a person may answer when Claude asks to use a tool, and what Claude is told then. Pure."""

from __future__ import annotations

from typing import Any

from anyide.acp.messages import PermissionOption
from anyide.headless.control import CanUseTool
from anyide.headless.permission import Allow, Deny

ALLOW, ALWAYS, REJECT = "allow", "allow_always", "reject"
ACCEPT_EDITS = "accept_edits"
EXIT_PLAN = "ExitPlanMode"
MAX_LABEL = 80

Json = dict[str, Any]


def options_for(request: CanUseTool) -> list[PermissionOption]:
    """What the person can choose."""
    if request.tool_name == EXIT_PLAN:
        return [
            PermissionOption(
                option_id=ACCEPT_EDITS, name="Yes, and accept edits", kind="allow_always"
            ),
            PermissionOption(option_id=ALLOW, name="Yes, and ask before edits", kind="allow_once"),
            PermissionOption(option_id=REJECT, name="No, keep planning", kind="reject_once"),
        ]
    options = [PermissionOption(option_id=ALLOW, name="Allow", kind="allow_once")]
    label = label_of(request.permission_suggestions or [])
    if label and not request.suppress_always_allow_rule:
        options.append(PermissionOption(option_id=ALWAYS, name=label, kind="allow_always"))
    options.append(PermissionOption(option_id=REJECT, name="Reject", kind="reject_once"))
    return options[::-1] if request.default_to_no else options


def decision(request: CanUseTool, option_id: str | None) -> Allow | Deny:
    """What Claude is told; None means that the turn was cancelled."""
    if option_id is None:
        return Deny(message="The person cancelled the turn.", interrupt=True)
    if request.tool_name == EXIT_PLAN and option_id in (ALLOW, ACCEPT_EDITS):
        return Allow(remember=[mode_update(_mode_after_plan(option_id))])
    if option_id == ALLOW:
        return Allow()
    if option_id == ALWAYS:
        return Allow(remember=request.permission_suggestions or ())
    if request.tool_name == EXIT_PLAN:
        return Deny(message="The person wants to keep planning.", interrupt=True)
    return Deny(message="The person rejected this. Ask what to do instead.")


def mode_update(mode: str) -> Json:
    """The change of permissions that switches the mode."""
    return {"type": "setMode", "mode": mode, "destination": "session"}


def rule_update(tool: str, content: str | None = None) -> Json:
    """The change of permissions that allows a tool, or one command, for the session."""
    rule = {"toolName": tool, "ruleContent": content} if content else {"toolName": tool}
    return {"type": "addRules", "rules": [rule], "behavior": "allow", "destination": "session"}


def label_of(suggestions: list[Json]) -> str:
    """What would be remembered, in words; nothing when it cannot be said truthfully."""
    words = [_words(suggestion) for suggestion in suggestions]
    if not words or not all(words):
        return ""
    label = " and ".join(words)
    label = f"Always {label}" if not label.startswith("Accept") else label
    return label if len(label) <= MAX_LABEL else f"{label[: MAX_LABEL - 1]}…"


def _words(suggestion: Json) -> str:
    match suggestion:
        case {"type": "setMode", "mode": "acceptEdits"}:
            return "Accept all edits from now on"
        case {"type": "addRules", "behavior": "allow", "rules": [_, *_] as rules}:
            return f"allow {', '.join(map(_rule, rules))}"
        case {"type": "addDirectories", "directories": [_, *_] as folders}:
            return f"allow {', '.join(map(str, folders))}"
        case _:
            return ""


def _rule(rule: Any) -> str:
    name, content = rule.get("toolName"), rule.get("ruleContent")
    return f"{name}({content})" if content else str(name)


def _mode_after_plan(option_id: str) -> str:
    return "acceptEdits" if option_id == ACCEPT_EDITS else "default"

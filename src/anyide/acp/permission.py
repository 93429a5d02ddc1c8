"""What a person may answer when Claude asks to use a tool, and what Claude is told then. Pure."""

from __future__ import annotations

import posixpath
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
    if option_id not in [option.option_id for option in options_for(request)]:
        return Deny(message="The person's answer was none of those that were offered.")
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


def remembered(builtin: str, given: Json, mode: str) -> list[Json]:
    """What "always" means for a tool of the client that stands for a built-in one.

    Never more than the person sees: a command with a `*` would be a pattern for others.
    """
    if builtin == "Bash":
        command = str(given.get("command") or "")
        return [rule_update("Bash", command)] if command and "*" not in command else []
    if builtin == "Read":
        folder = posixpath.dirname(str(given.get("file_path") or "").replace("\\", "/"))
        is_plain = folder.startswith("/") and not set(folder) & set("*?[")
        return [rule_update("Read", f"/{folder.rstrip('/')}/**")] if is_plain else []
    return [] if mode == "plan" else [mode_update("acceptEdits")]


def label_of(suggestions: list[Json]) -> str:
    """What would be remembered, in words; nothing when it cannot be said truthfully."""
    words = [_words(suggestion) for suggestion in suggestions]
    if not words or not all(words):
        return ""
    label = " ".join(" and ".join(words).split())
    label = f"Always {label}" if not label.startswith("Accept") else label
    return label if len(label) <= MAX_LABEL else f"{label[: MAX_LABEL - 1]}…"


def _words(suggestion: Json) -> str:
    match suggestion:
        case {"type": "setMode", "mode": "acceptEdits"}:
            return "Accept all edits from now on"
        case {"type": "addRules", "behavior": "allow", "rules": [_, *_] as rules}:
            return _allow([_rule(rule) for rule in rules])
        case {"type": "addDirectories", "directories": [_, *_] as folders}:
            return _allow([folder if isinstance(folder, str) else "" for folder in folders])
        case _:
            return ""


def _allow(names: list[str]) -> str:
    return f"allow {', '.join(names)}" if all(names) else ""


def _rule(rule: Any) -> str:
    match rule:
        case {"toolName": str(name), "ruleContent": str(content)} if name and content:
            return f"{name}({content})"
        case {"toolName": str(name)} if not rule.get("ruleContent"):
            return name
        case _:
            return ""


def _mode_after_plan(option_id: str) -> str:
    return "acceptEdits" if option_id == ACCEPT_EDITS else "default"

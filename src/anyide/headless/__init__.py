"""The Claude Code CLI as a subprocess: where it is, how it is started, what it says.

    from anyide.headless import Claude

`messages`, `report`, `notice` and `control` are what may be said, `decode` reads it, `session` is
the API. Names are loaded when they are used: importing this package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anyide.headless.blocking import ask as ask
    from anyide.headless.events import Text as Text
    from anyide.headless.events import TextDelta as TextDelta
    from anyide.headless.events import Thinking as Thinking
    from anyide.headless.events import ThinkingDelta as ThinkingDelta
    from anyide.headless.events import ToolResult as ToolResult
    from anyide.headless.events import ToolUse as ToolUse
    from anyide.headless.hook import Hook as Hook
    from anyide.headless.messages import Result as Result
    from anyide.headless.messages import Unknown as Unknown
    from anyide.headless.options import Options as Options
    from anyide.headless.permission import Allow as Allow
    from anyide.headless.permission import Deny as Deny
    from anyide.headless.permission import PermissionRequest as PermissionRequest
    from anyide.headless.permission import allow_and_remember as allow_and_remember
    from anyide.headless.player import replay as replay
    from anyide.headless.reply import Reply as Reply
    from anyide.headless.session import Claude as Claude
    from anyide.headless.tool_function import tool as tool
    from anyide.headless.turn import Turn as Turn

_HOMES = {
    "blocking": ("ask",),
    "events": ("Text", "TextDelta", "Thinking", "ThinkingDelta", "ToolResult", "ToolUse"),
    "hook": ("Hook",),
    "messages": ("Result", "Unknown"),
    "options": ("Options",),
    "permission": ("Allow", "Deny", "PermissionRequest", "allow_and_remember"),
    "player": ("replay",),
    "reply": ("Reply",),
    "session": ("Claude",),
    "tool_function": ("tool",),
    "turn": ("Turn",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)  # noqa: PLE0605 - a list, as sorted gives it


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)

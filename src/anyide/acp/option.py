"""What can be chosen in a session: permission mode, model, effort. Pure.

Modes are told twice, as modes and as a config option, for clients old and new.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from anyide.acp.loose import objects_in, text_in
from anyide.acp.messages import (
    AvailableCommand,
    SessionConfigOption,
    SessionConfigOptionSelect,
    SessionConfigSelectOption,
    SessionMode,
    SessionModeState,
    UnstructuredCommandInput,
)

MODE, MODEL, EFFORT = "mode", "model", "effort"
BYPASS = "bypassPermissions"
DEFAULT_EFFORT = "default"

_MODES = {
    "default": ("Ask", "Ask before anything that is not allowed by rule"),
    "acceptEdits": ("Accept edits", "Change files in the folder without asking"),
    "plan": ("Plan", "Look and plan, change nothing"),
    "auto": ("Auto", "A classifier decides what needs a question"),
    "dontAsk": ("Don't ask", "Deny what is not allowed by rule"),
    BYPASS: ("Bypass permissions", "Never ask: everything is allowed"),
}
_LISTED = ("default", "acceptEdits", "plan", "auto")
# These need the CLI's own terminal.
_HIDDEN = frozenset({"clear", "cost", "keybindings-help", "login", "logout", "release-notes"})
_MCP = " (MCP)"

Json = dict[str, Any]


class Choices(Struct, frozen=True, kw_only=True):
    """What is chosen, and from what."""

    mode: str = "default"
    model: str = "default"
    effort: str = DEFAULT_EFFORT
    models: tuple[Json, ...] = ()
    may_bypass: bool = False

    @property
    def mode_ids(self) -> list[str]:
        """The modes that can be chosen; the one that is in force is among them."""
        offered = [mode for mode in _LISTED if mode != "auto" or self._has_auto]
        offered += [BYPASS] if self.may_bypass else []
        return offered if self.mode in offered else [*offered, self.mode]

    @property
    def efforts(self) -> list[str]:
        """The levels of effort that the model has."""
        levels = self._chosen.get("supportedEffortLevels")
        return (
            [level for level in levels if isinstance(level, str)]
            if isinstance(levels, list)
            else []
        )

    @property
    def _chosen(self) -> Json:
        return next((m for m in self.models if m.get("value") == self.model), {})

    @property
    def _has_auto(self) -> bool:
        return bool(self._chosen.get("supportsAutoMode"))


def first_choices(
    info: Mapping[str, Any], *, model: str | None, effort: str | None = None, may_bypass: bool
) -> Choices:
    """What holds when a session begins; `info` is the CLI's answer to `initialize`."""
    models = tuple(m for m in objects_in(info.get("models")) if text_in(m, "value"))
    return Choices(
        mode=text_in(info, "current_permission_mode") or "default",
        model=_model_id(models, model or text_in(info, "current_model")),
        effort=effort or DEFAULT_EFFORT,
        models=models,
        may_bypass=may_bypass,
    )


def modes(choices: Choices) -> SessionModeState:
    """The modes, as `session/new` tells them."""
    return SessionModeState(
        current_mode_id=choices.mode,
        available_modes=[
            SessionMode(id=mode, name=_name(mode), description=_MODES.get(mode, ("", ""))[1])
            for mode in choices.mode_ids
        ],
    )


def config_options(choices: Choices) -> list[SessionConfigOption]:
    """Everything that can be chosen."""
    found: list[SessionConfigOption] = [
        _select(MODE, "Mode", "mode", choices.mode, [(m, _name(m)) for m in choices.mode_ids])
    ]
    if choices.models:
        shown = [(text_in(m, "value"), text_in(m, "displayName")) for m in choices.models]
        if choices.model not in dict(shown):
            shown.append((choices.model, choices.model))
        about = {text_in(m, "value"): text_in(m, "description") for m in choices.models}
        found.append(_select(MODEL, "Model", "model", choices.model, shown, about))
    if choices.efforts:
        levels = [(DEFAULT_EFFORT, "Default"), *((e, e.capitalize()) for e in choices.efforts)]
        current = choices.effort if choices.effort in choices.efforts else DEFAULT_EFFORT
        found.append(_select(EFFORT, "Effort", "thought_level", current, levels))
    return found


def commands(found: Any) -> list[AvailableCommand]:
    """The slash commands that make sense without the CLI's terminal."""
    return [
        AvailableCommand(
            name=name,
            description=text_in(command, "description"),
            input=_hint(text_in(command, "argumentHint")),
        )
        for command in objects_in(found)
        if (name := _command_name(text_in(command, "name"))) and name not in _HIDDEN
    ]


def _select(
    identity: str,
    name: str,
    category: str,
    current: str,
    values: list[tuple[str, str]],
    about: Mapping[str, str] | None = None,
) -> SessionConfigOption:
    return SessionConfigOptionSelect(
        id=identity,
        name=name,
        category=category,
        current_value=current,
        options=[
            SessionConfigSelectOption(
                value=value, name=label or value, description=(about or {}).get(value) or None
            )
            for value, label in values
        ],
    )


def _name(mode: str) -> str:
    return _MODES.get(mode, (mode, ""))[0]


def _model_id(models: tuple[Json, ...], wanted: str) -> str:
    """The model among those offered: by its name, or by what it stands for."""
    for key in ("value", "resolvedModel"):
        for model in models:
            if wanted and model.get(key) == wanted:
                return text_in(model, "value")
    return wanted or (text_in(models[0], "value") if models else "default")


def _command_name(name: str) -> str:
    """The name to be typed, or nothing for what cannot be typed.

    Prompts of MCP servers: `server:prompt (MCP)` is typed as /mcp:server:prompt. Where the server's
    name has spaces, the CLI knows only the long form.
    """
    if not name.endswith(_MCP):
        return "" if re.search(r"\s", name) else name
    name = name.removesuffix(_MCP)
    if not re.search(r"\s", name):
        return f"mcp:{name}"
    server, _, prompt = name.rpartition(":")
    is_typed = server and not re.search(r"\s", prompt)
    return f"mcp__{re.sub(r'[^a-zA-Z0-9_-]', '_', server)}__{prompt}" if is_typed else ""


def _hint(hint: str) -> UnstructuredCommandInput | None:
    return UnstructuredCommandInput(hint=hint) if hint else None

"""Options as command line, environment and `initialize` request.

Each value goes as `--flag=value`, so that none can be taken for a flag. What may be long goes into
`initialize` (Windows allows 32 KB of command line, Linux 128 KB a word) or into a file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from anyide import __version__
from anyide.headless.options import Options

FIXED = ("--output-format=stream-json", "--verbose", "--input-format=stream-json")
MAX_WORD_BYTES = 16 * 1024
STDIO = "stdio"

Spill = Callable[[str, str], str]
"""Writes a long text to a file of its own: (name, text) -> path."""

# Option -> flag, for those that take one value as it is.
_VALUES = {
    "model": "--model",
    "effort": "--effort",
    "thinking": "--thinking",
    "max_thinking_tokens": "--max-thinking-tokens",
    "thinking_display": "--thinking-display",
    "max_turns": "--max-turns",
    "max_budget_usd": "--max-budget-usd",
    "task_budget": "--task-budget",
    "agent": "--agent",
    "system_prompt_file": "--system-prompt-file",
    "permission_mode": "--permission-mode",
    "permission_prompts": "--permission-prompts",
    "resume": "--resume",
    "session_id": "--session-id",
    "resume_at": "--resume-session-at",
    "resume_drops_turn": "--resume-drops-turn",
    "project_config_root": "--project-config-root",
    "debug_file": "--debug-file",
}
_LISTS = {
    "fallback_model": "--fallback-model",
    "betas": "--betas",
    "allowed_tools": "--allowedTools",
    "disallowed_tools": "--disallowedTools",
}
_SWITCHES = {
    "continue_last": "--continue",
    "fork": "--fork-session",
    "strict_mcp_config": "--strict-mcp-config",
    "allow_dangerously_skip_permissions": "--allow-dangerously-skip-permissions",
    "session_mirror": "--session-mirror",
    "include_partial": "--include-partial-messages",
    "include_hook_events": "--include-hook-events",
    "replay_user_messages": "--replay-user-messages",
    "debug": "--debug",
}
_REPEATED = {"add_dirs": "--add-dir", "plugins": "--plugin-dir"}


def words(options: Options, *, asks_permission: bool, spill: Spill) -> list[str]:
    """The words after the name of the CLI."""
    return [
        *FIXED,
        *_plain(options),
        *_tools(options),
        *_permission(options, asks_permission=asks_permission),
        *_documents(options, spill),
        *_extra(options),
    ]


def _plain(options: Options) -> Iterator[str]:
    for name, flag in _VALUES.items():
        value = getattr(options, name)
        if value is not None:
            yield f"{flag}={_text(value)}"
    for name, flag in _LISTS.items():
        if value := getattr(options, name):
            yield f"{flag}={_joined(value)}"
    for name, flag in _REPEATED.items():
        for value in getattr(options, name):
            yield f"{flag}={_text(value)}"
    yield from (flag for name, flag in _SWITCHES.items() if getattr(options, name))


def _tools(options: Options) -> Iterator[str]:
    if options.builtin_tools is not None:
        yield f"--tools={_joined(options.builtin_tools)}"
    if options.setting_sources is not None:
        yield f"--setting-sources={_joined(options.setting_sources)}"
    if not options.persist:
        yield "--no-session-persistence"


def _permission(options: Options, *, asks_permission: bool) -> Iterator[str]:
    tool = options.permission_prompt_tool or (STDIO if asks_permission else None)
    if tool is not None:
        yield f"--permission-prompt-tool={tool}"


def _documents(options: Options, spill: Spill) -> Iterator[str]:
    """What is JSON or the name of a file that holds it."""
    servers = options.mcp_servers
    if isinstance(servers, Mapping):
        servers = _json({"mcpServers": servers}) if servers else ""
    settings = options.settings or {}
    if isinstance(settings, Mapping):
        merged = {**settings, **({"sandbox": options.sandbox} if options.sandbox else {})}
        settings = _json(merged) if merged else ""
    managed = _json(options.managed_settings) if options.managed_settings else ""
    found = (("mcp-config", servers), ("settings", settings), ("managed-settings", managed))
    for name, value in found:
        if text := _text(value):
            is_long = len(text.encode()) > MAX_WORD_BYTES
            yield f"--{name}={spill(name, text) if is_long else text}"


def _extra(options: Options) -> Iterator[str]:
    for name, value in options.extra_args.items():
        flag = f"--{name.removeprefix('--')}"
        yield flag if value is None else f"{flag}={value}"


def environment(options: Options, ours: Mapping[str, str]) -> dict[str, str]:
    """The environment of the CLI: ours, what is needed, what was given."""
    inherited = {} if options.clean_env else dict(ours)
    inherited.pop("CLAUDECODE", None)  # or the CLI believes that it runs inside itself
    found = {
        **inherited,
        "CLAUDE_CODE_ENTRYPOINT": "sdk-py",
        "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS": "1",
        "CLAUDE_AGENT_SDK_CLIENT_APP": options.client_app or f"anyide/{__version__}",
    }
    if options.checkpoints:
        found["CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"] = "true"
    if options.cwd is not None:
        found["PWD"] = os.path.abspath(options.cwd)  # noqa: PTH100
    return {**found, **options.env}


def initialize(options: Options) -> dict[str, Any]:
    """The fields of the `initialize` request that come from options."""
    fields: dict[str, Any] = {
        "systemPrompt": None if options.system_prompt is None else [options.system_prompt],
        "appendSystemPrompt": options.append_system_prompt,
        "excludeDynamicSections": options.exclude_dynamic_sections or None,
        "jsonSchema": options.output_schema,
        "agents": options.agents or None,
        "skills": None if options.skills is None else list(options.skills),
        "title": options.title,
        "planModeInstructions": options.plan_mode_instructions,
        "toolAliases": options.tool_aliases or None,
        "forwardSubagentText": options.forward_subagent_text or None,
        "promptSuggestions": options.prompt_suggestions or None,
        "agentProgressSummaries": options.agent_progress_summaries or None,
        "perTaskStopAffordance": options.per_task_stop or None,
        "supportedDialogKinds": list(options.dialog_kinds) or None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _joined(value: Any) -> str:
    return value if isinstance(value, str) else ",".join(value)


def _text(value: Any) -> str:
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()

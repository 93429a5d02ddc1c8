"""Everything that can be said to the CLI when it starts."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field

Strings = Sequence[str]
Path = str | os.PathLike[str]


class Options(Struct, frozen=True, kw_only=True):
    """The options of a session; `argv.py` says what becomes of each."""

    cwd: Path | None = None
    cli_path: Path | Strings | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    clean_env: bool = False
    grace_seconds: float = 2.0
    """How long the CLI may take to end by itself, and again after SIGTERM."""

    # The conversation.
    model: str | None = None
    fallback_model: str | Strings | None = None
    system_prompt: str | None = None
    append_system_prompt: str | None = None
    system_prompt_file: Path | None = None
    exclude_dynamic_sections: bool = False
    effort: str | None = None
    thinking: str | None = None
    max_thinking_tokens: int | None = None
    thinking_display: str | None = None
    max_turns: int | None = None
    max_budget_usd: float | None = None
    task_budget: int | None = None
    betas: Strings = ()
    output_schema: Mapping[str, Any] | None = None
    agent: str | None = None
    agents: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    skills: Strings | None = None
    title: str | None = None
    plan_mode_instructions: str | None = None

    # Tools and permissions.
    builtin_tools: str | Strings | None = None
    allowed_tools: Strings = ()
    disallowed_tools: Strings = ()
    tool_aliases: Mapping[str, str] = field(default_factory=dict)
    permission_mode: str | None = None
    permission_prompt_tool: str | None = None
    permission_prompts: str | None = None
    allow_dangerously_skip_permissions: bool = False
    mcp_servers: Mapping[str, Mapping[str, Any]] | Path = field(default_factory=dict)
    strict_mcp_config: bool = False
    add_dirs: Sequence[Path] = ()
    plugins: Sequence[Path] = ()

    # Which session.
    resume: str | None = None
    continue_last: bool = False
    fork: bool = False
    session_id: str | None = None
    resume_at: str | None = None
    resume_drops_turn: str | None = None
    persist: bool = True
    checkpoints: bool = False
    session_mirror: bool = False

    # Settings.
    settings: Mapping[str, Any] | Path | None = None
    sandbox: Mapping[str, Any] | None = None
    managed_settings: Mapping[str, Any] | None = None
    setting_sources: Strings | None = None
    project_config_root: Path | None = None

    # What is told.
    include_partial: bool = False
    include_hook_events: bool = False
    replay_user_messages: bool = False
    forward_subagent_text: bool = False
    prompt_suggestions: bool = False
    agent_progress_summaries: bool = False
    per_task_stop: bool = True
    verbatim: bool = False
    dialog_kinds: Strings = ()
    debug: bool = False
    debug_file: Path | None = None
    client_app: str | None = None
    extra_args: Mapping[str, str | None] = field(default_factory=dict)

"""What the CLI reports beside the conversation: limits, progress, log-in, its queue. Pure data."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from anyide.headless.messages import Json, Message, Number


class RateLimitInfo(Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """How much of a rate limit is used."""

    status: str = ""
    resets_at: Number | None = None
    rate_limit_type: str | None = None
    utilization: Number | None = None
    unified_windows: Json | None = None
    overage_status: str | None = None
    overage_resets_at: Number | None = None
    overage_disabled_reason: str | None = None
    is_using_overage: bool | None = None
    overage_in_use: bool | None = None
    overage_enabled: bool | None = None
    surpassed_threshold: Any = None
    daily_cap_paused: bool | None = None
    limit_scope: str | None = None
    error_code: str | None = None


class RateLimitEvent(Message, frozen=True, kw_only=True, tag_field="type", tag="rate_limit_event"):
    """The state of the rate limits changed."""

    rate_limit_info: RateLimitInfo = RateLimitInfo()


class ToolProgress(Message, frozen=True, kw_only=True, tag_field="type", tag="tool_progress"):
    """A tool is still running."""

    tool_use_id: str = ""
    tool_name: str = ""
    parent_tool_use_id: str | None = None
    elapsed_time_seconds: Number | None = None
    task_id: str | None = None
    heartbeat: bool | None = None
    subagent_type: str | None = None
    subagent_retry: Json | None = None


class AuthStatus(Message, frozen=True, kw_only=True, tag_field="type", tag="auth_status"):
    """The CLI is logging in."""

    is_authenticating: bool = field(default=False, name="isAuthenticating")
    output: list[str] | None = None
    error: str | None = None


class ToolUseSummary(Message, frozen=True, kw_only=True, tag_field="type", tag="tool_use_summary"):
    """A line about the tool calls before it."""

    summary: str = ""
    preceding_tool_use_ids: list[str] | None = None
    timestamp: str | None = None


class PromptSuggestion(
    Message, frozen=True, kw_only=True, tag_field="type", tag="prompt_suggestion"
):
    """What the person might ask next."""

    suggestion: str = ""


class ConversationReset(
    Message, frozen=True, kw_only=True, tag_field="type", tag="conversation_reset"
):
    """The conversation starts anew, with another id."""

    new_conversation_id: str = ""
    trigger: str | None = None
    user_message_uuid: str | None = None
    timestamp: str | None = None


class ActiveGoal(Message, frozen=True, kw_only=True, tag_field="type", tag="active_goal"):
    """The goal that the session works towards, or none."""

    value: Json | None = None


class CommandLifecycle(
    Message, frozen=True, kw_only=True, tag_field="type", tag="command_lifecycle"
):
    """A prompt of ours was queued, started, completed or cancelled."""

    command_uuid: str = ""
    state: str = ""


class TranscriptMirror(
    Message, frozen=True, kw_only=True, tag_field="type", tag="transcript_mirror"
):
    """Entries of the session's file as they are written."""

    file_path: str = field(default="", name="filePath")
    entries: list[Json] | None = None


class KeepAlive(Message, frozen=True, kw_only=True, tag_field="type", tag="keep_alive"):
    """The CLI is still there."""

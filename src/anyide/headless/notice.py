"""The `system` messages: one class a subtype, in `NOTICES`. Pure data."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from anyide.headless.messages import Json, Message, Number


class Notice(Message, frozen=True, kw_only=True, tag_field="type", tag="system"):
    """A `system` message; those of unknown subtype come as `Unknown`."""

    subtype: str = ""


class Init(Notice, frozen=True, kw_only=True):
    """Sent at the start of each turn: what this session has."""

    cwd: str = ""
    model: str = ""
    tools: list[str] | None = None
    mcp_servers: list[Json] | None = None
    permission_mode: str = field(default="", name="permissionMode")
    slash_commands: list[str] | None = None
    agents: list[str] | None = None
    skills: list[str] | None = None
    plugins: list[Json] | None = None
    output_style: str | None = None
    api_key_source: str | None = field(default=None, name="apiKeySource")
    claude_code_version: str | None = None
    capabilities: list[str] | None = None
    terminal_slash_commands: list[str] | None = None
    plugin_errors: list[Json] | None = None
    betas: list[str] | None = None
    effort: str | None = None
    view_mode: str | None = None
    fast_mode_state: str | None = None
    fast_mode_disabled_reason: str | None = None


class CompactMetadata(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a conversation was made shorter."""

    trigger: str = ""
    pre_tokens: Number = 0
    post_tokens: Number | None = None
    cumulative_dropped_tokens: Number | None = None
    duration_ms: Number | None = None
    user_context: str | None = None
    messages_summarized: Number | None = None
    precomputed: bool | None = None
    preserved_segment: Json | None = None
    preserved_messages: Json | None = None


class CompactBoundary(Notice, frozen=True, kw_only=True):
    """The conversation was made shorter."""

    compact_metadata: CompactMetadata | None = None
    logical_parent_uuid: str | None = None
    historical: bool | None = None


class Status(Notice, frozen=True, kw_only=True):
    """What the CLI is doing, or a new permission mode."""

    status: str | None = None
    permission_mode: str | None = field(default=None, name="permissionMode")
    user_message_uuids: list[str] | None = None
    compact_result: str | None = None
    compact_error: str | None = None
    compact_output_chars: Number | None = None
    resume_held_for_plan: bool | None = None


class ApiRetry(Notice, frozen=True, kw_only=True):
    """A request to the API failed and is tried again."""

    attempt: Number = 0
    max_retries: Number = 0
    retry_delay_ms: Number = 0
    error_status: Number | None = None
    error: str | None = None
    no_response: Json | None = None


class ControlRequestProgress(Notice, frozen=True, kw_only=True):
    """A control request of ours takes long."""

    request_id: str = ""
    status: str = ""
    attempt: Number | None = None
    max_retries: Number | None = None
    retry_delay_ms: Number | None = None
    error_status: Number | None = None


class ModelRefusalFallback(Notice, frozen=True, kw_only=True):
    """The model refused; another answers."""

    trigger: str = ""
    direction: str = ""
    scope: str | None = None
    original_model: str = ""
    fallback_model: str = ""
    content: str = ""
    request_id: str | None = None
    api_refusal_category: str | None = None
    api_refusal_explanation: str | None = None
    retracted_message_uuids: list[str] | None = None
    refused_user_message_uuid: str | None = None


class ModelRefusalNoFallback(Notice, frozen=True, kw_only=True):
    """The model refused, and no other answers."""

    original_model: str = ""
    content: str = ""
    request_id: str | None = None
    api_refusal_category: str | None = None
    api_refusal_explanation: str | None = None
    refused_user_message_uuid: str | None = None


class LocalCommandOutput(Notice, frozen=True, kw_only=True):
    """What a slash command printed."""

    content: str = ""


class HookStarted(Notice, frozen=True, kw_only=True):
    """A hook of the settings began."""

    hook_id: str = ""
    hook_name: str = ""
    hook_event: str = ""


class HookProgress(HookStarted, frozen=True, kw_only=True):
    """A hook of the settings printed something."""

    stdout: str = ""
    stderr: str = ""
    output: str = ""


class HookResponse(HookProgress, frozen=True, kw_only=True):
    """A hook of the settings ended."""

    exit_code: Number | None = None
    outcome: str = ""


class PluginInstall(Notice, frozen=True, kw_only=True):
    """A plugin is being installed."""

    status: str = ""
    name: str | None = None
    error: str | None = None


class TaskStarted(Notice, frozen=True, kw_only=True):
    """A background task or subagent began."""

    task_id: str = ""
    tool_use_id: str | None = None
    description: str = ""
    subagent_type: str | None = None
    task_type: str | None = None
    is_backgrounded: bool | None = None
    prompt: str | None = None
    run_id: str | None = None
    awaited: bool | None = None
    spawn_depth: Number | None = None
    parent_task_id: str | None = None
    workflow_name: str | None = None
    skip_transcript: bool | None = None
    ambient: bool | None = None


class TaskUpdated(Notice, frozen=True, kw_only=True):
    """A background task changed."""

    task_id: str = ""
    run_id: str | None = None
    patch: Json | None = None


class TaskProgress(Notice, frozen=True, kw_only=True):
    """A background task goes on."""

    task_id: str = ""
    tool_use_id: str | None = None
    description: str = ""
    usage: Json | None = None
    last_tool_name: str | None = None
    summary: str | None = None
    run_id: str | None = None
    subagent_type: str | None = None


class TaskNotification(Notice, frozen=True, kw_only=True):
    """A background task ended; often the CLI then starts a turn by itself."""

    task_id: str = ""
    tool_use_id: str | None = None
    status: str = ""
    output_file: str | None = None
    summary: str = ""
    usage: Json | None = None
    run_id: str | None = None
    reason: str | None = None
    resource_links: list[Json] | None = None
    handback: Any = None
    handback_report: Any = None
    skip_transcript: bool | None = None
    ambient: bool | None = None


class BackgroundTasksChanged(Notice, frozen=True, kw_only=True):
    """All background tasks that live."""

    tasks: list[Json] | None = None


class ThinkingTokens(Notice, frozen=True, kw_only=True):
    """How much is being thought."""

    estimated_tokens: Number = 0
    estimated_tokens_delta: Number = 0
    user_message_uuid: str | None = None


class SessionStateChanged(Notice, frozen=True, kw_only=True):
    """The session is idle, running or requires an action."""

    state: str = ""


class SessionTitleChanged(Notice, frozen=True, kw_only=True):
    """The session has a new title."""

    title: str = ""


class WorkerShuttingDown(Notice, frozen=True, kw_only=True):
    """The CLI is about to end."""

    reason: str = ""


class CommandsChanged(Notice, frozen=True, kw_only=True):
    """All slash commands."""

    commands: list[Json] | None = None


class Notification(Notice, frozen=True, kw_only=True):
    """A short text for the person."""

    key: str = ""
    text: str = ""
    priority: str = ""
    color: str | None = None
    timeout_ms: Number | None = None


class FilesPersisted(Notice, frozen=True, kw_only=True):
    """Files were kept."""

    files: list[Json] | None = None
    failed: list[Json] | None = None
    processed_at: str | None = None


class MemoryRecall(Notice, frozen=True, kw_only=True):
    """Memories came into the conversation."""

    mode: str = ""
    memories: list[Json] | None = None


class ElicitationComplete(Notice, frozen=True, kw_only=True):
    """The person finished what an MCP server asked for."""

    mcp_server_name: str = ""
    elicitation_id: str = ""


class PermissionDenied(Notice, frozen=True, kw_only=True):
    """A tool call was denied without asking."""

    tool_name: str = ""
    tool_use_id: str = ""
    message: str = ""
    decision_reason: str | None = None
    decision_reason_type: str | None = None
    decision_reason_code: str | None = None
    agent_id: str | None = None


class MirrorError(Notice, frozen=True, kw_only=True):
    """A copy of the session could not be stored."""

    error: str = ""
    key: Json | None = None


class Informational(Notice, frozen=True, kw_only=True):
    """A line for the person that is no error."""

    content: str = ""
    level: str = ""
    tool_use_id: str | None = None
    prevent_continuation: bool | None = None
    tag: str | None = None
    prompt_submit_outcome: Json | None = None
    model_restriction: Json | None = None
    hook_no_verdict: Json | None = None


class SessionWritesLost(Notice, frozen=True, kw_only=True):
    """The disk is full: the session's file is incomplete."""

    error_code: str = ""
    lost: list[str] | None = None
    transcript_session_ids: list[str] | None = None


class StopHookSummary(Notice, frozen=True, kw_only=True):
    """What the Stop hooks did."""

    hook_count: Number | None = field(default=None, name="hookCount")
    hook_infos: list[Any] | None = field(default=None, name="hookInfos")


NOTICES: dict[str, type[Notice]] = {
    "init": Init,
    "compact_boundary": CompactBoundary,
    "status": Status,
    "api_retry": ApiRetry,
    "control_request_progress": ControlRequestProgress,
    "model_refusal_fallback": ModelRefusalFallback,
    "model_refusal_no_fallback": ModelRefusalNoFallback,
    "local_command_output": LocalCommandOutput,
    "hook_started": HookStarted,
    "hook_progress": HookProgress,
    "hook_response": HookResponse,
    "plugin_install": PluginInstall,
    "task_started": TaskStarted,
    "task_updated": TaskUpdated,
    "task_progress": TaskProgress,
    "task_notification": TaskNotification,
    "background_tasks_changed": BackgroundTasksChanged,
    "thinking_tokens": ThinkingTokens,
    "session_state_changed": SessionStateChanged,
    "session_title_changed": SessionTitleChanged,
    "worker_shutting_down": WorkerShuttingDown,
    "commands_changed": CommandsChanged,
    "notification": Notification,
    "files_persisted": FilesPersisted,
    "memory_recall": MemoryRecall,
    "elicitation_complete": ElicitationComplete,
    "permission_denied": PermissionDenied,
    "mirror_error": MirrorError,
    "informational": Informational,
    "session_writes_lost": SessionWritesLost,
    "stop_hook_summary": StopHookSummary,
}

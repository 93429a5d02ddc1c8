"""The control protocol as data: envelopes, what the CLI asks us, what we answer. Pure."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Raw, Struct, UnsetType, field

from anyide.headless.messages import Json, Message, Number

UNSUPPORTED = "unsupported_request"


class ControlRequest(Message, frozen=True, kw_only=True, tag_field="type", tag="control_request"):
    """Something is asked: of us, or of the CLI."""

    request_id: str = ""
    request: Raw = Raw(b"{}")


class Answer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was answered to a control request."""

    subtype: str
    request_id: str
    response: Any = None
    error: str | None = None
    error_code: str | None = None


class ControlResponse(Message, frozen=True, kw_only=True, tag_field="type", tag="control_response"):
    """The answer to a control request."""

    response: Answer


class ControlCancelRequest(
    Message, frozen=True, kw_only=True, tag_field="type", tag="control_cancel_request"
):
    """An answer is no longer wanted."""

    request_id: str = ""


class _Asked(Struct, frozen=True, kw_only=True, tag_field="subtype"):
    pass


class CanUseTool(_Asked, frozen=True, kw_only=True, tag="can_use_tool"):
    """May this tool be used with this input?"""

    tool_name: str = ""
    input: Json = field(default_factory=dict)
    tool_use_id: str = ""
    permission_suggestions: list[Json] | None = None
    title: str | None = None
    display_name: str | None = None
    description: str | None = None
    blocked_path: str | None = None
    decision_reason: str | None = None
    decision_reason_type: str | None = None
    agent_id: str | None = None
    requires_user_interaction: bool | None = None
    mcp_server: Json | None = None
    decision_reason_code: str | None = None
    decision_reason_rule_source: str | None = None
    decision_reason_hook_event: str | None = None
    decision_reason_hook_source: str | None = None
    suppress_always_allow_rule: bool | None = None
    default_to_no: bool | None = None
    matched_ask_rule: Json | None = None
    plugin: str | None = None
    server_prompt: str | None = None
    tool_kind: str | None = None


class HookCallback(_Asked, frozen=True, kw_only=True, tag="hook_callback"):
    """A hook of ours is due."""

    callback_id: str = ""
    input: Json = field(default_factory=dict)
    tool_use_id: str | None = None
    issued_at: Number | None = None
    deadline_ms: Number | None = None


class Elicitation(_Asked, frozen=True, kw_only=True, tag="elicitation"):
    """An MCP server asks the person for something."""

    mcp_server_name: str = ""
    message: str = ""
    mode: str | None = None
    url: str | None = None
    elicitation_id: str | None = None
    requested_schema: Json | None = None
    property_order: list[str] | None = None
    title: str | None = None
    display_name: str | None = None
    description: str | None = None


class UserDialog(_Asked, frozen=True, kw_only=True, tag="request_user_dialog"):
    """A dialog of a kind that we declared is to be shown."""

    dialog_kind: str = ""
    payload: Json = field(default_factory=dict)
    tool_use_id: str | None = None


class McpMessage(_Asked, frozen=True, kw_only=True, tag="mcp_message"):
    """A JSON-RPC message for tools that run in this process."""

    server_name: str = ""
    message: Json = field(default_factory=dict)


Asked = CanUseTool | HookCallback | Elicitation | UserDialog | McpMessage


class Ask(Struct, frozen=True, kw_only=True, tag_field="type", tag="control_request"):
    """A request of ours, as it is sent."""

    request_id: str
    request: Json


class Reply(Struct, frozen=True, kw_only=True, tag_field="type", tag="control_response"):
    """An answer of ours, as it is sent."""

    response: Answer


class Prompt(Struct, frozen=True, kw_only=True, tag_field="type", tag="user"):
    """A user message, as it is sent."""

    message: Json
    uuid: str
    session_id: str = ""
    parent_tool_use_id: str | None = None
    client_composed: bool | UnsetType = UNSET
    priority: str | UnsetType = UNSET
    should_query: bool | UnsetType = field(default=UNSET, name="shouldQuery")

"""What the CLI says in a turn: messages, content blocks, stream events. Pure data.

Every field may be missing and every enum is a plain string: the set grows with each release. What
is not known comes as `Unknown`; the line itself is always in `raw`, so nothing is ever lost.

They are JSON and hold no cycles, so the garbage collector need not look at them (`gc=False`): that
halves the cost of a message.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct, field

Number = int | float
Json = dict[str, Any]

_HIDDEN = "\uffff"  # begins names that no CLI sends: it is no character


class Message(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """What every message has: its own id, its session, the line that it came in."""

    uuid: str | None = None
    session_id: str | None = None
    raw: bytes = field(default=b"", name=_HIDDEN + "raw")

    @property
    def json(self) -> Json:
        """The whole line as JSON, with what is not typed here."""
        decoded: Json = msgspec.json.decode(self.raw) if self.raw else msgspec.to_builtins(self)
        return decoded


class Unknown(Message, frozen=True, kw_only=True, tag_field="type", tag=_HIDDEN):
    """A message, block, event or delta of a type that we do not know, with its JSON in `raw`."""

    kind: str = field(default="", name=_HIDDEN + "kind")
    subtype: str = field(default="", name=_HIDDEN + "subtype")


class Noise(Message, frozen=True, kw_only=True):
    """A line that is no message: not JSON, not an object, not UTF-8, too long, cut short."""

    problem: str = ""


# Content blocks.


class _Tagged(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", gc=False):
    pass


class TextBlock(_Tagged, frozen=True, kw_only=True, tag="text"):
    """Text for the person."""

    text: str = ""
    citations: list[Json] | None = None


class ThinkingBlock(_Tagged, frozen=True, kw_only=True, tag="thinking"):
    """What the model thought; the signature proves it to the API."""

    thinking: str = ""
    signature: str = ""


class RedactedThinkingBlock(_Tagged, frozen=True, kw_only=True, tag="redacted_thinking"):
    """Thinking that only the API can read."""

    data: str = ""


class ToolUseBlock(_Tagged, frozen=True, kw_only=True, tag="tool_use"):
    """The model calls a tool."""

    id: str = ""
    name: str = ""
    input: Json = field(default_factory=dict)


class ServerToolUseBlock(_Tagged, frozen=True, kw_only=True, tag="server_tool_use"):
    """The model calls a tool that the API runs itself."""

    id: str = ""
    name: str = ""
    input: Json = field(default_factory=dict)


class ImageBlock(_Tagged, frozen=True, kw_only=True, tag="image"):
    """A picture."""

    source: Json = field(default_factory=dict)


class DocumentBlock(_Tagged, frozen=True, kw_only=True, tag="document"):
    """A document, for example a PDF."""

    source: Json = field(default_factory=dict)
    title: str | None = None


class ToolResultBlock(_Tagged, frozen=True, kw_only=True, tag="tool_result"):
    """What a tool answered."""

    tool_use_id: str = ""
    content: str | list[Block] | None = None
    is_error: bool | None = None

    @property
    def text(self) -> str:
        """The text of the answer."""
        return text_of(self.content)


Block = (
    TextBlock
    | ThinkingBlock
    | RedactedThinkingBlock
    | ToolUseBlock
    | ServerToolUseBlock
    | ImageBlock
    | DocumentBlock
    | ToolResultBlock
    | Unknown
)
Content = str | list[Block] | None


def text_of(content: Content) -> str:
    """The text blocks of a content, joined."""
    if isinstance(content, str):
        return content
    return "".join(block.text for block in content or () if isinstance(block, TextBlock))


# The parts of `stream_event`.


class TextPiece(_Tagged, frozen=True, kw_only=True, tag="text_delta"):
    """The next piece of a text block."""

    text: str = ""


class ThinkingPiece(_Tagged, frozen=True, kw_only=True, tag="thinking_delta"):
    """The next piece of a thinking block."""

    text: str = field(default="", name="thinking")
    estimated_tokens: Number | None = None


class SignaturePiece(_Tagged, frozen=True, kw_only=True, tag="signature_delta"):
    """The signature of a thinking block."""

    text: str = field(default="", name="signature")


class InputPiece(_Tagged, frozen=True, kw_only=True, tag="input_json_delta"):
    """The next piece of the JSON of a tool's input."""

    text: str = field(default="", name="partial_json")


class CitationPiece(_Tagged, frozen=True, kw_only=True, tag="citations_delta"):
    """A citation of a text block."""

    citation: Json = field(default_factory=dict)


Piece = TextPiece | ThinkingPiece | SignaturePiece | InputPiece | CitationPiece | Unknown


class Usage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Tokens of one request, or of one turn's main loop."""

    input_tokens: Number | None = 0
    output_tokens: Number | None = 0
    cache_creation_input_tokens: Number | None = 0
    cache_read_input_tokens: Number | None = 0


class ApiMessage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The message of the Messages API inside an assistant's or user's message."""

    id: str | None = None
    role: str | None = None
    model: str | None = None
    content: str | list[Block] | None = None
    stop_reason: str | None = None
    stop_sequence: str | None = None
    usage: Usage | None = None


class MessageStart(_Tagged, frozen=True, kw_only=True, tag="message_start"):
    """A message of the assistant begins."""

    message: ApiMessage = ApiMessage()


class BlockStart(_Tagged, frozen=True, kw_only=True, tag="content_block_start"):
    """A content block begins."""

    index: int = 0
    content_block: Block | None = None


class BlockDelta(_Tagged, frozen=True, kw_only=True, tag="content_block_delta"):
    """A content block grows."""

    index: int = 0
    delta: Piece | None = None


class BlockStop(_Tagged, frozen=True, kw_only=True, tag="content_block_stop"):
    """A content block is complete."""

    index: int = 0


class MessageChange(_Tagged, frozen=True, kw_only=True, tag="message_delta"):
    """Stop reason and usage of the message."""

    delta: Json | None = None
    usage: Usage | None = None


class MessageStop(_Tagged, frozen=True, kw_only=True, tag="message_stop"):
    """The message is complete."""


class Ping(_Tagged, frozen=True, kw_only=True, tag="ping"):
    """The API is still there."""


StreamPart = (
    MessageStart
    | BlockStart
    | BlockDelta
    | BlockStop
    | MessageChange
    | MessageStop
    | Ping
    | Unknown
)

# Messages.


class StreamEvent(Message, frozen=True, kw_only=True, tag_field="type", tag="stream_event"):
    """A part of a message while it streams; needs `include_partial`."""

    event: StreamPart | None = None
    parent_tool_use_id: str | None = None
    user_message_uuid: str | None = None
    ttft_ms: Number | None = None
    user_message_uuids: list[str] | None = None
    resume_reason: str | None = None


class Origin(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who caused a message or a turn."""

    kind: str = ""


class ThinkingMetadata(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How much was thought, and why."""

    level: str | None = None
    disabled: bool | None = None
    triggers: list[Any] | None = None


class Todo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One entry of the list of things to do."""

    content: str = ""
    status: str = ""
    id: str | None = None


class Assistant(Message, frozen=True, kw_only=True, tag_field="type", tag="assistant"):
    """One finished content block of the assistant, or several; they share `message.id`."""

    message: ApiMessage | None = None
    flat: str | list[Block] | None = field(default=None, name="content")
    flat_model: str | None = field(default=None, name="model")
    parent_tool_use_id: str | None = None
    error: str | None = None
    request_id: str | None = None
    user_message_uuid: str | None = None
    user_message_uuids: list[str] | None = None
    thinking_metadata: ThinkingMetadata | None = field(default=None, name="thinkingMetadata")
    todos: list[Todo] | None = None
    aborted: bool | None = None
    supersedes: list[str] | None = None
    api_error_status: Number | None = None
    resume_reason: str | None = None
    resumed_from_incomplete_thinking: bool | None = None
    agent_id: str | None = None
    subagent_type: str | None = None
    task_description: str | None = None
    timestamp: str | None = None
    context_usage: Any = None
    usage_report: Any = None

    @property
    def content(self) -> list[Block]:
        """The blocks, from either shape of the message."""
        return _blocks(self.message.content if self.message else self.flat)

    @property
    def model(self) -> str | None:
        """The model that spoke."""
        return self.message.model if self.message else self.flat_model


class User(Message, frozen=True, kw_only=True, tag_field="type", tag="user"):
    """Tool results, or what was typed when it is replayed."""

    message: ApiMessage | None = None
    flat: str | list[Block] | None = field(default=None, name="content")
    parent_tool_use_id: str | None = None
    tool_use_result: Any = None
    is_replay: bool | None = field(default=None, name="isReplay")
    is_synthetic: bool | None = field(default=None, name="isSynthetic")
    timestamp: str | None = None
    priority: str | None = None
    origin: Origin | None = None
    should_query: bool | None = field(default=None, name="shouldQuery")
    client_composed: bool | None = None
    pasted_content: Any = None
    inline_pastes: Any = None
    file_attachments: list[Any] | None = None
    agent_id: str | None = None
    subagent_type: str | None = None
    task_description: str | None = None

    @property
    def content(self) -> list[Block]:
        """The blocks, from either shape of the message."""
        return _blocks(self.message.content if self.message else self.flat)


class ModelUsage(Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """Tokens and cost of one model over the session."""

    input_tokens: Number | None = 0
    output_tokens: Number | None = 0
    thinking_tokens: Number | None = None
    cache_read_input_tokens: Number | None = 0
    cache_creation_input_tokens: Number | None = 0
    web_search_requests: Number | None = 0
    cost_usd: Number | None = field(default=0, name="costUSD")
    context_window: Number | None = None
    max_output_tokens: Number | None = None
    canonical_model: str | None = None
    provider: str | None = None
    cost_basis: str | None = None
    cache_creation_ephemeral_5m_input_tokens: Number | None = field(
        default=None, name="cacheCreationEphemeral5mInputTokens"
    )
    cache_creation_ephemeral_1h_input_tokens: Number | None = field(
        default=None, name="cacheCreationEphemeral1hInputTokens"
    )


class PermissionDenial(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tool call that was not allowed."""

    tool_name: str = ""
    tool_use_id: str = ""
    tool_input: Json = field(default_factory=dict)


class Result(Message, frozen=True, kw_only=True, tag_field="type", tag="result"):
    """The end of a turn. Cost and `model_usage` are of the whole session so far."""

    subtype: str = ""
    is_error: bool = False
    result: str | None = None
    errors: list[str] | None = None
    duration_ms: Number | None = None
    duration_api_ms: Number | None = None
    num_turns: Number | None = None
    stop_reason: str | None = None
    terminal_reason: str | None = None
    api_error: str | None = None
    total_cost_usd: Number | None = None
    usage: Usage | None = None
    model_usage: dict[str, ModelUsage] | None = field(default=None, name="modelUsage")
    model_usage_since_last_result: dict[str, ModelUsage] | None = None
    permission_denials: list[PermissionDenial] | None = None
    structured_output: Any = None
    deferred_tool_use: Any = None
    api_error_status: Number | None = None
    startup_failure_reason: str | None = None
    user_message_uuid: str | None = None
    user_message_uuids: list[str] | None = None
    origin: Origin | None = None
    queued_turn_count: Number | None = None
    result_index: Number | None = None
    resume_reason: str | None = None
    local_command: Any = None
    invalid_config_file: str | None = None
    credential_expires_at: Any = None
    fast_mode_state: str | None = None
    fast_mode_disabled_reason: str | None = None
    ttft_ms: Number | None = None
    ttft_stream_ms: Number | None = None
    time_to_request_ms: Number | None = None
    first_content_frame_ms: Number | None = None
    request_sent_wall_ms: Number | None = None
    time_to_request_from_spawn_ms: Number | None = None
    time_origin_ms: Number | None = None
    warm_spare_claimed: bool | None = None


def _blocks(content: Content) -> list[Block]:
    if isinstance(content, str):
        return [TextBlock(text=content)]
    return content or []

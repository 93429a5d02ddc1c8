"""What may be said in the IDE protocol: MCP as far as the CLI uses it, and the notifications.

Frozen structs and nothing else; the arguments of a tool stand in the tool's own file.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from anyide.editor.model import Position, Range

# Both directions


class Implementation(msgspec.Struct, frozen=True):
    """Who speaks."""

    name: str = ""
    version: str = ""


class Text(msgspec.Struct, frozen=True, tag="text", tag_field="type"):
    """A text block of a tool's answer."""

    text: str


class Image(msgspec.Struct, frozen=True, tag="image", tag_field="type", rename="camel"):
    """A picture in a tool's answer; `data` is base64."""

    data: str
    mime_type: str


class CallResult(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What a tool answered."""

    content: tuple[Text | Image, ...]
    is_error: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """The text blocks, in order."""
        return tuple(block.text for block in self.content if isinstance(block, Text))

    @property
    def text(self) -> str:
        """The first text block, empty if there is none."""
        return self.texts[0] if self.texts else ""


class JsonResult(CallResult, frozen=True):
    """What a tool answered as JSON in one text block."""


# From the CLI


class InitializeParams(msgspec.Struct, frozen=True, rename="camel"):
    """The CLI introduces itself."""

    protocol_version: str = "2025-03-26"
    client_info: Implementation = Implementation()
    capabilities: dict[str, Raw] = {}


class CallParams(msgspec.Struct, frozen=True):
    """A tool is called."""

    name: str
    arguments: Raw | UnsetType = UNSET


class IdeConnected(msgspec.Struct, frozen=True):
    """The CLI is ready, and this is its process."""

    pid: Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)] | None = None


class Root(msgspec.Struct, frozen=True):
    """A folder that the CLI works in."""

    uri: str


class Roots(msgspec.Struct, frozen=True):
    """The CLI's answer to `roots/list`."""

    roots: tuple[Root, ...] = ()


# To the CLI


class ToolsCapability(msgspec.Struct, frozen=True, rename="camel"):
    """That the list of tools may change."""

    list_changed: bool = True


class Capabilities(msgspec.Struct, frozen=True):
    """What we offer: tools and nothing else, or the CLI probes for the rest."""

    tools: ToolsCapability = ToolsCapability()


class InitializeResult(msgspec.Struct, frozen=True, rename="camel"):
    """We introduce ourselves."""

    protocol_version: str
    server_info: Implementation
    capabilities: Capabilities = Capabilities()


class ToolInfo(msgspec.Struct, frozen=True, rename="camel"):
    """One tool as `tools/list` shows it."""

    name: str
    description: str = ""
    input_schema: dict[str, Any] = {}


class ToolList(msgspec.Struct, frozen=True):
    """The answer to `tools/list`."""

    tools: tuple[ToolInfo, ...]


class WireSelection(msgspec.Struct, frozen=True, rename="camel"):
    """A range with the word whether it is a bare cursor."""

    start: Position
    end: Position
    is_empty: bool


class SelectionChanged(msgspec.Struct, frozen=True, rename="camel"):
    """Another selection. Nothing is ever null: the CLI drops the message and shows the old one."""

    text: str
    file_path: str
    file_url: str
    selection: WireSelection


class AtMentioned(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A file or lines of it to talk about; the whole file has no line keys, never null ones."""

    file_path: str
    line_start: int | UnsetType = UNSET
    line_end: int | UnsetType = UNSET


class WireDiagnostic(msgspec.Struct, frozen=True, omit_defaults=True):
    """One finding; the words of `severity` are the dialect's."""

    message: str
    severity: str
    range: Range
    source: str = ""
    code: str = ""


class UriDiagnostics(msgspec.Struct, frozen=True):
    """What is wrong with one file: an entry of getDiagnostics, and `diagnostics_changed`."""

    uri: str
    diagnostics: tuple[WireDiagnostic, ...]

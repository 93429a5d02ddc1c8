"""One tool as one value: its name, what it takes, what it needs of the editor, what it does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import UNSET, Raw

from anyide.editor.model import Ability
from anyide.errors import EditorError, InvalidParams
from anyide.ide.context import Context
from anyide.ide.messages import CallResult, JsonResult, Text, ToolInfo
from anyide.rpc.params import decode_params

A = TypeVar("A")


class NoArguments(msgspec.Struct, frozen=True):
    """The arguments of a tool that takes none."""


@dataclass(frozen=True)
class Tool(Generic[A]):
    """A remote procedure that a CLI may call on the editor."""

    name: str
    description: str
    arguments: type[A]
    run: Callable[[Context, A], Awaitable[CallResult]]
    ability: Ability | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other names that looser clients give an argument."""

    def info(self) -> ToolInfo:
        """The tool as `tools/list` shows it."""
        return ToolInfo(self.name, self.description, _schema(self.arguments))

    async def call(self, context: Context, raw: Any) -> CallResult:
        """Run the tool; raises InvalidParams, which names the argument.

        What the editor cannot do becomes an error result: the conversation goes on.
        """
        arguments = self.read(raw)
        if self.ability is not None and self.ability not in context.editor.abilities:
            return failure(f"this editor cannot do what {self.name} asks for")
        try:
            return await self.run(context, arguments)
        except EditorError as error:
            return failure(str(error))

    def read(self, raw: Any) -> A:
        """Read raw JSON, nothing or null as the arguments of this tool."""
        # Where a language has one kind of table, "no arguments" may come as an empty array.
        if raw is UNSET or raw is None or _is_nothing(raw):
            raw = Raw(b"{}")
        if self.aliases:
            raw = self._with_our_names(raw)
        return decode_params(raw, self.arguments)

    def _with_our_names(self, raw: Raw) -> Raw:
        fields = decode_params(raw, dict[str, Raw])
        theirs = [name for name in self.aliases if name in fields]
        for name in theirs:
            fields.setdefault(self.aliases[name], fields[name])
        return Raw(msgspec.json.encode(fields)) if theirs else raw


def reply(*texts: str) -> CallResult:
    """An answer of text blocks."""
    return CallResult(tuple(Text(text) for text in texts))


def reply_json(value: Any) -> CallResult:
    """An answer of one text block that holds JSON."""
    return JsonResult((Text(msgspec.json.encode(value).decode()),))


def failure(sentence: str) -> CallResult:
    """An answer that says why the tool could not do it."""
    return CallResult((Text(sentence),), is_error=True)


def required_text(value: str, argument: str) -> str:
    """Give a text argument back unless it is blank; raises InvalidParams, which names it."""
    if not value.strip():
        raise InvalidParams(f"{argument} must not be empty")
    return value


def _is_nothing(raw: Raw) -> bool:
    # The length first: the text of a whole file may be in there, and `bytes` copies it.
    return len(raw) <= len(b"null") and bytes(raw) in (b"null", b"[]")


def _schema(arguments: type[Any]) -> dict[str, Any]:
    _, definitions = msgspec.json.schema_components([arguments])
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    definition = definitions.get(arguments.__name__, {})
    schema["properties"] = definition.get("properties", {})
    if required := definition.get("required"):
        schema["required"] = required
    return schema

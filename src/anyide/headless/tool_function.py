"""Tools in Python: a function with type hints becomes a tool that the model can call.

    @tool
    def add(a: int, b: Annotated[int, "the second number"] = 0) -> int:
        "Add two numbers."
        return a + b

The hints make the schema and check the arguments, the docstring is the description. The function
may be async. It returns text, or anything that can be JSON, or content blocks; what it raises is
told to the model as the tool's error.
"""

from __future__ import annotations

import base64
import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_args, get_origin, get_type_hints, overload

import msgspec
from msgspec import Struct

from anyide.errors import UsageError


class Picture(Struct, frozen=True):
    """A picture as a tool's answer."""

    data: bytes
    mime_type: str = "image/png"


class Tool(Struct, frozen=True, kw_only=True):
    """A function as the model sees it."""

    name: str
    description: str
    schema: dict[str, Any]
    arguments: type[Struct]
    function: Callable[..., Any]
    annotations: dict[str, Any] = {}
    max_result: int | None = None
    """So many characters of an answer reach the model; the CLI itself cuts at 50,000."""

    @property
    def declaration(self) -> dict[str, Any]:
        """How the tool is listed."""
        found = {"name": self.name, "description": self.description, "inputSchema": self.schema}
        if self.annotations:
            found["annotations"] = self.annotations
        if self.max_result is not None:
            found["_meta"] = {"anthropic/maxResultSizeChars": self.max_result}
        return found

    async def call(self, given: dict[str, Any]) -> list[dict[str, Any]]:
        """Run the function; raises msgspec.ValidationError for arguments that do not fit."""
        arguments = msgspec.convert(given, self.arguments)
        names = self.arguments.__struct_fields__
        answer = self.function(**{name: getattr(arguments, name) for name in names})
        if inspect.isawaitable(answer):
            answer = await answer
        return content(answer)


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    max_result: int | None = None,
    **annotations: Any,
) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    max_result: int | None = None,
    **annotations: Any,
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a function; annotations such as `readOnlyHint=True` are told to the CLI."""

    def make(function: Callable[..., Any]) -> Tool:
        arguments = _arguments(function)
        return Tool(
            name=name or function.__name__,
            description=description or inspect.getdoc(function) or function.__name__,
            schema=schema_of(arguments),
            arguments=arguments,
            function=function,
            annotations=annotations,
            max_result=max_result,
        )

    return make if function is None else make(function)


def schema_of(kind: type[Struct]) -> dict[str, Any]:
    """The JSON schema of an object, with nothing around it."""
    whole = msgspec.json.schema(kind)
    definitions = whole.pop("$defs", {})
    schema: dict[str, Any] = definitions.pop(kind.__name__)
    schema.pop("title", None)
    return {**schema, "$defs": definitions} if definitions else schema


def _arguments(function: Callable[..., Any]) -> type[Struct]:
    hints = get_type_hints(function, include_extras=True)
    fields: list[Any] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise UsageError(f"the tool {function.__name__} may not have *{parameter.name}")
        hint = _described(hints.get(parameter.name, Any))
        if parameter.default is parameter.empty:
            fields.append((parameter.name, hint))
        else:
            fields.append((parameter.name, hint, _default(parameter.default)))
    try:
        return msgspec.defstruct(
            f"{function.__name__}_arguments", fields, kw_only=True, forbid_unknown_fields=True
        )
    except TypeError as error:
        raise UsageError(f"the tool {function.__name__} cannot be offered: {error}") from error


def _described(hint: Any) -> Any:
    """`Annotated[int, "text"]` is a description, as people write it."""
    if get_origin(hint) is Annotated:
        kind, *extras = get_args(hint)
        metas = [msgspec.Meta(description=e) if isinstance(e, str) else e for e in extras]
        return Annotated[kind, *metas]
    return hint


def _default(value: Any) -> Any:
    if isinstance(value, list | dict | set):
        return msgspec.field(default_factory=lambda: type(value)(value))
    return value


def content(answer: Any) -> list[dict[str, Any]]:
    """What a function returned, as content blocks."""
    if answer is None:
        return []
    if isinstance(answer, str):
        return [{"type": "text", "text": answer}]
    if isinstance(answer, Picture):
        data = base64.b64encode(answer.data).decode()
        return [{"type": "image", "data": data, "mimeType": answer.mime_type}]
    if isinstance(answer, list) and answer and all(_is_block(part) for part in answer):
        return [block for part in answer for block in ([part] if _is_raw(part) else content(part))]
    return [{"type": "text", "text": msgspec.json.encode(answer).decode()}]


def _is_block(part: Any) -> bool:
    return isinstance(part, Picture) or _is_raw(part)


def _is_raw(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in ("text", "image", "resource", "audio")

"""A client's prompt as content for Claude, and what was typed as content for a client. Pure."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import unquote

from anyide.acp.messages import (
    AudioContent,
    BlobResourceContents,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)
from anyide.acp.tool_call import without_reminders
from anyide.errors import InvalidParams

MAX_TITLE = 80
IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_MCP_COMMAND = re.compile(r"\A/mcp:(\S+)")

Json = dict[str, Any]


def to_claude(prompt: Sequence[ContentBlock]) -> list[Json]:
    """The content of a user message; raises InvalidParams for what Claude cannot take."""
    blocks: list[Json] = []
    contexts: list[str] = []
    for block in prompt:
        blocks += _convert(block, contexts)
    if not blocks:
        raise InvalidParams("prompt: there is nothing in it")
    return [*blocks, *map(_text, contexts)]


def title_of(prompt: Sequence[ContentBlock]) -> str:
    """A name for a conversation that begins like this."""
    texts = " ".join(block.text for block in prompt if isinstance(block, TextContent))
    line = " ".join(texts.split())
    return line if len(line) <= MAX_TITLE else f"{line[: MAX_TITLE - 1]}…"


def _convert(block: ContentBlock, contexts: list[str]) -> Iterator[Json]:
    match block:
        case TextContent(text=text):
            if text.strip():  # the API refuses a text with nothing in it, now and ever after
                yield _text(_MCP_COMMAND.sub(r"/\1 (MCP)", text))
        case ResourceLink(uri=uri, name=name):
            yield _text(link(uri, name))
        case ImageContent():
            yield _image(block)
        case EmbeddedResource(resource=TextResourceContents(uri=uri, text=text)):
            yield _text(link(uri))
            contexts.append(_context(uri, text))
        case EmbeddedResource(resource=BlobResourceContents() as blob):
            yield from _blob(blob, contexts)
        case AudioContent():
            raise InvalidParams("prompt: audio is not supported")
        case _:
            raise InvalidParams("prompt: a content block of an unknown type")


def link(uri: str, name: str = "") -> str:
    """A mention of a file, as the CLI understands it, or a link to anything else."""
    if uri.startswith("file://"):
        path = unquote(re.split(r"[?#]", uri.removeprefix("file://"), maxsplit=1)[0]).rstrip("/")
        return f"[@{name or path.rpartition('/')[2] or uri}]({uri})"
    return f"[@{name}]({uri})" if name else uri


def _image(block: ImageContent) -> Json:
    if not block.data and isinstance(block.uri, str) and block.uri.startswith("http"):
        return {"type": "image", "source": {"type": "url", "url": block.uri}}
    if block.mime_type not in IMAGES:
        raise InvalidParams(f"prompt: images of the type {block.mime_type} are not supported")
    return _encoded("image", block.data, block.mime_type)


def _blob(blob: BlobResourceContents, contexts: list[str]) -> Iterator[Json]:
    kind = blob.mime_type if isinstance(blob.mime_type, str) else ""
    yield _text(link(blob.uri))
    if kind in IMAGES:
        yield _encoded("image", blob.blob, kind)
    elif kind == "application/pdf":
        yield _encoded("document", blob.blob, kind)
    else:
        contexts.append(_context(blob.uri, _decoded(blob, kind)))


def _context(uri: str, text: str) -> str:
    return f'\n<context ref="{uri.replace(chr(34), "%22")}">\n{text}\n</context>'


def _decoded(blob: BlobResourceContents, kind: str) -> str:
    try:
        return base64.b64decode("".join(blob.blob.split()), validate=True).decode()
    except ValueError as error:
        raise InvalidParams(
            f"prompt: the resource {blob.uri} ({kind or 'no type'}) is not text, image or PDF"
        ) from error


def _encoded(kind: str, data: str, media_type: str) -> Json:
    data = "".join(data.split())
    try:
        is_there = bool(base64.b64decode(data, validate=True))
    except ValueError:
        is_there = False
    if not is_there:  # the API would refuse it, now and ever after
        raise InvalidParams(f"prompt: the data of a {media_type} is not base64")
    return {"type": kind, "source": {"type": "base64", "media_type": media_type, "data": data}}


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


# Back: what was typed, as a transcript keeps it.

_CONTEXT = re.compile(r'\A\n<context ref="([^"]*)">\n(.*)\n</context>\Z', re.DOTALL)
_LINK = re.compile(r"\A\[@([^\]\n]+)\]\(([a-z][\w+.-]*:[^\s]+)\)\Z")
# What the CLI puts before the person's words, or in the place of them.
_ADDED = re.compile(
    r"\s*<(local-command-\w+|bash-std\w+|bash-exit-code|ide_opened_file|ide_selection)\b[^>]*>"
    r".*?</\1>",
    re.DOTALL,
)
_NOT_TYPED = re.compile(
    r"\[Request interrupted by user[^\]]*\]|<task-notification>.*|<command-message>.*", re.DOTALL
)
_COMMAND = re.compile(
    r"(?:<command-message>[^<]*</command-message>\s*)?<command-name>(.*?)</command-name>", re.DOTALL
)
_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_BASH = re.compile(r"<bash-input>(.*)</bash-input>", re.DOTALL)


def from_claude(content: str | list[Any] | None) -> Iterator[ContentBlock]:
    """What a person typed, for a client."""
    found = [{"type": "text", "text": content}] if isinstance(content, str) else content
    listed = found if isinstance(found, list) else []
    blocks = [block for block in listed if isinstance(block, dict)]
    embedded = [c.groups() for block in blocks if (c := _CONTEXT.match(_said(block)))]
    for block in blocks:
        text = _said(block)
        context = _CONTEXT.match(text)
        is_it = (
            context.groups() if context else next((e for e in embedded if link(e[0]) == text), None)
        )
        if is_it in embedded:  # where it is mentioned, or else where it stands
            embedded.remove(is_it)
            yield EmbeddedResource(resource=TextResourceContents(uri=is_it[0], text=is_it[1]))
        elif context is None:
            yield from _typed_block(block, text)


def _typed_block(block: Json, text: str) -> Iterator[ContentBlock]:
    source = block.get("source")
    if mention := _LINK.match(text):
        yield ResourceLink(name=mention[1], uri=mention[2])
    elif typed := _typed(text):
        yield TextContent(text=typed)
    elif block.get("type") == "image" and isinstance(source, dict) and source.get("data"):
        kind = str(source.get("media_type") or "image/png")
        yield ImageContent(data=str(source["data"]), mime_type=kind)


def _said(block: Json) -> str:
    text = block.get("text")
    return text if block.get("type") == "text" and isinstance(text, str) else ""


def _typed(text: str) -> str:
    """The person's own words; nothing when all of it is the CLI's."""
    words = without_reminders(text.strip())
    if command := _COMMAND.match(words):
        arguments = _ARGUMENTS.search(words)
        return f"{command[1]} {arguments[1] if arguments else ''}".strip()
    if shell := _BASH.fullmatch(words):
        return f"!{shell[1]}"
    while added := _ADDED.match(words):
        words = words[added.end() :]
    words = "" if _NOT_TYPED.fullmatch(words) else words.strip()
    return text if words == text.strip() and words else words

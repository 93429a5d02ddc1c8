"""A client's prompt as content for Claude, and what was typed as content for a client. Pure."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

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
from anyide.errors import InvalidParams

MAX_TITLE = 80
IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_MCP_COMMAND = re.compile(r"\A/mcp:([^\s:]+):(\S+)")

Json = dict[str, Any]


def to_claude(prompt: Sequence[ContentBlock]) -> list[Json]:
    """The content of a user message; raises InvalidParams for what Claude cannot take."""
    blocks: list[Json] = []
    contexts: list[str] = []
    for block in prompt:
        blocks += _convert(block, contexts)
    return [*blocks, *({"type": "text", "text": context} for context in contexts)]


def title_of(prompt: Sequence[ContentBlock]) -> str:
    """A name for a conversation that begins like this."""
    texts = " ".join(block.text for block in prompt if isinstance(block, TextContent))
    line = " ".join(texts.split())
    return line if len(line) <= MAX_TITLE else f"{line[: MAX_TITLE - 1]}…"


def _convert(block: ContentBlock, contexts: list[str]) -> Iterator[Json]:
    match block:
        case TextContent(text=text):
            yield _text(_MCP_COMMAND.sub(r"/\1:\2 (MCP)", text))
        case ResourceLink(uri=uri, name=name):
            yield _text(link(uri, name))
        case ImageContent():
            yield _image(block)
        case EmbeddedResource(resource=TextResourceContents(uri=uri, text=text)):
            yield _text(link(uri))
            contexts.append(f'\n<context ref="{uri}">\n{text}\n</context>')
        case EmbeddedResource(resource=BlobResourceContents() as blob):
            yield from _blob(blob, contexts)
        case AudioContent():
            raise InvalidParams("prompt: audio is not supported")
        case _:
            raise InvalidParams("prompt: a content block of an unknown type")


def link(uri: str, name: str = "") -> str:
    """A mention of a file, as the CLI understands it, or a link to anything else."""
    if uri.startswith("file://"):
        path = unquote(urlsplit(uri).path)
        return f"[@{name or path.rpartition('/')[2]}]({uri})"
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
        contexts.append(f'\n<context ref="{blob.uri}">\n{_decoded(blob, kind)}\n</context>')


def _decoded(blob: BlobResourceContents, kind: str) -> str:
    try:
        return base64.b64decode(blob.blob, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as error:
        raise InvalidParams(
            f"prompt: the resource {blob.uri} ({kind or 'no type'}) is not text, image or PDF"
        ) from error


def _encoded(kind: str, data: str, media_type: str) -> Json:
    return {"type": kind, "source": {"type": "base64", "media_type": media_type, "data": data}}


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


# Back: what was typed, as a transcript keeps it.

_NOT_TYPED = re.compile(
    r"<(system-reminder|local-command-\w+|command-message)>.*?</\1>"
    r"|\[Request interrupted by user[^\]]*\]",
    re.DOTALL,
)
_COMMAND = re.compile(r"<command-name>(.*?)</command-name>", re.DOTALL)
_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)


def from_claude(content: str | list[Any] | None) -> Iterator[ContentBlock]:
    """What a person typed, for a client."""
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    for block in blocks:
        source = block.get("source") if isinstance(block, dict) else None
        if isinstance(block, dict) and block.get("type") == "text":
            if text := _typed(str(block.get("text") or "")):
                yield TextContent(text=text)
        elif isinstance(source, dict) and block.get("type") == "image" and source.get("data"):
            kind = str(source.get("media_type") or "image/png")
            yield ImageContent(data=str(source["data"]), mime_type=kind)


def _typed(text: str) -> str:
    if name := _COMMAND.search(text):
        arguments = _ARGUMENTS.search(text)
        return f"{name[1]} {arguments[1] if arguments else ''}".strip()
    return _NOT_TYPED.sub("", text).strip()

"""The six methods of seed 004: plain JSON-RPC, plain results, paths relative to the workspace.

`writeFile` is reviewed like every other change: no text reaches the disk that no person approved.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from anyide.editor.document import DecodedText
from anyide.editor.model import Ability, Proposal
from anyide.editor.review import Failed, Saved
from anyide.errors import AnyideError, EditorError, RpcError
from anyide.ide.context import Context, base_name
from anyide.ide.paths import relative_to
from anyide.ide.workspace.files import listed, parts_inside, read, write
from anyide.rpc.message import ErrorCode
from anyide.rpc.params import decode_params

Method = Callable[[Context, Any], Awaitable[Any]]


class PathParams(msgspec.Struct, frozen=True):
    """A file of the workspace."""

    path: str


class WriteParams(msgspec.Struct, frozen=True):
    """A file of the workspace and its new text."""

    path: str
    content: str


class ListParams(msgspec.Struct, frozen=True):
    """Which files to list."""

    pattern: str | None = None


class WorkspaceInfo(msgspec.Struct, frozen=True, rename="camel"):
    """What is known of the workspace."""

    name: str
    path: str
    file_count: int
    type: str


async def read_file(context: Context, raw: Any) -> str:
    """The text of a file: the editor's where it is unsaved, else the disk's."""
    path = decode_params(raw, PathParams).path
    with _failing_to("read file"):
        absolute = _shared(context, path)
        # Read in any case: the editor may have followed a link out of the workspace. What it says
        # of a document without changes was read again just now, perhaps by another way.
        on_disk = await asyncio.to_thread(read, _root(context), path)
        document = await context.editor.document(absolute)
        if document is not None and document.is_dirty:
            return document.text
        if on_disk is None:
            raise EditorError("File not found")
        return on_disk.text


async def write_file(context: Context, raw: Any) -> bool:
    """Propose a text; once a person accepted it, as it is or edited, write it."""
    params = decode_params(raw, WriteParams)
    with _failing_to("write file"):
        if Ability.REVIEW not in context.editor.abilities:
            raise EditorError("this editor cannot ask a person to approve the change")
        path, root = _shared(context, params.path), _root(context)
        before = await asyncio.to_thread(read, root, params.path)
        proposal = await _proposal(context, path, params.content, before)
        answer = await context.reviews.propose(proposal.tab_name, _given(proposal))
        if isinstance(answer, Failed):
            raise EditorError(answer.message)
        if not isinstance(answer, Saved):
            raise EditorError("the change was rejected")
        if await asyncio.to_thread(read, root, params.path) != before:
            raise EditorError("the file changed while the change was reviewed")
        text = msgspec.structs.replace(before or DecodedText(""), text=answer.text)
        await asyncio.to_thread(write, root, params.path, text)
    return True


async def list_files(context: Context, raw: Any) -> list[str]:
    """The files that may be named, by pattern."""
    pattern = decode_params(raw, ListParams).pattern or ""
    return await asyncio.to_thread(_visible, context, pattern)


async def get_workspace_info(context: Context, _: Any) -> WorkspaceInfo:
    """Name, place, size and kind of the workspace."""
    root = _root(context)
    is_vault = await asyncio.to_thread((Path(root) / ".obsidian").is_dir)
    return WorkspaceInfo(
        name=base_name(root),
        path=context.wire(root),
        file_count=len(await asyncio.to_thread(_visible, context, "")),
        type="obsidian-vault" if is_vault else "folder",
    )


async def get_open_files(context: Context, _: Any) -> list[str]:
    """The open files of the workspace that may be named."""
    tabs = context.tabs(await context.editor.tabs())
    inside = [_relative(context, tab.path) for tab in tabs if not tab.is_untitled]
    return [path for path in inside if path is not None]


async def get_current_file(context: Context, _: Any) -> str | None:
    """The active file of the workspace, if it may be named."""
    tabs = context.tabs(await context.editor.tabs())
    return next((_relative(context, tab.path) for tab in tabs if tab.is_active), None)


METHODS: Mapping[str, Method] = {
    "readFile": read_file,
    "writeFile": write_file,
    "listFiles": list_files,
    "getWorkspaceInfo": get_workspace_info,
    "getOpenFiles": get_open_files,
    "getCurrentFile": get_current_file,
}


@contextlib.contextmanager
def _failing_to(what: str) -> Iterator[None]:
    """Errors become `failed to …: reason`, as the document shows them."""
    try:
        yield
    except RpcError:
        raise
    except AnyideError as error:
        raise RpcError(ErrorCode.INTERNAL_ERROR, f"failed to {what}: {error}") from error


def _root(context: Context) -> str:
    if not context.folders:
        raise EditorError("no workspace folder is open")
    return context.folders[0]


def _shared(context: Context, path: str) -> str:
    absolute = str(Path(_root(context)).joinpath(*parts_inside(path)))
    if not context.may_share(absolute):
        raise EditorError("this file is not shared")
    return absolute


async def _given(proposal: Proposal) -> Proposal:
    return proposal


async def _proposal(
    context: Context, path: str, new_text: str, before: DecodedText | None
) -> Proposal:
    document = await context.editor.document(path)
    is_unsaved = document is not None and document.is_dirty
    if document is not None and is_unsaved:
        old_text: str | None = document.text
    else:
        old_text = None if before is None else before.text
    identity = secrets.token_hex(8)
    return Proposal(
        id=identity,
        session=context.session,
        path=path,
        new_path=path,
        old_text=old_text,
        new_text=new_text,
        tab_name=f"{base_name(path)} ({identity[:6]})",
        is_unsaved=is_unsaved,
    )


def _visible(context: Context, pattern: str) -> list[str]:
    root = _root(context)
    return [path for path in listed(root, pattern) if context.may_share(str(Path(root) / path))]


def _relative(context: Context, path: str) -> str | None:
    return relative_to(path, _root(context), context.flavour)

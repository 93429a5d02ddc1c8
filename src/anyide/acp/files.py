"""Texts of files by way of the client; what the client has no part in, on disk.

An editor knows the files of its project. Others it refuses, each editor with an error of its own: a
plan of Claude's, the stored output of a tool, a file elsewhere that the person allowed.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence

from msgspec import structs

from anyide.acp.client import Client
from anyide.errors import EditorError, RpcError


class Files:
    """The files of one session; `folders` are those that the client must know itself."""

    def __init__(self, client: Client, session_id: str, folders: Sequence[str]) -> None:
        self._client = client
        self._session_id = session_id
        self._folders = [os.path.normpath(folder).rstrip(os.sep) + os.sep for folder in folders]

    async def read(self, path: str) -> str | None:
        """The text of a file; None for one that is not there."""
        try:
            return await self._client.read_text_file(self._session_id, path)
        except RpcError as error:
            if not await asyncio.to_thread(os.path.lexists, path):
                return None
            if self._is_the_clients(path):
                raise EditorError(f"the editor cannot read {path}: {error.message}") from error
            return await asyncio.to_thread(_read, path)

    async def write(self, path: str, text: str) -> None:
        """Put a text into a file."""
        try:
            await self._client.write_text_file(self._session_id, path, text)
        except RpcError as error:
            if self._is_the_clients(path):
                raise EditorError(f"the editor cannot write {path}: {error.message}") from error
            await asyncio.to_thread(_write, path, text)

    def _is_the_clients(self, path: str) -> bool:
        return any(path.startswith(folder) for folder in self._folders)


def _read(path: str) -> str:
    from anyide.editor.file import read_text  # noqa: PLC0415 - seldom needed

    text = read_text(path).text
    if "\0" in text:
        raise EditorError(f"cannot read {path}: it is not a text")
    return text


def _write(path: str, text: str) -> None:
    from anyide.editor.document import DecodedText  # noqa: PLC0415 - seldom needed
    from anyide.editor.file import read_text, write_text  # noqa: PLC0415

    os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
    old = read_text(path) if os.path.lexists(path) else DecodedText("")
    write_text(path, structs.replace(old, text=text))

"""Read, Edit and Write by way of the client, so that unsaved buffers are seen and written."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Protocol

from anyide.acp.client import Client
from anyide.errors import AnyideError, RpcError
from anyide.headless.tool_function import Picture

MAX_LINES = 2000
MAX_LINE = 2000
MAX_PICTURE_BYTES = 5 * 1024 * 1024
_PICTURES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}


class Refused(AnyideError):
    """A tool cannot do what the model wants; the text tells the model why."""


class Check(Protocol):
    """Raises Refused for a call that the person's rules deny."""

    async def __call__(self, builtin: str, given: dict[str, object]) -> None:
        """Look at the rules."""
        ...


class Buffers:
    """The files of the client, for one session; each method is a tool with the built-in's input."""

    def __init__(self, client: Client, session_id: str, check: Check) -> None:
        self._client = client
        self._session_id = session_id
        self._check = check
        self._seen: set[str] = set()

    async def read(
        self,
        file_path: str,
        offset: int | None = None,
        limit: int | None = None,
        pages: str | None = None,
    ) -> str | Picture:
        """Read a file."""
        await self._check("Read", {"file_path": file_path})
        kind = _PICTURES.get(Path(file_path).suffix.lower())
        if kind is not None:
            return _picture(Path(file_path), kind)
        if file_path.lower().endswith(".pdf"):
            raise Refused(f"{file_path} is a PDF: convert it to text with a command first.")
        first = max(1, offset or 1)
        text = await self.text(file_path, line=first, limit=limit or MAX_LINES)
        if text is None:
            raise Refused(f"File does not exist: {file_path}")
        self._seen.add(file_path)
        return numbered(text, first) or "The file exists, but it is empty here."

    async def write(self, file_path: str, content: str) -> str:
        """Write a file."""
        await self._check("Write", {"file_path": file_path})
        old = await self.text(file_path)
        if old is not None and file_path not in self._seen:
            raise Refused("File has not been read yet. Read it first before writing to it.")
        await self._client.write_text_file(self._session_id, file_path, content)
        self._seen.add(file_path)
        verb = "created" if old is None else "updated"
        return f"The file {file_path} has been {verb} successfully."

    async def edit(
        self, file_path: str, old_string: str, new_string: str, replace_all: bool = False
    ) -> str:
        """Replace text in a file."""
        await self._check("Edit", {"file_path": file_path})
        text = await self.text(file_path)
        if text is None and not old_string:
            return await self.write(file_path, new_string)
        if text is None:
            raise Refused(f"File does not exist: {file_path}")
        if file_path not in self._seen:
            raise Refused("File has not been read yet. Read it first before writing to it.")
        changed = replaced(text, old_string, new_string, everywhere=replace_all)
        await self._client.write_text_file(self._session_id, file_path, changed)
        return f"The file {file_path} has been updated successfully."

    async def text(
        self, path: str, *, line: int | None = None, limit: int | None = None
    ) -> str | None:
        """The text of a file as the client has it; None for one that is not there."""
        try:
            return await self._client.read_text_file(self._session_id, path, line=line, limit=limit)
        except RpcError:
            # Clients answer with different errors for a file that is missing.
            if _is_there(path):
                raise
            return None


def replaced(text: str, old: str, new: str, *, everywhere: bool) -> str:
    """The text with the change made; raises Refused when it cannot be made."""
    if old == new:
        raise Refused("No changes to make: old_string and new_string are exactly the same.")
    if old not in text and "\r\n" in text:
        old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
    count = text.count(old) if old else 0
    if count == 0:
        raise Refused(f"String to replace not found in file.\nString: {old}")
    if count > 1 and not everywhere:
        raise Refused(
            f"Found {count} matches of the string to replace, but replace_all is false. To replace"
            f" all of them, set replace_all to true; to replace one, give more context.\n{old}"
        )
    return text.replace(old, new)


def numbered(text: str, first: int) -> str:
    """Lines with their numbers, as the built-in Read gives them."""
    lines = text.split("\n")
    return "\n".join(
        f"{number}\t{line if len(line) <= MAX_LINE else line[:MAX_LINE] + '…'}"
        for number, line in enumerate(lines, first)
        if text
    )


def _is_there(path: str) -> bool:
    return Path(path).exists()


def _picture(path: Path, kind: str) -> Picture:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Refused(f"Cannot read {path}: {error.strerror}") from error
    if len(data) > MAX_PICTURE_BYTES:
        raise Refused(f"{path} is too large: {len(base64.b64encode(data))} bytes encoded")
    return Picture(data, kind)

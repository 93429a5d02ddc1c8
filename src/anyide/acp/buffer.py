"""Read, Edit, Write and NotebookEdit by way of the client: unsaved buffers are seen and written.

What the person typed since the model read a file is never overwritten: a Write over it is refused,
an Edit is made in the text as it is now.
"""

from __future__ import annotations

import base64
import os
from pathlib import Path

from anyide.acp import edit, notebook
from anyide.acp.check import Check, Refused
from anyide.acp.files import Files
from anyide.headless.tool_function import Picture

MAX_LINES = 2000
MAX_LINE = 2000
MAX_TEXT = 90_000
"""So many characters are shown at once: what the built-in shows at most, and the model bears."""
MAX_PICTURE_BYTES = 5 * 1024 * 1024
NOT_READ = "The file has not been read yet. Read it first, then change it."
CHANGED = "The file has changed since it was read. Read it again before you write to it."
Mark = tuple[int, int]
"""By which a text is known again."""
_PICTURES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}


class Buffers:
    """The files of the client, for one session; each method is a tool with the built-in's input."""

    def __init__(self, files: Files, cwd: str, check: Check) -> None:
        self._files = files
        self._cwd = cwd
        self._check = check
        self._seen: dict[str, Mark] = {}

    async def read(
        self,
        file_path: str,
        offset: int | None = None,
        limit: int | None = None,
        pages: str | None = None,
    ) -> str | Picture:
        """Read a file."""
        path = full_path(file_path, self._cwd)
        await self._check("Read", {"file_path": path})
        kind = _PICTURES.get(Path(path).suffix.lower())
        if kind is not None:
            return _picture(Path(path), kind)
        if path.lower().endswith(".pdf"):
            raise Refused(f"{path} is a PDF: convert it to text with a command first.")
        text = await self._existing(path)
        self._seen[path] = _mark(text)
        if path.lower().endswith(notebook.SUFFIX):
            return notebook.shown(text)[:MAX_TEXT] or "The notebook has no cells."
        return part(text, max(1, offset or 1), limit or MAX_LINES)

    async def write(self, file_path: str, content: str) -> str:
        """Write a file."""
        path = full_path(file_path, self._cwd)
        await self._check("Write", {"file_path": path})
        old = await self._files.read(path)
        if old is not None:
            self._see_that_it_is_known(path, old)
        await self._files.write(path, content)
        self._seen[path] = _mark(content)
        verb = "created" if old is None else "updated"
        return f"The file {path} has been {verb} successfully."

    async def edit(
        self, file_path: str, old_string: str, new_string: str, replace_all: bool = False
    ) -> str:
        """Replace text in a file."""
        path = full_path(file_path, self._cwd)
        await self._check("Edit", {"file_path": path})
        if old_string == new_string:
            raise Refused("There is nothing to change: old_string and new_string are the same.")
        text = await self._files.read(path)
        if text is None and not old_string:
            return await self.write(path, new_string)
        if text is None:
            raise Refused(missing(path))
        if path not in self._seen:
            raise Refused(NOT_READ)
        given: dict[str, object] = {
            "file_path": path,
            "old_string": old_string,
            "new_string": new_string,
            "replace_all": replace_all,
        }
        new_text = edit.new_text("Edit", given, text)
        if new_text is None:
            raise Refused(edit.why_not(given, text))
        await self._files.write(path, new_text)
        if self._seen[path] == _mark(text):
            self._seen[path] = _mark(new_text)
        return f"The file {path} has been updated successfully."

    async def notebook_edit(
        self,
        notebook_path: str,
        new_source: str,
        cell_id: str | None = None,
        cell_type: str | None = None,
        edit_mode: str = "replace",
    ) -> str:
        """Change one cell of a notebook."""
        path = full_path(notebook_path, self._cwd)
        await self._check("NotebookEdit", {"notebook_path": path})
        text = await self._existing(path)
        self._see_that_it_is_known(path, text)
        new_text = notebook.changed(
            text, new_source, cell_id=cell_id, cell_type=cell_type, edit_mode=edit_mode
        )
        await self._files.write(path, new_text)
        self._seen[path] = _mark(new_text)
        return f"The notebook {path} has been updated successfully."

    async def _existing(self, path: str) -> str:
        text = await self._files.read(path)
        if text is None:
            raise Refused(missing(path))
        return text

    def _see_that_it_is_known(self, path: str, text: str) -> None:
        """The model must know what it replaces."""
        if path not in self._seen:
            raise Refused(NOT_READ)
        if self._seen[path] != _mark(text):
            raise Refused(CHANGED)


def missing(path: str) -> str:
    """What the model is told of a file that is not there."""
    return f"The file does not exist: {path}"


def full_path(path: str, cwd: str) -> str:
    """A path as the client wants it; links stay, since the client knows its files by them."""
    return os.path.normpath(os.path.join(cwd, os.path.expanduser(path)))  # noqa: PTH111, PTH118


def part(text: str, first: int, count: int) -> str:
    """Some lines with their numbers, as the built-in Read gives them."""
    if not text:
        return "The file exists, but it is empty."
    lines = text.split("\n")
    if first > len(lines):
        return f"The file has only {len(lines)} lines."
    shown: list[str] = []
    room = MAX_TEXT
    for number, line in enumerate(lines[first - 1 : first - 1 + count], first):
        shown.append(f"{number}\t{line if len(line) <= MAX_LINE else line[:MAX_LINE] + '…'}")
        room -= len(shown[-1]) + 1
        if room < 0:
            break
    next_line = first + len(shown)
    if next_line <= len(lines) and len(shown) < count:
        shown.append(f"\nThere are {len(lines)} lines. Read on with offset={next_line}.")
    return "\n".join(shown)


def _mark(text: str) -> Mark:
    return len(text), hash(text)


def _picture(path: Path, kind: str) -> Picture:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Refused(f"Cannot read {path}: {error.strerror}") from error
    if len(data) > MAX_PICTURE_BYTES:
        raise Refused(f"{path} is too large: {len(base64.b64encode(data))} bytes encoded")
    return Picture(data, kind)

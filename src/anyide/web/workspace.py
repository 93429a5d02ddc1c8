"""The files that the page may see: those in the workspace folders, whatever they are called.

A name is first led to the real file, then that is walked to from its folder without following a
link (`ide.workspace.files`): a link may lead about inside the workspace, never out of it, and
nobody can swap a folder for a link between the check and its use.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

import msgspec

from anyide.editor.document import DecodedText, looks_binary
from anyide.editor.file import DiskState, disk_state
from anyide.errors import EditorError, OutsideWorkspace
from anyide.ide.workspace import files
from anyide.web.messages import Kind

MAX_TEXT_BYTES = 32 * 1024 * 1024
"""The largest file that is opened as text."""
MAX_RAW_BYTES = 64 * 1024 * 1024
IMAGES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".bmp": "image/bmp",
    ".ico": "image/x-icon",
}
_PROBE_BYTES = 8000
_READ_AGAIN = 3
_NOTHING = DecodedText("")
_UNTITLED = "untitled:"


class Place(msgspec.Struct, frozen=True):
    """A file inside the workspace: its folder, and the way down from there without links."""

    folder: str
    relative: str

    @property
    def path(self) -> str:
        """The real path."""
        return str(Path(self.folder) / self.relative) if self.relative else self.folder


class Workspace:
    """The workspace folders as the only files there are; a `Disk` for an editor."""

    def __init__(self, folders: Sequence[str | Path]) -> None:
        self.folders = tuple(os.path.realpath(folder) for folder in folders)
        self._kinds: dict[str, Kind] = {}

    def absolute(self, path: str) -> str:
        """A path as it is known here: relative ones begin at the first folder, `..` is undone.

        Raises OutsideWorkspace for what can be no path.
        """
        if "\0" in path:
            raise OutsideWorkspace("no path has a NUL character")
        path = os.path.abspath(os.path.join(self.folders[0], path))  # noqa: PTH100, PTH118
        if self._holds(path):
            return path
        # Another name of the folder itself, such as one that goes through a link.
        head, tail = os.path.split(path)
        real = os.path.join(os.path.realpath(head), tail)  # noqa: PTH118
        return real if self._holds(real) else path

    def _holds(self, path: str) -> bool:
        return any(Path(path).is_relative_to(folder) for folder in self.folders)

    def locate(self, path: str) -> Place:
        """Where a path leads; raises OutsideWorkspace when that is not in the workspace."""
        real = Path(os.path.realpath(self.absolute(path)))
        # The deepest folder that holds it: one workspace folder may be inside another.
        for folder in sorted(self.folders, key=len, reverse=True):
            if real.is_relative_to(folder):
                relative = real.relative_to(folder).as_posix()
                return Place(folder, "" if relative == "." else relative)
        raise OutsideWorkspace(f"{path} is not in the workspace")

    # As the disk of an editor.

    def state(self, path: str) -> DiskState | None:
        """The state of a file, None when it is not there or not in the workspace."""
        try:
            return disk_state(self.locate(path).path)
        except OutsideWorkspace:
            return None

    def read(self, path: str) -> tuple[DecodedText, DiskState]:
        """Read a file; one that is no text, or too big, is read as the empty text.

        Raises EditorError when there is none, and OutsideWorkspace.
        """
        place = self.locate(path)
        for _ in range(_READ_AGAIN):
            before = disk_state(place.path)
            if before is None:
                raise EditorError(f"cannot read {path}: there is no such file")
            if not Path(place.path).is_file():
                raise EditorError(f"cannot read {path}: it is not a file")
            kind = self._kind(place, before)
            text = files.read(place.folder, place.relative) if kind == "text" else _NOTHING
            if text is not None and disk_state(place.path) == before:
                self._kinds[path] = kind
                return text, before
        raise EditorError(f"cannot read {path}: it changes all the time")

    def write(self, path: str, decoded: DecodedText) -> DiskState:
        """Write a text file; raises EditorError, and OutsideWorkspace."""
        place = self.locate(path)
        if self._kinds.get(path, "text") != "text":
            raise EditorError(f"{path} is not a text")
        if len(decoded.text) > MAX_TEXT_BYTES:
            raise EditorError(f"{path} would be larger than {MAX_TEXT_BYTES} bytes")
        self._require_writable(place)
        files.write(place.folder, place.relative, decoded)
        state = disk_state(place.path)
        if state is None:
            raise EditorError(f"{path} was deleted as soon as it was written")
        self._kinds[path] = "text"
        return state

    def _require_writable(self, place: Place) -> None:
        if Path(place.path).exists() and not os.access(place.path, os.W_OK):
            raise EditorError(f"cannot write {place.path}: it is read-only")

    # What a file is.

    def kind(self, path: str) -> Kind:
        """What a file was when it was last read."""
        return self._kinds.get(path, "text")

    def is_read_only(self, path: str) -> bool:
        """Whether the page cannot change a file."""
        if path.startswith(_UNTITLED):
            return False
        if self.kind(path) != "text":
            return True
        real = os.path.realpath(path)
        return Path(real).exists() and not os.access(real, os.W_OK)

    def _kind(self, place: Place, state: DiskState) -> Kind:
        if Path(place.path).suffix.lower() in IMAGES:
            return "image"
        if state.size > MAX_TEXT_BYTES:
            return "tooBig"
        return "binary" if looks_binary(self._head(place)) else "text"

    def _head(self, place: Place) -> bytes:
        return self.raw(place, _PROBE_BYTES)

    def raw(self, place: Place, limit: int = MAX_RAW_BYTES) -> bytes:
        """The first bytes of a file; raises EditorError when it cannot be read."""
        path = Path(place.path)
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        try:
            handle = os.open(path, flags | getattr(os, "O_BINARY", 0))
            with os.fdopen(handle, "rb") as file:
                self._require_inside(path, file.fileno())
                return file.read(limit)
        except OSError as error:
            raise EditorError(f"cannot read {path}: {error.strerror}") from error

    def _require_inside(self, path: Path, handle: int) -> None:
        """What was opened is a plain file, and still the one that stands there without links."""
        opened = os.fstat(handle)
        if not stat.S_ISREG(opened.st_mode):
            raise EditorError(f"{path} is not a file")
        real = Path(os.path.realpath(path))
        if not self._holds(str(real)) or not os.path.samestat(opened, real.stat()):
            raise OutsideWorkspace(f"{path} is not in the workspace")

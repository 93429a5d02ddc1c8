"""Recording a session: every line of both directions, with its time, in a JSONL file.

{"anyide_recording": 1, "version": "…"}
{"at": 0.0, "from": "app", "line": {…}}
{"at": 0.31, "from": "cli", "line": {…}}
{"at": 0.32, "from": "cli", "text": "a line that is no JSON"}
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from anyide import __version__
from anyide.errors import StateError
from anyide.headless.secret import Redactor

APP: Literal["app"] = "app"
CLI: Literal["cli"] = "cli"
FORMAT = 1


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of a recording."""

    at: float
    speaker: Literal["app", "cli"] = msgspec.field(name="from")
    line: msgspec.Raw = msgspec.Raw(b"")
    text: str = ""


class Recorder:
    """Writes a recording; the file is for its owner only."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        env: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        known = {**os.environ, **(env or {})}
        self._redactor = Redactor({k: v for k, v in known.items() if not _is_path(v)})
        self._clock = clock
        self._began = clock()
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        except OSError as error:
            raise StateError(f"cannot record to {os.fspath(path)}: {error.strerror}") from error
        self._file = os.fdopen(handle, "wb")
        self._write({"anyide_recording": FORMAT, "version": __version__})

    def take(self, speaker: Literal["app", "cli"], line: bytes) -> None:
        """Record one line."""
        if self._file.closed:
            return
        text = self._redactor.clean(line.decode(errors="replace").strip())
        at = round(self._clock() - self._began, 6)
        try:
            msgspec.json.decode(text)
        except msgspec.DecodeError:
            self._write(Entry(at, speaker, text=text))
        else:
            self._write(Entry(at, speaker, line=msgspec.Raw(text.encode())))

    def close(self) -> None:
        """Finish the file."""
        self._file.close()

    def _write(self, entry: Any) -> None:
        self._file.write(msgspec.json.encode(entry) + b"\n")
        self._file.flush()


def _is_path(value: str) -> bool:
    """Whether a variable names something on this disk, as SSH_AUTH_SOCK does, and is no secret.

    A secret may begin with a slash: only a path that exists is one. A bare word is none, even if it
    exists: a password may be the name of a folder.
    """
    # Not pathlib, whose `exists` raises for a name that is too long.
    is_like_one = os.path.isabs(value) or value.startswith(".")  # noqa: PTH117
    return is_like_one and os.path.exists(value)  # noqa: PTH110


def read_recording(path: str | os.PathLike[str]) -> list[Entry]:
    """The entries of a recording; raises StateError when it is none."""
    try:
        head, *lines = Path(path).read_bytes().splitlines()
        if msgspec.json.decode(head)["anyide_recording"] != FORMAT:
            raise StateError(f"{os.fspath(path)} was recorded by a newer anyide")
        return [msgspec.json.decode(line, type=Entry) for line in lines]
    except (OSError, ValueError, KeyError, TypeError, msgspec.DecodeError) as error:
        raise StateError(f"{os.fspath(path)} is no recording: {error}") from error

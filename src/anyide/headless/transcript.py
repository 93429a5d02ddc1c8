"""The sessions that the CLI keeps on disk: list, read, search.

Listing reads only the beginning and the end of each file, reading and searching one line at a time.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from anyide.errors import StateError

EDGE_BYTES = 64 * 1024
MAX_NAME = 200
SNIPPET = 80

_decode = msgspec.json.Decoder().decode


class SessionInfo(Struct, frozen=True, kw_only=True):
    """A session on disk; `title` is what it was named, or its first prompt."""

    id: str
    path: Path
    title: str
    first_prompt: str
    cwd: str
    branch: str
    modified: float
    size: int


class Line(Struct, frozen=True, kw_only=True):
    """Something that was said in a session."""

    role: str
    text: str
    timestamp: str
    uuid: str
    entry: dict[str, Any]


class Match(Struct, frozen=True, kw_only=True):
    """Where a text was found."""

    session: SessionInfo
    line: Line
    snippet: str


def list_sessions(
    folder: str | os.PathLike[str] | None = None, *, env: Mapping[str, str] | None = None
) -> list[SessionInfo]:
    """The sessions of a folder, or of all folders; the newest first."""
    found = (_info(path) for path in _files(folder, os.environ if env is None else env))
    return sorted((info for info in found if info), key=lambda i: i.modified, reverse=True)


def find_session(session_id: str, *, env: Mapping[str, str] | None = None) -> SessionInfo:
    """The session with this id; raises StateError when there is none."""
    for path in _files(None, os.environ if env is None else env):
        if path.stem == session_id and (info := _info(path)):
            return info
    raise StateError(f"no session {session_id} on this machine: see `anyide sessions --all`")


def read_session(session: SessionInfo | str | os.PathLike[str]) -> Iterator[Line]:
    """What was said in a session, in order, subagents left out."""
    path = session.path if isinstance(session, SessionInfo) else Path(session)
    try:
        with path.open("rb") as file:
            for raw in file:
                line = _line(raw)
                if line is not None:
                    yield line
    except OSError as error:
        raise StateError(f"cannot read the session {path}: {error.strerror}") from error


def search_sessions(
    text: str,
    folder: str | os.PathLike[str] | None = None,
    *,
    env: Mapping[str, str] | None = None,
) -> Iterator[Match]:
    """Where a text was said, whatever its case; the newest session first."""
    wanted = text.casefold()
    for session in list_sessions(folder, env=env):
        for line in read_session(session):
            at = line.text.casefold().find(wanted)
            if at >= 0:
                yield Match(session=session, line=line, snippet=_snippet(line.text, at))


def project_name(folder: str | os.PathLike[str]) -> str:
    """The name under which the CLI keeps the sessions of a folder."""
    return re.sub(r"[^a-zA-Z0-9]", "-", os.path.realpath(folder))


def _files(folder: str | os.PathLike[str] | None, env: Mapping[str, str]) -> Iterator[Path]:
    home = Path(env.get("HOME") or env.get("USERPROFILE") or Path.home())
    projects = Path(env.get("CLAUDE_CONFIG_DIR") or home / ".claude") / "projects"
    name = None if folder is None else project_name(folder)
    if not projects.is_dir():
        return
    for project in sorted(projects.iterdir()):
        if name is None or _is_of(project.name, name):
            yield from sorted(project.glob("*.jsonl"))


def _is_of(name: str, wanted: str) -> bool:
    # Long names are cut and get a hash at their end.
    return name == wanted or (len(wanted) > MAX_NAME and name.startswith(wanted[:MAX_NAME]))


def _info(path: Path) -> SessionInfo | None:
    try:
        status = path.stat()
        entries = list(_edges(path, status.st_size))
    except OSError:
        return None
    prompt = next(filter(None, map(_prompt, entries)), "")
    if not prompt:
        prompt = _last(entries, "lastPrompt")
    title = _last(entries, "customTitle") or _last(entries, "aiTitle") or _last(entries, "summary")
    if not (prompt or title):
        return None  # a session in which nothing was said
    return SessionInfo(
        id=path.stem,
        path=path,
        title=title or prompt,
        first_prompt=prompt,
        cwd=_last(entries, "cwd"),
        branch=_last(entries, "gitBranch"),
        modified=status.st_mtime,
        size=status.st_size,
    )


def _edges(path: Path, size: int) -> Iterator[dict[str, Any]]:
    with path.open("rb") as file:
        lines = file.read(EDGE_BYTES).split(b"\n")
        if size > EDGE_BYTES:
            lines.pop()  # cut
            file.seek(max(EDGE_BYTES, size - EDGE_BYTES))
            lines += file.read(EDGE_BYTES).split(b"\n")[1:]
    yield from (entry for line in lines if (entry := _entry(line)))


def _entry(line: bytes) -> dict[str, Any] | None:
    try:
        found = _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return found if isinstance(found, dict) else None


def _prompt(entry: dict[str, Any]) -> str:
    line = _as_line(entry)
    is_typed = line is not None and line.role == "user" and not entry.get("isMeta")
    return line.text if line is not None and is_typed and not line.text.startswith("<") else ""


def _line(raw: bytes) -> Line | None:
    # Most entries of a session are not what was said: do not decode those.
    if b'"user"' not in raw and b'"assistant"' not in raw:
        return None
    entry = _entry(raw)
    return _as_line(entry) if entry else None


def _as_line(entry: dict[str, Any]) -> Line | None:
    role = entry.get("type")
    message = entry.get("message")
    if role not in ("user", "assistant") or entry.get("isSidechain"):
        return None
    text = _text(message.get("content")) if isinstance(message, dict) else ""
    if not text:
        return None
    return Line(
        role=role,
        text=text,
        timestamp=str(entry.get("timestamp") or ""),
        uuid=str(entry.get("uuid") or ""),
        entry=entry,
    )


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [b.get("text") for b in blocks if isinstance(b, dict) and b.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


def _last(entries: list[dict[str, Any]], name: str) -> str:
    found = (entry.get(name) for entry in reversed(entries))
    return next((value for value in found if isinstance(value, str) and value), "")


def _snippet(text: str, at: int) -> str:
    begin = max(0, at - SNIPPET // 2)
    return " ".join(text[begin : at + SNIPPET].split())

"""What the agent reads and removes on disk by itself: files to be changed, stored sessions."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from anyide.acp.messages import ListSessionsResponse
from anyide.acp.messages import SessionInfo as ListedSession
from anyide.errors import InvalidParams, StateError
from anyide.headless.transcript import SessionInfo, find_session, list_sessions

MAX_OLD_BYTES = 1024 * 1024
"""Files larger than that are shown by their changed part only."""
PAGE = 50


def old_text(path: str, given: Mapping[str, Any]) -> str | None:
    """The text that a change starts from: the file's, or of a notebook the cell's."""
    file = Path(path)
    try:
        if file.stat().st_size > MAX_OLD_BYTES:
            return None
        text = file.read_bytes().decode()
    except (OSError, ValueError):
        return None
    return _cell(text, given.get("cell_id")) if "notebook_path" in given else text


def _cell(text: str, identity: object) -> str | None:
    """The source of one cell of a notebook."""
    try:
        cells = msgspec.json.decode(text)["cells"]
        cell = next(cell for cell in cells if cell.get("id") == identity)
        source = cell["source"]
    except (msgspec.DecodeError, KeyError, TypeError, AttributeError, StopIteration):
        return None
    return source if isinstance(source, str) else "".join(map(str, source))


def environment(env: Mapping[str, str]) -> dict[str, str]:
    """Where the CLI keeps its sessions is told by its environment."""
    return {**os.environ, **env}


def stored_session(session_id: str, env: Mapping[str, str]) -> SessionInfo | None:
    """The session on disk, if there is one."""
    try:
        return find_session(session_id, env=environment(env))
    except StateError:
        return None


def page_of_sessions(
    cwd: str | None, cursor: str | None, env: Mapping[str, str]
) -> ListSessionsResponse:
    """Stored sessions, the newest first, one page; raises InvalidParams for a bad cursor."""
    start = int(cursor) if cursor is not None and cursor.isdecimal() else 0
    if cursor is not None and not cursor.isdecimal():
        raise InvalidParams(f"cursor: {cursor!r} is none of ours")
    found = list_sessions(cwd, env=environment(env))
    page = found[start : start + PAGE]
    more = str(start + PAGE) if len(found) > start + PAGE else None
    return ListSessionsResponse(sessions=[_listed(info) for info in page], next_cursor=more)


def delete_session(info: SessionInfo) -> None:
    """Remove a session and what its subagents wrote."""
    info.path.unlink(missing_ok=True)
    shutil.rmtree(info.path.with_suffix(""), ignore_errors=True)


def _listed(info: SessionInfo) -> ListedSession:
    when = datetime.fromtimestamp(info.modified, UTC).isoformat().replace("+00:00", "Z")
    title = " ".join(info.title.split())[:200]
    return ListedSession(session_id=info.id, cwd=info.cwd, title=title or None, updated_at=when)

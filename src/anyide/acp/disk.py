"""What the agent reads and removes on disk by itself: files to be changed, stored sessions."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec import UNSET

from anyide.acp import notebook
from anyide.acp.messages import ListSessionsResponse
from anyide.acp.messages import SessionInfo as ListedSession
from anyide.errors import InvalidParams, StateError
from anyide.headless.transcript import SessionInfo, find_session, list_sessions

MAX_OLD_BYTES = 1024 * 1024
"""Files larger than that are shown by their changed part only."""
PAGE = 50
MAX_CURSOR = 9
"""So many digits no cursor of ours has."""


def old_text(path: str, given: Mapping[str, Any]) -> str | None:
    """The text that a change starts from: the file's, or of a notebook the cell's."""
    try:
        text = _text(Path(path))
    except (OSError, ValueError):
        return None
    return None if text is None else notebook.before(text, given)


def _text(file: Path) -> str | None:
    """The text of a file of a bearable size; a relative name would be of a folder of ours."""
    if not file.is_absolute() or not stat.S_ISREG(file.stat().st_mode):
        return None  # to read a pipe or a device could take for ever
    with file.open("rb") as opened:
        data = opened.read(MAX_OLD_BYTES + 1)
    return None if len(data) > MAX_OLD_BYTES else data.decode()


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
    if cursor is not None and not (cursor.isdecimal() and len(cursor) <= MAX_CURSOR):
        raise InvalidParams(f"cursor: {cursor[:20]!r} is none of ours")
    start = int(cursor or 0)
    try:
        found = list_sessions(cwd, env=environment(env))
    except ValueError as error:  # a name that no folder can have
        raise InvalidParams(f"cwd: {error}") from error
    page = found[start : start + PAGE]
    more = str(start + PAGE) if len(found) > start + PAGE else UNSET
    return ListSessionsResponse(sessions=[_listed(info) for info in page], next_cursor=more)


def delete_session(info: SessionInfo) -> None:
    """Remove a session and what its subagents wrote."""
    import shutil  # noqa: PLC0415 - slow to import, seldom needed

    info.path.unlink(missing_ok=True)
    shutil.rmtree(info.path.with_suffix(""), ignore_errors=True)


def _listed(info: SessionInfo) -> ListedSession:
    when = datetime.fromtimestamp(info.modified, UTC).isoformat().replace("+00:00", "Z")
    title = " ".join(info.title.split())[:200]
    return ListedSession(session_id=info.id, cwd=info.cwd, title=title or None, updated_at=when)

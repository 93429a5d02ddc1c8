"""Our lock file: how the CLI finds us. Written, removed, and swept up after a crash.

`<port>.lock` in `$CLAUDE_CONFIG_DIR/ide`, else `~/.claude/ide`: where the CLI looks. The token in
it opens the editor, so the file is readable by its owner alone from its first byte, and appears
whole or not at all.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import platform
import re
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from anyide import __version__
from anyide.errors import StateError
from anyide.ide.lock import (
    HalfWritten,
    Lock,
    Malformed,
    Marker,
    is_alive,
    is_same_start,
    listening_ports,
    parse,
    read,
    started_at,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TOKEN_BYTES = 64
_TEMPORARY = re.compile(r"\.anyide-([0-9]{1,9})-[0-9a-f]+\.tmp")


def new_token() -> str:
    """A token that cannot be guessed: 64 random bytes in base64url without padding."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def lock_directory(env: Mapping[str, str] | None = None, home: Path | None = None) -> Path:
    """Where the CLI looks for lock files."""
    configured = (os.environ if env is None else env).get("CLAUDE_CONFIG_DIR")
    return (Path(configured) if configured else (home or Path.home()) / ".claude") / "ide"


class LockFile:
    """The lock file of one server; whoever wrote it removes it, at the latest when Python exits."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._written: tuple[Path, Lock] | None = None
        self._writer = 0

    @property
    def path(self) -> Path | None:
        """Where it is, as long as it is there."""
        return self._written[0] if self._written else None

    def write(
        self,
        port: int,
        token: str,
        folders: Sequence[str],
        *,
        ide_name: str,
        pid: int | None = None,
    ) -> Path:
        """Announce a server that is ready; `pid` is the editor's, where that is another process.

        Raises StateError if the directory cannot be written.
        """
        self.remove()
        lock = _our_lock(port, token, folders, ide_name=ide_name, pid=pid or os.getpid())
        path = self.directory / f"{port}.lock"
        try:
            _make_private(self.directory)
            _write_private(path, msgspec.json.encode(lock))
        except OSError as error:
            reason = error.strerror or error
            raise StateError(
                f"cannot write the lock file in {self.directory}: {reason}; without it the CLI does"
                " not find this editor (CLAUDE_CONFIG_DIR names another directory)"
            ) from error
        self._written, self._writer = (path, lock), os.getpid()
        atexit.register(self._remove_at_exit)
        return path

    def remove(self) -> None:
        """Take the announcement back; nothing happens if it is gone or another's by now.

        Raises StateError if the file is ours and cannot be removed.
        """
        if self._written is None:
            return
        path, lock = self._written
        try:
            if parse(read(path)) == lock:
                path.unlink()
        except (FileNotFoundError, NotADirectoryError, HalfWritten, Malformed):
            pass
        except OSError as error:
            raise StateError(f"cannot remove {path}: {error.strerror or error}") from error
        self._written = None
        atexit.unregister(self._remove_at_exit)

    def _remove_at_exit(self) -> None:
        # A forked child inherits this call, but not the server.
        if os.getpid() == self._writer:
            with contextlib.suppress(StateError):
                self.remove()


class Swept(NamedTuple):
    """What `reap` found: stale locks of ours that it removed, and stale ones of other programs."""

    removed: tuple[Path, ...]
    foreign: tuple[Path, ...]


def reap(directory: Path) -> Swept:
    """Remove the locks that crashed processes of ours left; those of other programs only report."""
    removed: list[Path] = []
    foreign: list[Path] = []
    for path in _entries(directory):
        if path.suffix == ".lock" and (lock := _lock_at(path)) and _is_stale(lock):
            (removed if lock.anyide else foreign).append(path)
        elif (left := _TEMPORARY.fullmatch(path.name)) and not is_alive(int(left[1])):
            removed.append(path)
    return Swept(tuple(path for path in removed if _unlink(path)), tuple(foreign))


def _our_lock(port: int, token: str, folders: Sequence[str], *, ide_name: str, pid: int) -> Lock:
    return Lock(
        pid=pid,
        workspace_folders=tuple(folders),
        ide_name=ide_name,
        transport="ws",
        running_in_windows=sys.platform == "win32",
        auth_token=token,
        port=port,
        anyide=Marker(__version__, started_at(pid) or 0.0, platform.node()),
    )


def _make(directory: Path) -> None:
    # Path.mkdir gives the mode to the last folder alone: `~/.claude` would be open to all.
    if not directory.exists():
        _make(directory.parent)
        directory.mkdir(mode=0o700, exist_ok=True)


def _make_private(directory: Path) -> None:
    _make(directory)
    if sys.platform != "win32":
        status = directory.stat()
        if status.st_uid == os.geteuid() and status.st_mode & 0o077:
            directory.chmod(0o700)


def _write_private(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".anyide-{os.getpid()}-{secrets.token_hex(8)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def _entries(directory: Path) -> list[Path]:
    try:
        return sorted(directory.iterdir())
    except OSError:
        return []


def _lock_at(path: Path) -> Lock | None:
    try:
        return parse(read(path))
    except (OSError, HalfWritten, Malformed):
        return None


def _is_stale(lock: Lock) -> bool:
    if lock.pid is None or (lock.anyide and lock.anyide.host != platform.node()):
        return False
    if not is_alive(lock.pid):
        return True
    if lock.anyide is None or (started := started_at(lock.pid)) is None:
        return False
    # Who still listens on the port is no newcomer, however far the clock was set.
    is_newcomer = not is_same_start(started, lock.anyide.started)
    return is_newcomer and lock.port not in listening_ports(lock.pid)


def _unlink(path: Path) -> bool:
    try:
        path.unlink()
    except OSError:
        return False
    return True

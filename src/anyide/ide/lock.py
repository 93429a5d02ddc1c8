"""What a lock file says, and what can be asked about the process it names.

A lock is written by any program of the same user: its claims are input to be checked, its size is
bounded, and the token in it is never shown.
"""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING, Annotated

import msgspec
import psutil

if TYPE_CHECKING:
    from pathlib import Path

MAX_LOCK_BYTES = 1 << 20
# The start of a process is counted from the boot, which moves a little when the clock is set.
START_TOLERANCE = 2.0

Pid = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
Port = Annotated[int, msgspec.Meta(ge=1, le=65535)]


class Marker(msgspec.Struct, frozen=True):
    """What anyide adds, to know its own locks again even where a pid was given to a new process.

    `host` is there because folders are shared with containers, where pids mean other processes.
    """

    version: str
    started: float
    host: str


class Lock(msgspec.Struct, frozen=True, rename="camel", omit_defaults=False):
    """The fields of a lock file; only ours have all of them."""

    pid: Pid | None = None
    workspace_folders: tuple[str, ...] = ()
    ide_name: str = ""
    transport: str = ""
    running_in_windows: bool = False
    auth_token: str = ""
    port: Port | None = None
    anyide: Marker | None = None

    def __repr__(self) -> str:
        return f"Lock(pid={self.pid}, port={self.port}, ide_name={self.ide_name!r})"

    def __rich_repr__(self) -> list[tuple[str, object]]:
        return [("pid", self.pid), ("port", self.port), ("ide_name", self.ide_name)]


class HalfWritten(ValueError):
    """The file ends before the lock does: its writer is not done, or died."""


class Malformed(ValueError):
    """The file is no lock; the text says why, without a word of its contents."""


def read(path: Path) -> bytes:
    """The bytes of a lock file; raises OSError also for one that is too big or no regular file."""
    # Not blocking, so that a named pipe cannot make us wait for a writer.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("not a regular file")
        data = file.read(MAX_LOCK_BYTES + 1)
    if len(data) > MAX_LOCK_BYTES:
        raise OSError(f"larger than {MAX_LOCK_BYTES >> 20} MiB")
    return data


def parse(data: bytes) -> Lock:
    """What a lock file says; text that is no JSON is a list of folders, one a line.

    Raises HalfWritten or Malformed.
    """
    data = data.removeprefix(b"\xef\xbb\xbf").strip()
    if not data:
        raise HalfWritten("it is empty")
    try:
        lock = msgspec.json.decode(data, type=Lock)
    except msgspec.ValidationError as error:
        raise Malformed(str(error)) from None
    except RecursionError:
        raise Malformed("nested too deeply") from None
    except msgspec.DecodeError as error:
        if data.startswith(b"{"):
            kind = HalfWritten if "truncated" in str(error) else Malformed
            raise kind(f"not JSON: {error}") from None
        lock = _parse_lines(data)
    if any("\0" in folder for folder in lock.workspace_folders):
        raise Malformed("a folder with a NUL character")
    return lock


def _parse_lines(data: bytes) -> Lock:
    try:
        lines = [line.strip() for line in data.decode().splitlines()]
    except UnicodeDecodeError:
        raise Malformed("neither JSON nor text") from None
    folders = tuple(line for line in lines if line)
    if not all(re.match(r"[/\\]|[A-Za-z]:[/\\]", folder) for folder in folders):
        raise Malformed("neither JSON nor a list of folders")
    return Lock(workspace_folders=folders)


def is_alive(pid: int) -> bool:
    """Whether a process runs under this pid; one that ended and was not waited for does not."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:  # it is there, and it is not ours to look at
        return True


def started_at(pid: int) -> float | None:
    """When a process started, in seconds since 1970; None if it is gone or will not say."""
    try:
        return float(psutil.Process(pid).create_time())
    except psutil.Error:
        return None


def is_same_start(one: float, other: float) -> bool:
    """Whether two starts under the same pid are those of the same process."""
    return abs(one - other) <= START_TOLERANCE


def listening_ports(pid: int) -> tuple[int, ...]:
    """The TCP ports a process listens on, lowest first; none if it is gone or will not say."""
    try:
        sockets = psutil.Process(pid).net_connections(kind="tcp")
    except (psutil.Error, OSError):
        return ()
    return tuple(sorted({each.laddr.port for each in sockets if each.status == "LISTEN"}))

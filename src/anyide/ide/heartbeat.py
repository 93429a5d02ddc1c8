"""Whether a session is still there: asked by ping, judged with what its process does.

Silence alone proves nothing: a CLI stopped with Ctrl-Z answers no ping and will be back, and time
does not count while the machine sleeps. So rounds are counted, not hours, and the process is looked
at before a session is given up.
"""

from __future__ import annotations

import enum

import msgspec
import psutil

from anyide.ide.lock import is_same_start


class Process(enum.Enum):
    """What the process behind a session does."""

    UNKNOWN = "unknown"
    RUNNING = "running"
    STOPPED = "stopped"
    GONE = "gone"


class Heartbeat(msgspec.Struct, frozen=True):
    """How often to ask, how long to wait for the answer, how long silence may last; in seconds."""

    interval: float = 5.0
    timeout: float = 3.0
    patience: float = 60.0

    def gives_up(self, missed: int, process: Process, *, at_once: bool = False) -> bool:
        """Whether a session that missed this many pings in a row is to be dropped."""
        if missed == 0:
            return False
        if at_once or process is Process.GONE:
            return True
        return process is not Process.STOPPED and missed * self.interval >= self.patience


def look_at(pid: int | None, started: float | None) -> Process:
    """See what a process does; one that started at another time is another process."""
    if pid is None:
        return Process.UNKNOWN
    try:
        process = psutil.Process(pid)
        if started is not None and not is_same_start(process.create_time(), started):
            return Process.GONE
        status = process.status()
    except psutil.NoSuchProcess:
        return Process.GONE
    except psutil.AccessDenied:
        return Process.UNKNOWN
    if status in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD):
        return Process.GONE
    is_stopped = status in (psutil.STATUS_STOPPED, psutil.STATUS_TRACING_STOP)
    return Process.STOPPED if is_stopped else Process.RUNNING


def is_claude(pid: int | None) -> bool:
    """Whether a process is the Claude Code CLI, by its name."""
    try:
        return pid is not None and psutil.Process(pid).name().lower().startswith("claude")
    except psutil.Error:
        return False

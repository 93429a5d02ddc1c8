"""Which IDEs run on this machine, and which of them is the one for a folder.

Every lock file is reported as what it is, so that a person can be told why an editor was not found.
Finding looks in more places and understands more kinds of lock than the CLI does; choosing follows
the CLI: the port in `CLAUDE_CODE_SSE_PORT` first, else the newest lock with a folder around ours.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import enum
import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from anyide.errors import IdeNotFound
from anyide.ide.lock import HalfWritten, Lock, Malformed, is_alive, listening_ports, parse, read
from anyide.ide.paths import Flavour, flavour_of, from_wire, relative_to, wsl_distro

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping, Sequence

LOOPBACK = "127.0.0.1"
CONNECT_TIMEOUT = 0.5
MAX_LOCKS = 1000
MAX_NAME = 100
_CHECKS_AT_ONCE = 32


class Status(enum.Enum):
    """What became of the IDE that wrote a lock."""

    RUNNING = "running"
    DEAD_PID = "dead-pid"
    PORT_CLOSED = "port-closed"
    NO_PORT = "no-port"
    UNREADABLE = "unreadable"
    HALF_WRITTEN = "half-written"
    MALFORMED = "malformed"


@dataclass(frozen=True, slots=True)
class Ide:
    """A running IDE as its lock tells it; `name` and `folders` are its own claims."""

    port: int
    pid: int | None
    name: str
    folders: tuple[str, ...]
    token: str = field(repr=False)
    transport: str
    lock_path: Path
    host: str = LOOPBACK
    running_in_windows: bool = False

    @property
    def url(self) -> str:
        """Where to connect; the CLI takes any transport but `ws` for server-sent events."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        scheme, path = ("ws", "/") if self.transport == "ws" else ("http", "/sse")
        return f"{scheme}://{host}:{self.port}{path}"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One lock file: what it turned out to be, a sentence about it, and the IDE if one runs."""

    lock_path: Path
    status: Status
    sentence: str
    ide: Ide | None = None


def lock_directories(env: Mapping[str, str], home: Path) -> list[Path]:
    """Where locks may be, in the order of the seeds, each directory once."""
    configs = [
        Path(configured) if (configured := env.get("CLAUDE_CONFIG_DIR")) else None,
        Path(configured) / "claude" if (configured := env.get("XDG_CONFIG_HOME")) else None,
        home / ".config" / "claude",
        home / ".claude",
    ]
    places = [config / "ide" for config in configs if config]
    unique: dict[str, Path] = {}
    for place in places:
        unique.setdefault(os.path.realpath(place), place)
    return list(unique.values())


async def discover(
    env: Mapping[str, str] | None = None,
    home: Path | None = None,
    *,
    timeout: float = CONNECT_TIMEOUT,
) -> list[Candidate]:
    """Every lock file, newest first, each checked against its process and its port."""
    env = os.environ if env is None else env
    host = env.get("CLAUDE_CODE_IDE_HOST_OVERRIDE") or LOOPBACK
    flavour = flavour_of(sys.platform, env)
    paths = await asyncio.to_thread(_locks, lock_directories(env, home or Path.home()))
    gate = asyncio.Semaphore(_CHECKS_AT_ONCE)

    async def check(path: Path) -> Candidate:
        async with gate:
            return await _check(path, host, flavour, timeout)

    async with asyncio.TaskGroup() as group:
        checks = [group.create_task(check(path)) for path in paths]
    return [check.result() for check in checks]


def choose(
    candidates: Sequence[Candidate],
    folder: str,
    *,
    port: int | None = None,
    env: Mapping[str, str] | None = None,
) -> Ide:
    """The IDE for a folder, the newest where several would do; a given `port` allows no other.

    Raises IdeNotFound, with what was seen and why it was not taken.
    """
    env = os.environ if env is None else env
    running = [candidate.ide for candidate in candidates if candidate.ide]
    if port is not None:
        fitting = [ide for ide in running if ide.port == port]
    else:
        wanted = env.get("CLAUDE_CODE_SSE_PORT", "")
        fitting = [ide for ide in running if str(ide.port) == wanted]
        fitting += [ide for ide in running if _is_unchecked(env) or serves(ide, folder, env)]
    if fitting:
        return fitting[0]
    raise IdeNotFound(_explain(candidates, folder, port))


def serves(ide: Ide, folder: str, env: Mapping[str, str] | None = None) -> bool:
    """Whether one of the IDE's folders is this folder or around it, symbolic links followed."""
    env = os.environ if env is None else env
    flavour = flavour_of(sys.platform, env)
    ours = (folder, os.path.realpath(folder))
    return any(
        relative_to(our, their, flavour) is not None
        for their in _places(ide, flavour, env)
        for our in ours
    )


def _places(ide: Ide, flavour: Flavour, env: Mapping[str, str]) -> Iterable[str]:
    for folder in ide.folders:
        place = folder
        if flavour is Flavour.WSL and ide.running_in_windows:
            if wsl_distro(folder) not in (None, env.get("WSL_DISTRO_NAME")):
                continue
            place = from_wire(folder, Flavour.WINDOWS)
        if not re.match(r"[/\\]|[A-Za-z]:[/\\]", place):
            continue  # a relative folder would be around whatever we ask for
        yield place
        # On Windows, looking at a path of a stranger can mean logging in at a stranger's server.
        if flavour is not Flavour.WINDOWS:
            yield os.path.realpath(place)


def _is_unchecked(env: Mapping[str, str]) -> bool:
    return env.get("CLAUDE_CODE_IDE_SKIP_VALID_CHECK", "").lower() in ("1", "true", "yes", "on")


def _explain(candidates: Sequence[Candidate], folder: str, port: int | None) -> str:
    wanted = f"serves {folder}" if port is None else f"listens on port {port}"
    if not candidates:
        return (
            f"no running IDE {wanted}: there is no lock file; is the editor running? "
            "('anyide serve' starts one)"
        )
    seen = [
        f"{each.lock_path}: {each.sentence}"
        + (f", serves {', '.join(map(repr, each.ide.folders)) or 'no folder'}" if each.ide else "")
        for each in candidates
    ]
    return f"no running IDE {wanted}. Seen:\n  " + "\n  ".join(seen)


def _locks(directories: Iterable[Path]) -> list[Path]:
    found: list[tuple[float, Path]] = []
    for directory in directories:
        with contextlib.suppress(OSError), os.scandir(directory) as entries:
            found += [
                (_modified(entry), directory / entry.name)
                for entry in entries
                if entry.name.endswith(".lock")
            ]
    found.sort(key=lambda each: -each[0])
    return [path for _, path in found[:MAX_LOCKS]]


def _modified(entry: os.DirEntry[str]) -> float:
    try:
        return entry.stat().st_mtime
    except OSError:
        return 0.0


async def _check(path: Path, host: str, flavour: Flavour, timeout: float) -> Candidate:
    try:
        lock = parse(await asyncio.to_thread(read, path))
    except OSError as error:
        reason = error.strerror or error
        return Candidate(path, Status.UNREADABLE, f"cannot be read: {reason}")
    except HalfWritten as error:
        return Candidate(path, Status.HALF_WRITTEN, f"is not written to its end: {error}")
    except Malformed as error:
        return Candidate(path, Status.MALFORMED, f"is no lock file: {error}")
    name = "".join(filter(str.isprintable, lock.ide_name))[:MAX_NAME] or "unnamed IDE"
    pid = lock.pid if _is_pid_of_here(lock, host, flavour) else None
    if pid is not None and not is_alive(pid):
        return Candidate(path, Status.DEAD_PID, f"{name}: its process {pid} is gone")
    ports = await asyncio.to_thread(_possible_ports, lock.port, path.stem, pid)
    port = await _first_open(ports, host, lock.auth_token, timeout)
    if port is None:
        return _unreachable(path, name, ports)
    ide = Ide(
        port=port,
        pid=lock.pid,
        name=name,
        folders=lock.workspace_folders,
        token=lock.auth_token,
        transport=lock.transport or "sse",
        lock_path=path,
        host=host,
        running_in_windows=lock.running_in_windows,
    )
    return Candidate(path, Status.RUNNING, f"{name} listens on port {port}", ide)


def _is_pid_of_here(lock: Lock, host: str, flavour: Flavour) -> bool:
    is_near = host in (LOOPBACK, "localhost", "::1")
    return is_near and not (lock.running_in_windows and flavour is not Flavour.WINDOWS)


def _possible_ports(port: int | None, stem: str, pid: int | None) -> list[int]:
    """The port that is written, else the one in the name (if that is no pid), else the pid's."""
    if port is not None:
        return [port]
    number = int(stem) if stem.isascii() and stem.isdecimal() else 0
    named = [number] if 0 < number <= 65535 else []
    listening = list(listening_ports(pid)) if pid else []
    ports = [*listening, *named] if number == pid else [*named, *listening]
    return list(dict.fromkeys(ports))


async def _first_open(ports: list[int], host: str, token: str, timeout: float) -> int | None:
    is_open = await asyncio.gather(*(_is_open(host, port, timeout) for port in ports))
    open_ports = [port for port, is_it in zip(ports, is_open, strict=True) if is_it]
    if len(open_ports) > 1:  # an editor listens for other reasons too: which one is ours?
        for port in open_ports:
            if await _speaks_websocket(host, port, token, timeout):
                return port
    return open_ports[0] if open_ports else None


def _unreachable(path: Path, name: str, ports: list[int]) -> Candidate:
    if not ports:
        return Candidate(path, Status.NO_PORT, f"{name}: no port in it, and none found")
    tried = " or ".join(map(str, ports))
    return Candidate(path, Status.PORT_CLOSED, f"{name}: nothing listens on port {tried}")


@contextlib.asynccontextmanager
async def _connected(
    host: str, port: int, timeout: float
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    async with asyncio.timeout(timeout):
        reader, writer = await asyncio.open_connection(host, port)
        try:
            yield reader, writer
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


async def _is_open(host: str, port: int, timeout: float) -> bool:
    try:
        async with _connected(host, port, timeout):
            return True
    except (OSError, UnicodeError):  # UnicodeError: a host that can be no name
        return False


async def _speaks_websocket(host: str, port: int, token: str, timeout: float) -> bool:
    if not token.isascii() or not token.isprintable():
        return False
    request = (
        f"GET / HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: mcp\r\n"
        f"X-Claude-Code-Ide-Authorization: {token}\r\n\r\n"
    )
    try:
        async with _connected(host, port, timeout) as (reader, writer):
            writer.write(request.encode())
            return (await reader.readline()).startswith(b"HTTP/1.1 101")
    except (OSError, ValueError):  # ValueError: a first line beyond the reader's limit
        return False

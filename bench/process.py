"""The measured processes: started fresh, asked for their memory, and ended."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Self

import msgspec
import psutil

ROOT = Path(__file__).parent.parent


class Address(msgspec.Struct, frozen=True):
    """What a server says of itself when it is ready."""

    port: int = 0
    token: str = ""


class Child:
    """A process of ours, `python -m MODULE ARGUMENT...`, until the end of its `with` block."""

    def __init__(self, module: str, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        end(self._process)

    @property
    def stdin(self) -> IO[bytes]:
        """Where it reads; without a buffer."""
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def stdout(self) -> IO[bytes]:
        """Where it writes; without a buffer."""
        assert self._process.stdout is not None
        return self._process.stdout

    def address(self) -> Address:
        """Wait for the line that says how to reach it."""
        line = self.stdout.readline()
        if not line:
            raise SystemExit(f"{self._process.args!r} did not start")
        return msgspec.json.decode(line, type=Address)

    def resident_kb(self) -> float:
        """Its resident memory."""
        return resident_kb(self._process.pid)


def resident_kb(pid: int) -> float:
    """The resident memory of a process."""
    return float(psutil.Process(pid).memory_info().rss) / 1024


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process of ours and take its remains away."""
    process.kill()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()
    process.wait()


def as_installed(cache: Path) -> dict[str, str]:
    """An environment in which byte code is kept, in `cache`, as that of an installed package is."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    return kept | {"PYTHONPYCACHEPREFIX": str(cache)}


@contextlib.contextmanager
def on_one_core() -> Iterator[None]:
    """Keep us and the children on one core, where the system can.

    A request and its answer never run at the same time. On one core they cost what they compute;
    on two, mostly what it costs a virtual machine to wake the other one.
    """
    if sys.platform != "linux":
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)

"""`anyide serve`: how soon its lock file is there, and how much memory it needs when idle."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic, perf_counter, sleep
from typing import NamedTuple

from bench.case import Case, Effort
from bench.cases.start_up import BARE, anyide, milliseconds
from bench.process import as_installed, end, resident_kb
from bench.row import Row, against, alone

AIM_MS = 250
POLL_SECONDS = 0.0005
PATIENCE_SECONDS = 30.0
SETTLED_SECONDS = 0.5
_WAITING = (sys.executable, "-c", "input()")


class _Start(NamedTuple):
    milliseconds: float
    resident_mb: float


def run(effort: Effort) -> Sequence[Row]:
    first, again, bare = [], [], []
    with tempfile.TemporaryDirectory() as cache:
        environment = as_installed(Path(cache))
        with tempfile.TemporaryDirectory() as home:
            _serve(Path(home), environment)  # writes the byte code
        for _ in range(effort.starts):
            with tempfile.TemporaryDirectory() as home:
                first.append(_serve(Path(home), environment))
                again.append(_serve(Path(home), environment))
            bare.append(milliseconds(BARE, environment))
    memory = [start.resident_mb for start in again]
    least = [_bare_mb() for _ in memory]
    ready = [start.milliseconds for start in again]
    return [
        alone("serve to lock file, first time", _times(first), unit="ms", aim=AIM_MS),
        alone("serve to lock file, again", ready, unit="ms", aim=AIM_MS),
        against("serve to lock file", ready, bare, peer_name="bare interpreter", unit="ms"),
        against("serve, idle memory", memory, least, peer_name="bare interpreter", unit="MB"),
    ]


def _times(starts: Sequence[_Start]) -> list[float]:
    return [start.milliseconds for start in starts]


def _serve(home: Path, environment: Mapping[str, str]) -> _Start:
    config = home / "claude"
    folder = home / "project"
    folder.mkdir(exist_ok=True)
    began = perf_counter()
    process = subprocess.Popen(
        [anyide(), "serve", str(folder)],
        env={**environment, **_places(home, config)},
        stdout=subprocess.DEVNULL,
    )
    try:
        _await_lock(process, config / "ide")
        taken = (perf_counter() - began) * 1e3
        sleep(SETTLED_SECONDS)
        resident = resident_kb(process.pid) / 1024
        process.terminate()
        process.wait(PATIENCE_SECONDS)
    finally:
        end(process)
    return _Start(taken, resident)


def _places(home: Path, config: Path) -> dict[str, str]:
    places = {"HOME": home, "CLAUDE_CONFIG_DIR": config, "ANYIDE_STATE_DIR": home / "state"}
    return {name: str(place) for name, place in places.items()}


def _await_lock(process: subprocess.Popen[bytes], directory: Path) -> None:
    limit = monotonic() + PATIENCE_SECONDS
    while not any(directory.glob("*.lock")):
        if process.poll() is not None or monotonic() > limit:
            raise SystemExit("anyide serve wrote no lock file")
        sleep(POLL_SECONDS)


def _bare_mb() -> float:
    process = subprocess.Popen(_WAITING, stdin=subprocess.PIPE)
    try:
        sleep(SETTLED_SECONDS / 2)
        return resident_kb(process.pid) / 1024
    finally:
        end(process)


SERVE = Case("serve", "anyide serve: start and memory", run)

"""`anyide --version` against an interpreter that does nothing."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter

from bench.case import Case, Effort
from bench.process import as_installed
from bench.row import Row, against

AIM_MS = 60
BARE = (sys.executable, "-c", "pass")


def anyide() -> str:
    """The command as it is installed beside this interpreter."""
    return str(Path(sys.executable).with_name("anyide"))


def milliseconds(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """How long a command runs."""
    began = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    return (perf_counter() - began) * 1e3


def run(effort: Effort) -> Sequence[Row]:
    version = (anyide(), "--version")
    with tempfile.TemporaryDirectory() as cache:
        environment = as_installed(Path(cache))
        milliseconds(version, environment)  # writes the byte code
        pairs = [
            (milliseconds(version, environment), milliseconds(BARE, environment))
            for _ in range(effort.starts)
        ]
    ours, peer = zip(*pairs, strict=True)
    return [
        against(
            "anyide --version",
            ours,
            peer,
            peer_name="bare interpreter",
            unit="ms",
            measure="difference",
            aim=AIM_MS,
        )
    ]


START_UP = Case("start_up", "anyide --version", run)

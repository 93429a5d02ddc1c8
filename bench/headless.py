"""The headless session against the official SDK, with the same fake CLI, side by side in one run.

Each measurement is a process of its own, and the rivals take turns.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bench.case import Case, Effort
from bench.headless_rivals import Taken
from bench.process import on_one_core
from bench.row import Row, against, alone

SDK = "claude_agent_sdk"
MESSAGES = 100_000
FLOOD_AIM = 1 / 7
CPU_AIM_US = 2.0
IMPORT_AIM = 1 / 6
TOOL_AIM = 1 / 5
CANCEL_AIM_MS = 300.0

_IMPORT = """
import time
began = time.perf_counter()
{statement}
taken = (time.perf_counter() - began) * 1e3
import psutil
print('{{"wall": %f, "cpu": %f}}' % (taken, psutil.Process().memory_info().rss / 1048576))
"""
_OURS = "from anyide.headless import Claude, tool"
_THEIRS = "from claude_agent_sdk import ClaudeSDKClient, tool"


def take(rival: str, job: str, count: int) -> Taken:
    """One measurement, in a process of its own."""
    return _output(["-m", "bench.headless_rivals", rival, job, str(count)])


def _output(words: Sequence[str]) -> Taken:
    done = subprocess.run(
        [sys.executable, *words],
        cwd=Path(__file__).parent.parent,
        env={**os.environ, "CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK": "1"},
        stdout=subprocess.PIPE,
        check=True,
    )
    return msgspec.json.decode(done.stdout, type=Taken)


def _pairs(first: Sequence[str], second: Sequence[str], times: int) -> list[tuple[Taken, Taken]]:
    return [(_output(first), _output(second)) for _ in range(times)]


def flood(effort: Effort) -> Sequence[Row]:
    count = MESSAGES if effort.events >= 10_000 else 2000
    rivals = ("ours", "sdk", "msgspec", "pipe")
    taken: dict[str, list[Taken]] = {rival: [] for rival in rivals}
    for _ in range(min(effort.repetitions, 3)):
        for rival in rivals:
            taken[rival].append(take(rival, "flood", count))
    wall = {rival: [each.wall for each in found] for rival, found in taken.items()}
    cpu = {rival: [each.cpu for each in found] for rival, found in taken.items()}
    name = f"headless, {count} stream events"
    return [
        against(name, wall["ours"], wall["sdk"], peer_name=SDK, aim=FLOOD_AIM),
        against(f"{name}, CPU", cpu["ours"], cpu["sdk"], peer_name=SDK, aim=FLOOD_AIM),
        alone(f"{name}, CPU a message", cpu["ours"], unit="µs", aim=CPU_AIM_US),
        against(f"{name}, CPU", cpu["ours"], cpu["msgspec"], peer_name="blocking msgspec"),
        against(f"{name}, CPU", cpu["ours"], cpu["pipe"], peer_name="raw pipe"),
    ]


def imports(effort: Effort) -> Sequence[Row]:
    ours, theirs = (["-c", _IMPORT.format(statement=each)] for each in (_OURS, _THEIRS))
    _pairs(ours, theirs, 1)  # writes the byte code
    pairs = _pairs(ours, theirs, min(effort.starts, 9))
    mine, peer = ([pair[side] for pair in pairs] for side in (0, 1))
    return [
        against(
            "headless, import",
            [each.wall for each in mine],
            [each.wall for each in peer],
            peer_name=SDK,
            unit="ms",
            aim=IMPORT_AIM,
        ),
        against(
            "headless, memory after import",
            [each.cpu for each in mine],
            [each.cpu for each in peer],
            peer_name=SDK,
            unit="MB",
        ),
    ]


def tool(effort: Effort) -> Sequence[Row]:
    calls = effort.requests * 3
    with on_one_core():
        pairs = [
            (take("ours", "tool", calls).wall, take("sdk", "tool", calls).wall)
            for _ in range(min(effort.repetitions, 5))
        ]
    ours, peer = zip(*pairs, strict=True)
    return [against("headless, in-process tool call", ours, peer, peer_name=SDK, aim=TOOL_AIM)]


def cancel(effort: Effort) -> Sequence[Row]:
    times = min(effort.repetitions, 3)
    ours = [take("ours", "cancel", 1).wall for _ in range(times)]
    peer = [take("sdk", "cancel", 1).wall for _ in range(times)]
    return [
        alone("headless, cancel in mid-turn", ours, unit="ms", aim=CANCEL_AIM_MS, worst=True),
        against("headless, cancel in mid-turn", ours, peer, peer_name=SDK, unit="ms"),
    ]


def sessions(effort: Effort) -> Sequence[Row]:
    count = min(100, effort.connections // 10)
    ours = [take("ours", "sessions", count).wall for _ in range(min(effort.repetitions, 3))]
    return [alone(f"headless, {count} sessions at once, each", ours, unit="ms")]


HEADLESS = (
    Case("headless_flood", "stream events through a session", flood),
    Case("headless_import", "importing the headless room", imports),
    Case("headless_tool", "calls of an in-process tool", tool),
    Case("headless_cancel", "cancelling a turn that runs", cancel),
    Case("headless_sessions", "many sessions at once", sessions),
)

"""A storm of selections in the editor: how many are sent, how late the last one comes."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

import msgspec

from bench.case import Case, Effort
from bench.client import Client
from bench.process import Child
from bench.row import Row, alone

PER_SECOND = 5000
PHASE = 13
"""Each storm is a little quicker than the last, so that each ends at another point of the beat."""
SENT_AIM = 25
LATE_AIM_MS = 60


def run(effort: Effort) -> Sequence[Row]:
    storms = [
        _storm(effort.events, PER_SECOND + PHASE * number) for number in range(effort.repetitions)
    ]
    sent, late, cost = zip(*storms, strict=True)
    name = f"{effort.events} selections"
    return [
        alone(f"{name}, sent in the worst second", sent, unit="/s", aim=SENT_AIM, worst=True),
        alone(f"{name}, the last one late", late, unit="ms", aim=LATE_AIM_MS, worst=True),
        alone(f"{name}, editor's time for one", cost, unit="µs"),
    ]


def _storm(events: int, per_second: int) -> tuple[float, float, float]:
    with Child("bench.servers.ide") as child, Client(child.address()) as client:
        child.stdin.write(b"storm %d %d\n" % (events, per_second))
        arrived: list[float] = []
        line = -1
        while line != events - 1:
            said = msgspec.json.decode(client.next())
            arrived.append(monotonic())
            line = said["params"]["selection"]["start"]["line"]
        made, cost = map(float, child.stdout.readline().split())
    return float(_most_in_a_second(arrived)), (arrived[-1] - made) * 1e3, cost


def _most_in_a_second(moments: Sequence[float]) -> int:
    return max(sum(start <= each < start + 1 for each in moments) for start in moments)


STORM = Case("storm", "a storm of selections", run)

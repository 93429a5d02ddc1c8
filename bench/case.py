"""What a benchmark is, and how much work it may make of itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from bench.row import Row


class Effort(NamedTuple):
    """How often to measure.

    A repetition has fresh processes; within one, rounds of requests alternate between the rivals.
    """

    repetitions: int = 9
    rounds: int = 40
    requests: int = 100
    connections: int = 1000
    events: int = 10_000
    starts: int = 15


QUICK = Effort(repetitions=1, rounds=3, requests=50, connections=50, events=1000, starts=1)


class Case(NamedTuple):
    """One benchmark: its name on the command line, and what measures it."""

    name: str
    about: str
    run: Callable[[Effort], Sequence[Row]]

"""Rivals side by side: fresh processes in each repetition, and rounds that alternate between them.

The same code can be 40 % slower in another process of the same run, and other programs take the
core away for some milliseconds. So a rival's time in a repetition is that of its quickest round,
which nobody disturbed; and the result is the median of the ratios of several repetitions.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter

from bench.row import Row, against

Turn = Callable[[], int]
"""Does some requests and gives their number."""

WARM_UP_ROUNDS = 2


class Times:
    """What the rivals took: by repetition and round, in microseconds a request."""

    def __init__(self, repetitions: Sequence[Mapping[str, Sequence[float]]]) -> None:
        self._repetitions = repetitions

    def row(
        self, name: str, ours: str, peer: str, *, peer_name: str = "", aim: float | None = None
    ) -> Row:
        """The row of one rival against another."""
        return against(
            name, self._quickest(ours), self._quickest(peer), peer_name=peer_name or peer, aim=aim
        )

    def _quickest(self, rival: str) -> list[float]:
        return [min(each[rival]) for each in self._repetitions]


def contest(
    start: Callable[[contextlib.ExitStack], Mapping[str, Turn]], *, repetitions: int, rounds: int
) -> Times:
    """Measure; `start` starts every rival afresh, its stack ends them."""
    repeated = []
    for _ in range(repetitions):
        with contextlib.ExitStack() as stack:
            repeated.append(_rounds(start(stack), rounds))
    return Times(repeated)


def _rounds(turns: Mapping[str, Turn], rounds: int) -> dict[str, list[float]]:
    taken: dict[str, list[float]] = {name: [] for name in turns}
    names = list(turns)
    for number in range(-WARM_UP_ROUNDS, rounds):
        # Who comes after whom changes: a busy rival leaves the caches to the next one.
        names = names[1:] + names[:1]
        for name in names:
            began = perf_counter()
            count = turns[name]()
            if number >= 0:
                taken[name].append((perf_counter() - began) / count * 1e6)
    return taken

"""One line of the table: what was measured, against what, and whether it meets its aim."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Literal

import msgspec

Measure = Literal["value", "ratio", "difference"]


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A result; `figure` is what the aim is held against, of which less is better."""

    name: str
    unit: str
    ours: float
    peer_name: str = ""
    peer: float | None = None
    measure: Measure
    figure: float
    low: float
    high: float
    aim: float | None = None
    met: bool | None = None
    repetitions: int

    @property
    def verdict(self) -> str:
        """Whether the aim is met, or by how much it is missed."""
        if self.aim is None:
            return "no aim"
        return "met" if self.met else f"missed by {(self.figure / self.aim - 1) * 100:.0f} %"


def against(
    name: str,
    ours: Sequence[float],
    peer: Sequence[float],
    *,
    peer_name: str,
    unit: str = "µs",
    measure: Measure = "ratio",
    aim: float | None = None,
) -> Row:
    """A row of two rivals, measured pair by pair; the figure is the median over the pairs."""
    pairs = zip(ours, peer, strict=True)
    figures = [a / b if measure == "ratio" else a - b for a, b in pairs]
    return _row(
        name, unit, ours, figures, measure=measure, aim=aim, peer=median(peer), peer_name=peer_name
    )


def alone(
    name: str,
    ours: Sequence[float],
    *,
    unit: str,
    aim: float | None = None,
    worst: bool = False,
) -> Row:
    """A row without a rival; with `worst`, the aim holds for every repetition."""
    row = _row(name, unit, ours, ours, measure="value", aim=aim)
    if not worst:
        return row
    return msgspec.structs.replace(row, figure=row.high, met=_is_met(row.high, aim))


def _row(
    name: str,
    unit: str,
    ours: Sequence[float],
    figures: Sequence[float],
    *,
    measure: Measure,
    aim: float | None,
    peer: float | None = None,
    peer_name: str = "",
) -> Row:
    figure = median(figures)
    return Row(
        name=name,
        unit=unit,
        ours=median(ours),
        peer_name=peer_name,
        peer=peer,
        measure=measure,
        figure=figure,
        low=min(figures),
        high=max(figures),
        aim=aim,
        met=_is_met(figure, aim),
        repetitions=len(figures),
    )


def _is_met(figure: float, aim: float | None) -> bool | None:
    return None if aim is None else figure <= aim

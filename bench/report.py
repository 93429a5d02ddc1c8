"""The table that people read and the JSON that programs read."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import msgspec

from bench.row import Row

RESULTS = Path(__file__).parent / "results"
TITLES = ("benchmark", "ours", "peer", "figure", "spread", "aim", "")
_PEERS = ("msgspec", "websockets")


class Report(msgspec.Struct, frozen=True):
    """One run."""

    when: str
    quick: bool
    python: str
    system: str
    cpus: int
    versions: dict[str, str]
    rows: tuple[Row, ...]


def make_report(rows: Sequence[Row], *, quick: bool) -> Report:
    """The rows with where and when they were measured."""
    return Report(
        when=datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ"),
        quick=quick,
        python=platform.python_version(),
        system=f"{platform.system()} {platform.machine()}",
        cpus=os.cpu_count() or 1,
        versions={name: version(name) for name in ("anyide", *_PEERS)},
        rows=tuple(rows),
    )


def write(report: Report, directory: Path) -> Path:
    """Write `<time>.json` and `latest.json`; gives the path of the first."""
    directory.mkdir(parents=True, exist_ok=True)
    data = msgspec.json.format(msgspec.json.encode(report))
    path = directory / f"{report.when}.json"
    for each in (path, directory / "latest.json"):
        each.write_bytes(data)
    return path


def table(rows: Sequence[Row]) -> str:
    """The rows in columns."""
    lines = [TITLES, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(TITLES))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column in (0, 6) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def markdown(rows: Sequence[Row]) -> str:
    """The rows as the table of `docs/benchmarks.md`."""
    lines = [TITLES, ("---",) * len(TITLES), *(_cells(row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cells(row: Row) -> tuple[str, ...]:
    name = f"{row.name}, against {row.peer_name}" if row.peer_name else row.name
    unit = "" if row.measure == "ratio" else f" {row.unit}"
    return (
        name,
        f"{_number(row.ours)} {row.unit}",
        "" if row.peer is None else f"{_number(row.peer)} {row.unit}",
        _figure(row.figure, row) + unit,
        f"{_figure(row.low, row)} to {_figure(row.high, row)}",
        "" if row.aim is None else f"≤ {row.aim:g}{unit}",
        row.verdict,
    )


def _figure(value: float, row: Row) -> str:
    if row.measure == "ratio":
        return f"{value:.2f}"
    return ("+" if row.measure == "difference" else "") + _number(value)


def _number(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}"

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from bench.cases import CASES
from bench.process import ROOT
from bench.report import Report, table
from bench.row import Row, against, alone

PATIENCE = 400
"""Seconds; alone it takes fifty, beside other tests several times that."""
pytestmark = pytest.mark.timeout(PATIENCE + 20)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    results = tmp_path_factory.mktemp("results")
    command = [sys.executable, "-m", "bench", "--quick", "--results", str(results)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stdout + done.stderr
    latest = (results / "latest.json").read_bytes()
    assert sorted(path.name for path in results.iterdir()) == sorted(
        [Path(done.stdout.split()[-1]).name, "latest.json"]
    )
    read = msgspec.json.decode(latest, type=Report)
    assert table(read.rows) in done.stdout
    return read


def test_every_benchmark_measures_something(report: Report) -> None:
    assert len({row.name for row in report.rows}) >= len(CASES)
    assert all(row.ours > 0 for row in report.rows if row.unit in ("µs", "ms", "MB"))


def test_every_aim_of_the_issues_is_in_the_table(report: Report) -> None:
    aims = {(row.measure, row.aim) for row in report.rows}
    assert {("ratio", 1.35), ("ratio", 0.75), ("ratio", 1.5)} <= aims
    assert {("difference", 60.0), ("value", 60.0), ("value", 25.0)} <= aims
    assert {("value", 100.0), ("value", 250.0)} <= aims


def test_an_unknown_benchmark_is_named(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bench", "--results", str(tmp_path), "nonsense"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=30
    )
    assert done.returncode == 1
    assert "no benchmark nonsense" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_ratio_is_the_median_of_the_pairs() -> None:
    row = against("x", [2.0, 30.0, 3.0], [1.0, 10.0, 2.0], peer_name="y", aim=1.5)
    assert (row.figure, row.low, row.high) == (2.0, 1.5, 3.0)
    assert row.met is False
    assert row.verdict == "missed by 33 %"


def test_a_difference_is_taken_pair_by_pair() -> None:
    row = against("x", [30.0, 50.0], [10.0, 10.0], peer_name="y", measure="difference", aim=30)
    assert row.figure == 30.0
    assert row.verdict == "met"


def test_where_every_repetition_counts_the_worst_one_is_the_figure() -> None:
    row = alone("x", [1.0, 2.0, 9.0], unit="ms", aim=5, worst=True)
    assert (row.ours, row.figure, row.met) == (2.0, 9.0, False)


def test_without_an_aim_there_is_no_verdict() -> None:
    row: Row = alone("x", [1.0], unit="ms")
    assert (row.met, row.verdict) == (None, "no aim")

from __future__ import annotations

import pytest

from bench.case import QUICK
from bench.cases import CASES
from bench.headless import HEADLESS, flood, take, tool


def test_the_headless_benchmarks_are_on_the_list() -> None:
    assert set(HEADLESS) <= set(CASES)


def test_the_flood_is_measured_against_the_sdk_and_the_limits() -> None:
    rows = flood(QUICK)
    peers = {row.peer_name for row in rows}
    assert {"claude_agent_sdk", "blocking msgspec", "raw pipe"} <= peers
    assert {row.aim for row in rows} >= {1 / 7, 2.0}
    assert all(row.ours > 0 for row in rows)


def test_an_in_process_tool_is_called_by_both() -> None:
    (row,) = tool(QUICK)
    assert row.aim == 1 / 5
    assert row.peer is not None
    assert row.peer > 0


@pytest.mark.parametrize("job", ["cancel", "sessions"])
def test_a_job_of_ours_ends(job: str) -> None:
    assert 0 < take("ours", job, 3).wall < 5000

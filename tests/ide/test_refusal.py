from __future__ import annotations

import pytest

from anyide.ide.refusal import FIRST_LINES, SECONDS_BETWEEN, Refusals

LINE = "refused a connection: no token"


class Log:
    """Refusals, what they said, and the clock they look at."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.now = 1000.0
        self.refusals = Refusals(self.lines.append, now=lambda: self.now)

    def refuse(self, times: int = 1, seconds_each: float = 0.0) -> list[str]:
        """Refuse so many, one every so many seconds; the lines that were said of them."""
        before = len(self.lines)
        for _ in range(times):
            self.refusals.add("no token")
            self.now += seconds_each
        return self.lines[before:]


@pytest.fixture
def log() -> Log:
    return Log()


def test_the_first_refusals_are_told_one_by_one(log: Log) -> None:
    assert log.refuse(FIRST_LINES) == [LINE] * FIRST_LINES
    assert log.refuse() == []


def test_a_flood_is_one_line_a_minute_with_the_number_of_the_rest(log: Log) -> None:
    log.refuse(FIRST_LINES)
    assert log.refuse(4800, seconds_each=0.125) == [
        f"{LINE} ({count} more since the last line)" for count in [480, *[479] * 8]
    ]


def test_a_steady_drip_is_told_line_by_line(log: Log) -> None:
    assert log.refuse(FIRST_LINES * 3, seconds_each=SECONDS_BETWEEN) == [LINE] * FIRST_LINES * 3


def test_after_a_quiet_time_the_first_are_told_again(log: Log) -> None:
    log.refuse(FIRST_LINES)
    log.now += SECONDS_BETWEEN
    assert log.refuse(FIRST_LINES + 1) == [LINE] * FIRST_LINES


def test_what_was_left_out_is_told_by_the_next_line_however_late(log: Log) -> None:
    log.refuse(FIRST_LINES + 7)
    log.now += 86400
    assert log.refuse(5) == [f"{LINE} (7 more since the last line)"]
    log.now += SECONDS_BETWEEN
    assert log.refuse() == [f"{LINE} (4 more since the last line)"]


def test_the_end_tells_what_was_left_out_once(log: Log) -> None:
    log.refuse(FIRST_LINES + 7)
    log.refusals.close()
    log.refusals.close()
    assert log.lines[FIRST_LINES:] == ["refused 7 more connections since the last line"]


def test_the_end_has_nothing_to_tell_when_all_was_told(log: Log) -> None:
    log.refuse(FIRST_LINES)
    log.refusals.close()
    assert log.lines == [LINE] * FIRST_LINES

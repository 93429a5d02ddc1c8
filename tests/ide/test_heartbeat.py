from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import psutil
import pytest

from anyide.ide.heartbeat import Heartbeat, Process, look_at
from anyide.ide.lock import started_at

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.mark.parametrize(
    ("missed", "process", "at_once", "expected"),
    [
        (0, Process.GONE, True, False),
        (1, Process.RUNNING, False, False),
        (1, Process.UNKNOWN, False, False),
        (1, Process.GONE, False, True),
        (1, Process.RUNNING, True, True),
        (11, Process.RUNNING, False, False),
        (12, Process.RUNNING, False, True),
        (12, Process.UNKNOWN, False, True),
        (10_000, Process.STOPPED, False, False),
    ],
)
def test_a_session_is_given_up_by_the_table(
    missed: int, process: Process, *, at_once: bool, expected: bool
) -> None:
    assert Heartbeat().gives_up(missed, process, at_once=at_once) is expected


def test_the_times_are_those_of_the_seed() -> None:
    assert Heartbeat() == Heartbeat(interval=5, timeout=3, patience=60)


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as started:
        yield started
        started.kill()


def test_a_process_is_seen_running_stopped_and_gone(process: subprocess.Popen[bytes]) -> None:
    started = started_at(process.pid)
    assert look_at(process.pid, started) is Process.RUNNING
    os.kill(process.pid, signal.SIGSTOP)
    os.waitpid(process.pid, os.WUNTRACED)
    assert look_at(process.pid, started) is Process.STOPPED
    os.kill(process.pid, signal.SIGCONT)
    os.waitpid(process.pid, os.WCONTINUED)
    assert look_at(process.pid, started) is Process.RUNNING
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert look_at(process.pid, started) is Process.GONE  # a zombie
    process.wait()
    assert look_at(process.pid, started) is Process.GONE


def test_another_process_under_the_same_pid_is_another() -> None:
    started = psutil.Process().create_time()
    assert look_at(os.getpid(), started) is Process.RUNNING
    assert look_at(os.getpid(), started + 1) is Process.RUNNING  # the clock was set
    assert look_at(os.getpid(), started - 3600) is Process.GONE


def test_without_a_pid_nothing_is_known() -> None:
    assert look_at(None, None) is Process.UNKNOWN

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from tests.headless.conftest import is_running

OWNER = """
import subprocess, sys
from anyide.headless.guard import GUARD
children = [subprocess.Popen(["sleep", "600"], start_new_session=True) for _ in range(3)]
for child in children:
    GUARD.add(child.pid)
GUARD.drop(children[1].pid)
print(*(child.pid for child in children), flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("end", ["kill", "exit"])
def test_what_was_added_dies_with_the_owner_and_what_was_dropped_lives(end: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", OWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdin is not None
        first, dropped, last = map(int, owner.stdout.readline().split())
        if end == "kill":
            owner.kill()
        owner.stdin.close()
        owner.wait()
    try:
        deadline = time.monotonic() + 5
        while is_running(first) or is_running(last):
            assert time.monotonic() < deadline
            os.sched_yield()
        assert is_running(dropped)
    finally:
        os.kill(dropped, 9)

from __future__ import annotations

import logging
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from anyide.errors import StateError
from anyide.state.endpoint import Endpoint
from anyide.state.store import State

WRITER = """
import sys
from pathlib import Path
from anyide.state.store import State
folder = Path("/project")
with State.open(Path(sys.argv[1])) as state:
    for port in range(1, int(sys.argv[2])):
        state.endpoints.remember([folder], port, "t" * 2000)
        print(port, flush=True)
"""
FOLDER = Path("/project")


def writer(path: Path, count: int = 10**9) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_the_owner_can_read_what_is_kept(path: Path) -> None:
    before = os.umask(0)
    try:
        with State.open(path) as state:
            state.endpoints.remember([FOLDER], 1, "token")
            assert mode(path.parent) == 0o700
            kept = {file.name: mode(file) for file in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert kept == {"state.db": 0o600, "state.db-wal": 0o600, "state.db-shm": 0o600}


def test_a_file_that_others_could_read_is_closed_to_them(path: Path) -> None:
    State.open(path).close()
    path.chmod(0o644)
    State.open(path).close()
    assert mode(path) == 0o600


@pytest.mark.parametrize("moment", range(1, 200, 40))
def test_killing_a_writer_loses_nothing_that_was_committed(path: Path, moment: int) -> None:
    with writer(path) as process:
        assert process.stdout is not None
        for _ in range(moment):
            process.stdout.readline()
        process.kill()
        said = [int(line) for line in process.stdout if line.endswith("\n")]
    assert process.returncode == -signal.SIGKILL
    with State.open(path) as state:
        assert state.damaged is None
        endpoint = state.endpoints.recall([FOLDER])
    assert endpoint is not None
    assert endpoint.token == "t" * 2000
    # The one after the last that was said may have been committed too.
    assert endpoint.port - max([moment, *said]) in (0, 1)


def test_several_processes_write_at_once(path: Path) -> None:
    processes = [writer(path, 100) for _ in range(4)]
    for process in processes:
        with process:
            process.communicate(timeout=60)
        assert process.returncode == 0
    with State.open(path) as state:
        assert state.damaged is None
        assert state.endpoints.recall([FOLDER]) == Endpoint(99, "t" * 2000)


def test_a_file_that_is_no_database_is_set_aside(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.parent.mkdir()
    path.write_bytes(b"garbage" * 1000)
    path.with_name("state.db-wal").write_bytes(b"old log")
    with caplog.at_level(logging.WARNING), State.open(path) as state:
        aside = state.damaged
        state.endpoints.remember([FOLDER], 1, "token")
        assert state.endpoints.recall([FOLDER]) == Endpoint(1, "token")
    assert aside is not None
    assert aside.name.startswith("state.db.damaged-")
    assert aside.read_bytes() == b"garbage" * 1000
    assert aside.with_name(aside.name + "-wal").read_bytes() == b"old log"
    assert str(aside) in caplog.text


def test_an_emptied_file_with_a_log_is_set_aside(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    path.with_name("state.db-wal").write_bytes(b"old log")
    with State.open(path) as state:
        assert state.damaged is not None
        assert Path(f"{state.damaged}-wal").read_bytes() == b"old log"


def test_a_database_with_a_torn_page_is_set_aside(path: Path) -> None:
    with State.open(path) as state:
        for number in range(200):
            state.endpoints.remember([FOLDER / str(number)], number, "token")
    data = bytearray(path.read_bytes())
    data[4096 : 4096 + 2048] = b"\xa5" * 2048
    path.write_bytes(data)
    with State.open(path) as state:
        assert state.damaged is not None
        assert state.damaged.read_bytes() == data


def test_what_was_set_aside_is_never_replaced(path: Path) -> None:
    path.parent.mkdir()
    kept = []
    for content in (b"garbage one" * 100, b"garbage two" * 100):
        path.write_bytes(content)
        with State.open(path) as state:
            assert state.damaged is not None
            kept.append(state.damaged.read_bytes())
    assert kept == [b"garbage one" * 100, b"garbage two" * 100]
    assert len(list(path.parent.glob("*.damaged-*"))) == 2


def test_a_database_that_cannot_be_opened_is_a_clear_error(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(StateError, match="cannot keep state in"):
        State.open(path)


def test_a_database_that_cannot_be_written_is_a_clear_error(path: Path) -> None:
    with State.open(path) as state:
        with state._database.transaction() as connection:
            connection.execute("PRAGMA query_only = ON")
        with pytest.raises(StateError, match="readonly"):
            state.endpoints.remember([FOLDER], 1, "token")

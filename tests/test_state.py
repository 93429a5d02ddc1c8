from __future__ import annotations

import logging
import os
import signal
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from anyide.errors import StateError
from anyide.state import (
    DRAFT_SECONDS,
    MAX_REVIEW_DRAFTS,
    MIGRATIONS,
    Decision,
    Draft,
    Endpoint,
    PageEndpoint,
    State,
    state_directory,
)

WRITER = """
import sys
from pathlib import Path
from anyide.state import State
folder = Path("/project")
with State.open(Path(sys.argv[1])) as state:
    for port in range(1, int(sys.argv[2])):
        state.remember_endpoint([folder], port, "t" * 2000)
        print(port, flush=True)
"""
FOLDER = Path("/project")


def writer(path: Path, count: int = 10**9) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "state.db"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_an_endpoint_is_remembered_for_the_next_run(path: Path) -> None:
    with State.open(path) as state:
        state.remember_endpoint([FOLDER], 4321, "token")
    with State.open(path) as state:
        assert state.recall_endpoint([FOLDER]) == Endpoint(4321, "token")
        assert state.damaged is None


def test_the_last_endpoint_of_a_folder_counts(path: Path) -> None:
    with State.open(path) as state:
        state.remember_endpoint([FOLDER], 1, "a")
        state.remember_endpoint([FOLDER], 2, "b")
        assert state.recall_endpoint([FOLDER]) == Endpoint(2, "b")


def test_endpoints_belong_to_a_set_of_folders(path: Path, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "one")
    one, two, link = tmp_path / "one", tmp_path / "two", tmp_path / "link"
    with State.open(path) as state:
        state.remember_endpoint([one, two], 1, "token")
        assert state.recall_endpoint([two, link, one / ".." / "two"]) == Endpoint(1, "token")
        assert state.recall_endpoint([one]) is None
        assert state.recall_endpoint([]) is None


@pytest.mark.parametrize(("age", "known"), [(0, True), (599, True), (601, False), (-60, True)])
def test_an_endpoint_is_forgotten_after_ten_minutes(path: Path, age: int, *, known: bool) -> None:
    with State.open(path, now=lambda: 10_000.0) as state:
        state.remember_endpoint([FOLDER], 1, "token")
    with State.open(path, now=lambda: 10_000.0 + age) as state:
        assert (state.recall_endpoint([FOLDER]) is not None) is known


def test_an_old_token_is_wiped_from_the_disk(path: Path) -> None:
    with State.open(path, now=lambda: 0.0) as state:
        state.remember_endpoint([FOLDER], 1, "an-old-token")
    assert b"an-old-token" in path.read_bytes()
    with State.open(path, now=lambda: 10_000.0) as state:
        state.remember_endpoint([FOLDER / "other"], 2, "a-new-token")
    assert b"an-old-token" not in path.read_bytes()


def test_a_token_is_not_shown() -> None:
    assert "hush" not in repr(Endpoint(1, "hush"))


def test_only_the_owner_can_read_what_is_kept(path: Path) -> None:
    before = os.umask(0)
    try:
        with State.open(path) as state:
            state.remember_endpoint([FOLDER], 1, "token")
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
        endpoint = state.recall_endpoint([FOLDER])
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
        assert state.recall_endpoint([FOLDER]) == Endpoint(99, "t" * 2000)


def test_a_file_that_is_no_database_is_set_aside(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.parent.mkdir()
    path.write_bytes(b"garbage" * 1000)
    path.with_name("state.db-wal").write_bytes(b"old log")
    with caplog.at_level(logging.WARNING), State.open(path) as state:
        aside = state.damaged
        state.remember_endpoint([FOLDER], 1, "token")
        assert state.recall_endpoint([FOLDER]) == Endpoint(1, "token")
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
            state.remember_endpoint([FOLDER / str(number)], number, "token")
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


def test_an_older_database_is_brought_up_to_date(path: Path) -> None:
    path.parent.mkdir()
    sqlite3.connect(path).close()
    State.open(path).close()
    database = sqlite3.connect(path)
    assert database.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    database.close()


def test_a_database_of_a_newer_anyide_is_left_alone(path: Path) -> None:
    State.open(path).close()
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 999")
    database.close()
    with pytest.raises(StateError, match="newer anyide"):
        State.open(path)
    assert not list(path.parent.glob("*.damaged-*"))


def test_a_directory_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StateError, match=r"cannot keep state in .*ANYIDE_STATE_DIR"):
        State.open(tmp_path / "file" / "deep" / "state.db")


def test_a_database_that_cannot_be_opened_is_a_clear_error(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(StateError, match="cannot keep state in"):
        State.open(path)


def test_a_database_that_cannot_be_written_is_a_clear_error(path: Path) -> None:
    with State.open(path) as state:
        state._database.execute("PRAGMA query_only = ON")
        with pytest.raises(StateError, match="readonly"):
            state.remember_endpoint([FOLDER], 1, "token")


def test_the_directory_can_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ANYIDE_STATE_DIR", str(tmp_path / "mine"))
    State.open().close()
    assert (tmp_path / "mine" / "state.db").is_file()


@pytest.mark.skipif(sys.platform != "linux", reason="XDG is what Linux has")
def test_the_directory_is_that_of_the_platform(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("ANYIDE_STATE_DIR", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert state_directory() == tmp_path / "anyide"


def test_a_page_is_found_again_and_its_secrets_are_never_shown(path: Path) -> None:
    page = PageEndpoint(4321, "the-cookie", "the-control")
    with State.open(path) as state:
        assert state.recall_page([FOLDER]) is None
        state.remember_page([FOLDER], page)
    with State.open(path) as state:
        assert state.recall_page([FOLDER]) == page
        assert state.recall_page([FOLDER, Path("/other")]) is None
    assert repr(page) == "PageEndpoint(port=4321)"


def test_drafts_are_kept_by_folder_run_and_path_the_latest_first(path: Path) -> None:
    now = 1000.0
    with State.open(path, now=lambda: now) as state:
        for run, text in (("r1", "old"), ("r1", "newer"), ("r2", "newest")):
            now += 1
            state.keep_draft([FOLDER], Draft("a", text, None, run=run))
        found = state.drafts([FOLDER])
        assert [(draft.run, draft.text) for draft in found] == [("r2", "newest"), ("r1", "newer")]
        assert state.drafts([Path("/other")]) == []
        state.drop_draft([FOLDER], "r2", "a")
        assert [draft.text for draft in state.drafts([FOLDER])] == ["newer"]
        now += DRAFT_SECONDS + 1
        assert state.drafts([FOLDER]) == []


def test_a_draft_holds_any_text(path: Path) -> None:
    text = "\0\r\n\ufeff😀\u2028" * 1000
    with State.open(path) as state:
        state.keep_draft([FOLDER], Draft("a", text, '{"x": 1}', run="r"))
        (draft,) = state.drafts([FOLDER])
    assert (draft.text, draft.on_disk) == (text, '{"x": 1}')


def test_decisions_of_one_folder_do_not_push_out_those_of_another(path: Path) -> None:
    def decision(identity: str) -> Decision:
        return Decision(identity, "/a", "s", "rejected", 1.0, None, "x", None)

    with State.open(path) as state:
        state.add_decision([Path("/other")], decision("theirs"))
        for number in range(150):
            state.add_decision([FOLDER], decision(str(number)))
        assert [each.id for each in state.decisions([FOLDER])] == [
            str(number) for number in range(149, 49, -1)
        ]
        assert [each.id for each in state.decisions([Path("/other")])] == ["theirs"]


def test_only_the_latest_review_drafts_are_kept(path: Path) -> None:
    now = 0.0
    with State.open(path, now=lambda: now) as state:
        for number in range(MAX_REVIEW_DRAFTS + 1):
            now += 1
            state.keep_review_draft(str(number), f"draft {number}")
        assert state.review_draft("0") is None
        assert state.review_draft("1") == "draft 1"
        state.drop_review_draft("1")
        assert state.review_draft("1") is None


def test_a_database_of_the_first_version_is_brought_up_to_date(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as old:
        old.execute(MIGRATIONS[0])
        old.execute("PRAGMA user_version = 1")
    old.close()
    with State.open(path) as state:
        state.remember_page([FOLDER], PageEndpoint(1, "c", "k"))
        assert state.drafts([FOLDER]) == []
        assert state.damaged is None

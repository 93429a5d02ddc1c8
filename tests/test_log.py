from __future__ import annotations

import logging
import stat
from typing import TYPE_CHECKING

import pytest

from anyide.errors import StateError
from anyide.log import MAX_LOG_BYTES, OLD_LOGS, configure_logging, keep_secret, log_path

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

log = logging.getLogger("anyide.tests")


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("ANYIDE_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setattr("anyide.log._secrets", set())  # other tests have told theirs
    logger = logging.getLogger("anyide")
    before = logger.level
    yield tmp_path / "state"
    configure_logging("warning", to_file=False)
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
    logger.setLevel(before)


def test_a_log_lies_beside_the_state_and_only_its_owner_reads_it(directory: Path) -> None:
    configure_logging("info", to_file=True)
    log.info("hello")
    log.debug("not this")
    assert log_path() == directory / "anyide.log"
    assert "INFO anyide.tests: hello" in log_path().read_text()
    assert "not this" not in log_path().read_text()
    assert stat.S_IMODE(log_path().stat().st_mode) == 0o600


def test_a_secret_is_left_out_of_messages_arguments_and_tracebacks(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logging("info", to_file=True)
    token = "a-token-of-ours"
    keep_secret(token)
    log.info("token a-token-of-ours")
    log.info("%s", {"header": "a-token-of-ours"})
    try:
        int(token)
    except ValueError:
        log.exception("failed")
    text = log_path().read_text() + capsys.readouterr().err
    assert text.count("[secret]") == 6
    assert "a-token-of-ours" not in text


def test_a_secret_that_contains_another_is_left_out_whole() -> None:
    configure_logging("info", to_file=True)
    keep_secret("inner-part")
    keep_secret("left-inner-part-right")
    log.info("left-inner-part-right")
    assert log_path().read_text().rstrip().endswith(": [secret]")


def test_the_log_is_rotated_and_old_ones_are_private(directory: Path) -> None:
    configure_logging("info", to_file=True)
    logging.getLogger("anyide").handlers[0].setLevel("ERROR")
    for _ in range(6 * (MAX_LOG_BYTES // 100_000 + 1)):
        log.info("x" * 100_000)
    logs = sorted(directory.glob("anyide.log*"))
    assert len(logs) == 1 + OLD_LOGS
    assert all(file.stat().st_size <= MAX_LOG_BYTES for file in logs)
    assert {stat.S_IMODE(file.stat().st_mode) for file in logs} == {0o600}


def test_configuring_again_does_not_log_twice(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info", to_file=False)
    configure_logging("info", to_file=False)
    log.info("once")
    assert capsys.readouterr().err == "anyide: INFO: once\n"


def test_a_log_that_cannot_be_written_is_a_clear_error_and_stderr_still_works(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (directory / "anyide.log").mkdir(parents=True)
    with pytest.raises(StateError, match="cannot write the log"):
        configure_logging("info", to_file=True)
    log.info("still here")
    assert "still here" in capsys.readouterr().err

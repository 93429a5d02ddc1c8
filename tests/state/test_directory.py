from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from anyide.errors import StateError
from anyide.state.directory import state_directory
from anyide.state.store import State


@pytest.mark.skipif(sys.platform != "linux", reason="XDG is what Linux has")
def test_the_directory_is_that_of_the_platform(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("ANYIDE_STATE_DIR", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert state_directory() == tmp_path / "anyide"


def test_a_directory_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StateError, match=r"cannot keep state in .*ANYIDE_STATE_DIR"):
        State.open(tmp_path / "file" / "deep" / "state.db")


def test_who_only_logs_loads_no_database() -> None:
    code = "import anyide.log, sys; print('sqlite3' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "False"

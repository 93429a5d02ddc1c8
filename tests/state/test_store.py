from __future__ import annotations

from pathlib import Path

import pytest

from anyide.state.store import State


def test_the_directory_can_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ANYIDE_STATE_DIR", str(tmp_path / "mine"))
    State.open().close()
    assert (tmp_path / "mine" / "state.db").is_file()

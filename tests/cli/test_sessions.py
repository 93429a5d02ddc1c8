from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from anyide.cli.main import main
from anyide.headless.transcript import project_name

if TYPE_CHECKING:
    from pathlib import Path

FIRST = "11111111-1111-4111-8111-111111111111"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one session."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.chdir(folder)
    kept = tmp_path / "config" / "projects" / project_name(folder)
    kept.mkdir(parents=True)
    lines = [
        {"type": "user", "message": {"content": "Where are the elephants?"}, "cwd": str(folder)},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "In the room."}]}},
    ]
    (kept / f"{FIRST}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return folder


def test_the_sessions_of_this_folder_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions"]) == 0
    line = capsys.readouterr().out
    assert line.startswith(FIRST)
    assert "Where are the elephants?" in line


def test_another_folder_has_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions", "--folder", "/"]) == 1
    assert main(["sessions", "--folder", "/", "--all"]) == 0


def test_a_text_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions", "--search", "ROOM"]) == 0
    assert "assistant" in capsys.readouterr().out
    assert main(["sessions", "--search", "zebra"]) == 1


def test_a_session_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions", FIRST]) == 0
    assert capsys.readouterr().out == "> Where are the elephants?\n  In the room.\n"
    assert main(["sessions", "nothing"]) == 1
    assert "no session nothing" in capsys.readouterr().err


def test_json_is_one_object_a_line(capsys: pytest.CaptureFixture[str], project: Path) -> None:
    assert main(["sessions", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cwd"] == str(project)
    assert main(["sessions", "--json", "--search", "room"]) == 0
    assert json.loads(capsys.readouterr().out)["snippet"] == "In the room."
    assert main(["sessions", "--json", FIRST]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0])["type"] == "user"

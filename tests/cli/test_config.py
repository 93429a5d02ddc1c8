from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from anyide.setting import DEFAULT_DENY, SETTINGS

if TYPE_CHECKING:
    from pathlib import Path


def config(
    home: Path, *words: str, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    kept = {name: text for name, text in os.environ.items() if not name.startswith("ANYIDE_")}
    all_env = {**kept, "HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), **(env or {})}
    command = [sys.executable, "-m", "anyide", "config", *words]
    return subprocess.run(
        command, env=all_env, capture_output=True, text=True, cwd=home, check=False
    )


def test_every_value_is_printed_with_its_origin_in_columns(tmp_path: Path) -> None:
    (tmp_path / ".anyide.toml").write_text("[ide]\nname = 'mine'\n[sharing]\ndeny = ['x']\n")
    done = config(tmp_path, "--dialect", "obsidian", env={"ANYIDE_IDE_PORT": "7"})
    assert (done.returncode, done.stderr) == (0, "")
    table = done.stdout.split("\n\n")[0].splitlines()
    rows = [line.split(None, 2) for line in table if not line.startswith(" ")]
    assert [row[0] for row in rows] == [setting.name for setting in SETTINGS]
    project = str(tmp_path / ".anyide.toml")
    assert ["ide.name", "mine", f"{project}, line 2"] in rows
    assert ["ide.port", "7", "ANYIDE_IDE_PORT"] in rows
    assert ["ide.dialect", "obsidian", "--dialect"] in rows
    assert ["claude", "claude", "default"] in rows
    assert [line.split()[0] for line in table if f"{project}, line 4" in line] == ["x"]
    column = table[0].index(project)
    assert {line[column - 1] for line in table} == {" "}
    assert " " not in {line[column] for line in table}


def test_json_holds_the_same(tmp_path: Path) -> None:
    (tmp_path / ".anyide.toml").write_text(
        "sharing.paused = true\nsharing.max_selection = 999999\n"
    )
    document = json.loads(config(tmp_path, "--json", "--deny", "a", "--deny", "b").stdout)
    paused = document["settings"]["sharing.paused"]
    file = str(tmp_path / ".anyide.toml")
    assert paused == {"value": True, "from": [{"source": file, "line": 1}]}
    assert document["settings"]["sharing.deny"]["value"] == [*DEFAULT_DENY, "a", "b"]
    assert document["files"] == [file]
    assert "sharing.max_selection = 999999 is ignored" in document["notes"][0]


def test_what_was_ignored_is_noted_on_stderr(tmp_path: Path) -> None:
    (tmp_path / ".anyide.toml").write_text("sharing.deny = ['!.env']\n")
    done = config(tmp_path)
    assert done.stderr.startswith(f"anyide: note: {tmp_path / '.anyide.toml'}, line 1: ")
    assert done.returncode == 0


def test_another_folder_can_be_asked_about(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / ".anyide.toml").write_text("ide.name = 'other'\n")
    assert "'other'" not in config(tmp_path).stdout
    assert "other  " in config(tmp_path, "other").stdout


def test_the_users_file_is_where_the_platform_says(tmp_path: Path) -> None:
    file = tmp_path / ".config" / "anyide" / "config.toml"
    assert f"The user's file would be {file}" in config(tmp_path).stdout
    file.parent.mkdir(parents=True)
    file.write_text("log_level = 'debug'\n")
    assert f"{file}, line 1" in config(tmp_path).stdout


def test_a_mistake_in_a_file_is_a_sentence_with_its_line(tmp_path: Path) -> None:
    (tmp_path / ".anyide.toml").write_text("\nclaude = 'evil'\n")
    done = config(tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"anyide: {tmp_path / '.anyide.toml'}, line 2: "
        "a project's file may not set 'claude', a program to run\n"
    )


def test_nothing_is_written(tmp_path: Path) -> None:
    assert config(tmp_path).returncode == 0
    assert list(tmp_path.iterdir()) == []

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from anyide.errors import ClaudeNotFound
from anyide.headless.executable import find_claude
from anyide.headless.options import Options
from anyide.headless.process import program
from tests.real.claude import cli_path

if TYPE_CHECKING:
    from pathlib import Path


def make(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_path_comes_before_the_usual_places(tmp_path: Path) -> None:
    usual = make(tmp_path / "home" / ".local" / "bin" / "claude")
    env = {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path / "home")}
    assert find_claude(env=env) == str(usual)
    first = make(tmp_path / "bin" / "claude")
    assert find_claude(env=env) == str(first)


def test_the_one_inside_the_sdk_comes_last(tmp_path: Path) -> None:
    assert find_claude(env={"PATH": "", "HOME": str(tmp_path)}) == str(cli_path())


def test_what_is_given_is_used(tmp_path: Path) -> None:
    given = make(tmp_path / "mine")
    env = {"PATH": "", "HOME": str(tmp_path)}
    assert program(Options(cli_path=given), env) == [str(given)]
    assert program(Options(cli_path=["python", "fake.py"]), env) == ["python", "fake.py"]
    assert program(Options(), {**env, "ANYIDE_CLAUDE": str(given)}) == [str(given)]
    with pytest.raises(ClaudeNotFound, match="install Claude Code"):
        program(Options(cli_path=tmp_path / "none"), env)

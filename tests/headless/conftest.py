"""A session with the fake CLI, and one with the real CLI and the stand-in model."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from anyide.headless import Claude
from tests.real.claude import cli_path

if TYPE_CHECKING:
    from tests.real.claude import Home
    from tests.real.model import StandInModel

FAKE = Path(__file__).with_name("fake_cli.py")


class MakeClaude(Protocol):
    """Makes a session that is not started yet."""

    def __call__(self, mode: str = "normal", **options: Any) -> Claude: ...


@pytest.fixture
def fake() -> MakeClaude:
    def make(mode: str = "normal", **options: Any) -> Claude:
        # A stubborn CLI need not keep the tests waiting.
        given = {"grace_seconds": 0.3} if mode in ("stubborn", "silent") else {}
        return Claude(cli_path=[sys.executable, str(FAKE), mode], **{**given, **options})

    return make


@pytest.fixture
def real(model: StandInModel, home: Home, project: Path) -> MakeClaude:
    home.trust(project)

    def make(mode: str = "", **options: Any) -> Claude:
        env = home.environment(model, **options.pop("env", {}))
        return Claude(cli_path=cli_path(), cwd=project, env=env, clean_env=True, **options)

    return make


def is_running(pid: int) -> bool:
    """Whether a process lives; one that is dead and not yet reaped does not."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False

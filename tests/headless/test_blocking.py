from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import anyide
from anyide.errors import TurnFailed
from tests.headless.conftest import FAKE

FAKE_CLI: dict[str, Any] = {"cli_path": [sys.executable, str(FAKE), "normal"]}


def test_one_question_one_answer() -> None:
    assert anyide.ask("SAY Hello", **FAKE_CLI).text == "Hello"


def test_text_is_given_as_it_comes() -> None:
    pieces: list[str] = []
    reply = anyide.ask("DELTAS 3\nSAY all", on_text=pieces.append, **FAKE_CLI)
    assert (pieces, reply.text) == (["0 ", "1 ", "2 "], "all")


async def test_it_works_where_a_loop_runs() -> None:
    assert anyide.ask("SAY Hello", **FAKE_CLI).text == "Hello"
    with pytest.raises(TurnFailed):
        anyide.ask('RESULT {"is_error": true}', **FAKE_CLI)


def test_errors_are_raised() -> None:
    with pytest.raises(TurnFailed, match="odd"):
        anyide.ask('RESULT {"is_error": true, "errors": ["odd"]}', **FAKE_CLI)


def test_importing_anyide_loads_nothing_slow() -> None:
    script = "import sys, anyide; print([m for m in ('asyncio', 'msgspec') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
    with pytest.raises(AttributeError):
        anyide.nothing  # noqa: B018

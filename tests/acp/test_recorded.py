"""Recorded conversations, replayed without a CLI: the client is told the same as ever."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.acp.scenario import RECORDED, SCENARIOS, play
from tests.acp.schema import check_sent

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", SCENARIOS)
async def test_the_client_is_told_the_same(name: str, project: Path) -> None:
    told = await play(name, project)
    assert told == json.loads((RECORDED / f"{name}.golden.json").read_text())


@pytest.mark.parametrize("name", SCENARIOS)
def test_what_was_told_passes_the_schema(name: str) -> None:
    for entry in json.loads((RECORDED / f"{name}.golden.json").read_text()):
        if "answer" in entry:
            answer = {"jsonrpc": "2.0", "id": 1, "result": entry["result"]}
            check_sent(answer, {1: entry["answer"]})
        else:
            check_sent({"jsonrpc": "2.0", **entry}, {})


def test_every_recording_has_a_scenario() -> None:
    assert {file.name.partition(".")[0] for file in RECORDED.iterdir()} == set(SCENARIOS)

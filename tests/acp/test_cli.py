"""The life of the CLI behind a session; the CLIs are recordings."""

from __future__ import annotations

import asyncio
from typing import Any

from anyide.acp.cli import Cli
from anyide.errors import ClaudeError, UsageError
from anyide.headless.player import replay
from anyide.headless.session import Claude
from tests.acp.scenario import RECORDED


class Maker:
    """Makes CLIs and remembers with what."""

    def __init__(self, *, unfit: int = 0) -> None:
        self.beginnings: list[dict[str, Any]] = []
        self.made: list[Claude] = []
        self.is_stored = False
        self._unfit = unfit
        self.cli = Cli("id", self._make, is_stored=lambda: self.is_stored, fits=self._fits)

    def _make(self, beginning: dict[str, Any]) -> Claude:
        self.beginnings.append(beginning)
        self.made.append(Claude(connect=replay(RECORDED / "plain.jsonl")))
        return self.made[-1]

    async def _fits(self, claude: Claude) -> bool:
        self._unfit -= 1
        return self._unfit < 0


def is_closed(claude: Claude) -> bool:
    try:
        _ = claude.ask("hello")
    except (ClaudeError, UsageError):
        return True
    return False


async def test_a_new_session_a_stored_one_and_a_copy() -> None:
    for given, expected in (
        ({}, {"session_id": "id"}),
        ({"resume": True}, {"resume": "id"}),
        ({"fork_of": "old"}, {"resume": "old", "fork": True, "session_id": "id"}),
    ):
        maker = Maker()
        await maker.cli.start(**given)
        assert maker.beginnings == [expected]
        assert maker.cli.now is maker.made[0]
        await maker.cli.close()
        assert maker.cli.now is None


async def test_one_that_has_ended_is_started_again_once() -> None:
    maker = Maker()
    await maker.cli.start(fork_of="old")
    first = await maker.cli.running()
    maker.cli.lose(first)
    maker.is_stored = True
    one, two = await asyncio.gather(maker.cli.running(), maker.cli.running())
    assert one is two is maker.made[1]
    assert maker.beginnings[1] == {"resume": "id"}  # the copy is stored by now
    maker.cli.lose(first)  # said late: another one runs
    assert maker.cli.now is maker.made[1]
    await maker.cli.close()
    await first.close()


async def test_one_that_was_never_stored_begins_anew() -> None:
    maker = Maker()
    await maker.cli.start()
    maker.cli.lose()
    await maker.cli.running()
    assert maker.beginnings == [{"session_id": "id"}] * 2
    for claude in maker.made:
        await claude.close()


async def test_one_that_does_not_fit_is_closed_and_made_again() -> None:
    maker = Maker(unfit=1)
    await maker.cli.start()
    assert len(maker.made) == 2
    assert is_closed(maker.made[0])
    assert maker.cli.now is maker.made[1]
    await maker.cli.close()

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from anyide.state.draft import Draft
from anyide.state.store import State
from anyide.web.draft import MAX_WAIT, PAUSE, Drafts

FOLDERS = ["/project"]


@pytest.fixture
def state(tmp_path: Path) -> State:
    return State.open(tmp_path / "state.db")


def kept(state: State) -> dict[str, str]:
    return {draft.path: draft.text for draft in state.drafts.of([Path("/project")])}


class Desk:
    """What is unsaved right now."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def current(self, path: str) -> Draft | None:
        return Draft(path, self.texts[path], None) if path in self.texts else None


async def until_kept(state: State, expected: dict[str, str]) -> float:
    started = time.monotonic()
    async with asyncio.timeout(5):
        while True:
            if kept(state) == expected:
                return time.monotonic() - started
            await asyncio.sleep(0.01)


async def test_a_text_is_kept_in_a_pause_and_forgotten_when_saved(state: State) -> None:
    desk = Desk()
    drafts = Drafts(state, FOLDERS, desk.current)
    desk.texts["a"] = "typed"
    drafts.touch("a")
    assert kept(state) == {}
    assert await until_kept(state, {"a": "typed"}) >= PAUSE / 2
    del desk.texts["a"]
    drafts.touch("a")
    await until_kept(state, {})
    state.close()


async def test_who_never_pauses_is_kept_all_the_same(state: State) -> None:
    desk = Desk()
    drafts = Drafts(state, FOLDERS, desk.current)
    started = time.monotonic()
    while not kept(state):
        desk.texts["a"] = desk.texts.get("a", "") + "x"
        drafts.touch("a")
        await asyncio.sleep(PAUSE / 4)
        assert time.monotonic() - started < MAX_WAIT + 2 * PAUSE
    assert time.monotonic() - started > PAUSE * 2
    drafts.flush()
    state.close()


async def test_what_an_earlier_run_left_is_offered_until_it_is_dropped(state: State) -> None:
    desk = Desk()
    desk.texts = {"a": "old", "b": "old b"}
    first = Drafts(state, FOLDERS, desk.current)
    for path in ("a", "b"):
        first.touch(path)
    first.flush()
    assert first.offered == ()
    second = Drafts(state, FOLDERS, desk.current)
    assert {draft.path for draft in second.offered} == {"a", "b"}
    desk.texts["a"] = "new"
    second.touch("a")
    second.flush()
    found = second.find("a")
    assert found is not None
    assert found.text == "old"  # typing does not overwrite what is offered
    assert second.drop("a")
    assert not second.drop("a")
    assert {draft.text for draft in state.drafts.of([Path("/project")])} == {"new", "old b"}
    third = Drafts(state, FOLDERS, desk.current)
    assert {draft.text for draft in third.offered} == {"new", "old b"}
    assert Drafts(state, ["/other"], desk.current).offered == ()
    state.close()


async def test_without_a_state_nothing_is_kept_and_nothing_fails() -> None:
    drafts = Drafts(None, FOLDERS, Desk().current)
    drafts.touch("a")
    drafts.flush()
    assert drafts.offered == ()


async def test_a_state_that_fails_does_not_stop_the_typing(
    state: State, caplog: pytest.LogCaptureFixture
) -> None:
    desk = Desk()
    desk.texts["a"] = "typed"
    drafts = Drafts(state, FOLDERS, desk.current)
    with state._database.transaction() as connection:
        connection.execute("DROP TABLE draft")
    drafts.touch("a")
    drafts.flush()
    assert "unsaved text is not kept" in caplog.text
    state.close()

from __future__ import annotations

from pathlib import Path

from anyide.state.draft import DRAFT_SECONDS, Draft
from anyide.state.store import State

FOLDER = Path("/project")


def test_drafts_are_kept_by_folder_run_and_path_the_latest_first(path: Path) -> None:
    now = 1000.0
    with State.open(path, now=lambda: now) as state:
        for run, text in (("r1", "old"), ("r1", "newer"), ("r2", "newest")):
            now += 1
            state.drafts.keep([FOLDER], Draft("a", text, None, run=run))
        found = state.drafts.of([FOLDER])
        assert [(draft.run, draft.text) for draft in found] == [("r2", "newest"), ("r1", "newer")]
        assert state.drafts.of([Path("/other")]) == []
        state.drafts.drop([FOLDER], "r2", "a")
        assert [draft.text for draft in state.drafts.of([FOLDER])] == ["newer"]
        now += DRAFT_SECONDS + 1
        assert state.drafts.of([FOLDER]) == []


def test_a_draft_holds_any_text(path: Path) -> None:
    text = "\0\r\n\ufeff😀\u2028" * 1000
    with State.open(path) as state:
        state.drafts.keep([FOLDER], Draft("a", text, '{"x": 1}', run="r"))
        (draft,) = state.drafts.of([FOLDER])
    assert (draft.text, draft.on_disk) == (text, '{"x": 1}')

from __future__ import annotations

from pathlib import Path

from anyide.state.review import MAX_REVIEW_DRAFTS, Decision
from anyide.state.store import State

FOLDER = Path("/project")


def test_decisions_of_one_folder_do_not_push_out_those_of_another(path: Path) -> None:
    def decision(identity: str) -> Decision:
        return Decision(identity, "/a", "s", "rejected", 1.0, None, "x", None)

    with State.open(path) as state:
        state.decisions.add([Path("/other")], decision("theirs"))
        for number in range(150):
            state.decisions.add([FOLDER], decision(str(number)))
        assert [each.id for each in state.decisions.of([FOLDER])] == [
            str(number) for number in range(149, 49, -1)
        ]
        assert [each.id for each in state.decisions.of([Path("/other")])] == ["theirs"]


def test_only_the_latest_review_drafts_are_kept(path: Path) -> None:
    now = 0.0
    with State.open(path, now=lambda: now) as state:
        for number in range(MAX_REVIEW_DRAFTS + 1):
            now += 1
            state.review_drafts.keep(str(number), f"draft {number}")
        assert state.review_drafts.find("0") is None
        assert state.review_drafts.find("1") == "draft 1"
        state.review_drafts.drop("1")
        assert state.review_drafts.find("1") is None

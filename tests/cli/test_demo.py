"""`anyide demo` as a newcomer runs it: beside a running editor, decided in its page."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from anyide.cli.demo import AFTER, BEFORE, NEW_FILE
from tests.cli.test_open import Run, ended, link_of, project, run
from tests.cli.test_serve import PATIENCE
from tests.web.window import enter

__all__ = ["project", "run"]  # fixtures


async def test_a_newcomer_sees_a_whole_session(run: Run, project: Path) -> None:
    serving = await run("--no-open")
    window = await enter(await link_of(serving))
    demo = await run("demo")
    await demo.until("sees what is selected")
    await demo.until("def greeting(name):")
    await window.until("reveal")
    summary = (await window.until("reviewOpened"))["summary"]
    review = await window.ask("review", id=summary["id"])
    assert (review["oldText"], review["newText"]) == (BEFORE, AFTER)
    await window.ask("accept", id=summary["id"], text="mine\n")
    await demo.until("as you made it")
    summary = (await window.until("reviewOpened"))["summary"]
    assert summary["isNew"]
    assert (await window.ask("review", id=summary["id"]))["newText"] == NEW_FILE
    await window.ask("reject", id=summary["id"])
    await demo.until("You rejected it")
    await demo.until("Claude asks for problems")
    await demo.until("is left there")
    async with asyncio.timeout(PATIENCE):
        assert await demo.process.wait() == 0
    assert (project / "anyide-demo/greeting.py").read_text() == "mine\n"
    assert not (project / "anyide-demo/NOTES.md").exists()
    await window.close()


@pytest.mark.parametrize("words", [("demo",), ("demo", ".")])
def test_without_an_editor_it_says_how_to_start_one(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = ended(tmp_path, *words)
    assert (done.returncode, done.stdout) == (1, "")
    assert "start one there with 'anyide'" in done.stderr


def test_the_change_has_three_hunks() -> None:
    import difflib

    hunks = difflib.unified_diff(BEFORE.splitlines(), AFTER.splitlines(), n=1)
    assert sum(line.startswith("@@") for line in hunks) == 3

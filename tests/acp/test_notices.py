"""What the CLI tells about itself, where the client declared that it can show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acp.conftest import StartEditor
    from tests.acp.editor import Editor
    from tests.real.model import StandInModel

SHOWS: dict[str, Any] = {"session": {"notices": {}, "compaction": {}}}


async def shows(editor: Editor) -> None:
    """Declare it; the official client does not know how to, yet."""
    params = {"protocolVersion": 1, "clientCapabilities": SHOWS}
    await editor.request("initialize", params)


async def test_a_compaction_is_told(
    start_editor: StartEditor, project: Path, model: StandInModel
) -> None:
    editor = await start_editor()
    await shows(editor)
    session = await editor.open(project)
    await editor.prompt(session, "SAY one")
    assert await editor.prompt(session, "/compact") == "end_turn"
    found = editor.updates("compaction_update")
    assert [update["status"] for update in found] == ["in_progress", "completed"]
    assert len({update["compactionId"] for update in found}) == 1
    assert await editor.prompt(session, "SAY two") == "end_turn"
    assert editor.text().endswith("two")


async def test_a_failing_api_is_told_while_it_is_tried_again(
    start_editor: StartEditor, project: Path, model: StandInModel
) -> None:
    editor = await start_editor()
    await shows(editor)
    session = await editor.open(project)
    model.fail(529)
    assert await editor.prompt(session, "SAY at last") == "end_turn"
    assert editor.text() == "at last"
    (notice,) = editor.updates("notice")
    assert notice["severity"] == "warning"
    assert "529" in notice["title"]


async def test_a_client_that_cannot_show_them_is_not_told(
    start_editor: StartEditor, project: Path, model: StandInModel
) -> None:
    editor = await start_editor()
    session = await editor.open(project)
    model.fail(529)
    await editor.prompt(session, "SAY one")
    await editor.prompt(session, "/compact")
    kinds = {update["sessionUpdate"] for update in editor.updates()}
    assert not kinds & {"notice", "compaction_update", "compaction_summary_chunk"}


@pytest.mark.parametrize("reason", ["refusal", "max_tokens"])
async def test_why_a_turn_ended_is_told(
    start_editor: StartEditor, project: Path, model: StandInModel, reason: str
) -> None:
    editor = await start_editor()
    session = await editor.open(project)
    for _ in range(8):  # the CLI tries again before it gives up
        model.reply("no further", stop_reason=reason)
    assert await editor.prompt(session, "SAY something") == reason

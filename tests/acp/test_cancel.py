"""Cancelling, in every phase: answered `cancelled` exactly once, soon, and the session goes on."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any

import acp
import pytest

from tests.acp.test_turn import call

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acp.conftest import StartEditor
    from tests.acp.editor import Editor
    from tests.real.model import StandInModel

SOON = 0.1
"""What the protocol's user waits at most, on a machine that does nothing else."""
BUSY = 5.0
"""Other tests and their CLIs run beside these on the same cores: so much longer it may take."""


async def cancel(editor: Editor, session: str, prompt: asyncio.Task[str]) -> float:
    """Cancel, wait for the answer; how long it took."""
    began = time.perf_counter()
    await editor.agent.cancel(session_id=session)
    assert await asyncio.wait_for(prompt, 10) == "cancelled"
    return time.perf_counter() - began


async def goes_on(editor: Editor, session: str) -> None:
    """The session takes another prompt, nothing of the old turn comes, each was answered once."""
    assert await editor.prompt(session, "SAY after all") == "end_turn"
    assert editor.text().endswith("after all")
    answers = [m["id"] for m in editor.wire if "result" in m or "error" in m]
    assert len(answers) == len(set(answers))


def start(editor: Editor, session: str, text: str) -> asyncio.Task[str]:
    return asyncio.get_running_loop().create_task(editor.prompt(session, text))


async def test_before_the_first_token(
    start_editor: StartEditor, project: Path, model: StandInModel
) -> None:
    editor = await start_editor()
    session = await editor.open(project)
    prompt = start(editor, session, "SLOW never to be seen")
    await editor.saw(lambda: editor.updates("session_info_update"))  # the prompt has arrived
    assert await cancel(editor, session, prompt) < SOON * BUSY
    assert editor.text() == ""
    model.release()  # the CLI sends both prompts together: the model obeys both
    await goes_on(editor, session)


async def test_while_text_streams(
    start_editor: StartEditor, project: Path, model: StandInModel
) -> None:
    editor = await start_editor()
    session = await editor.open(project)
    prompt = start(editor, session, "SLOW one two three four")
    await editor.saw(editor.text)
    assert await cancel(editor, session, prompt) < SOON * BUSY
    await goes_on(editor, session)
    assert "four" not in editor.text()


async def test_in_a_tool(start_editor: StartEditor, project: Path) -> None:
    editor = await start_editor()
    session = await editor.open(project)
    mark = project / "mark"
    prompt = start(editor, session, call("Bash", command=f"touch {mark}; sleep 60"))
    await editor.saw(lambda: editor.calls() and editor.call("Bash")["status"] == "in_progress")
    while not mark.exists():  # noqa: ASYNC110 - a file tells no loop
        await asyncio.sleep(0.02)
    assert await cancel(editor, session, prompt) < SOON * BUSY
    assert editor.call("Bash")["status"] == "failed"
    await goes_on(editor, session)


async def test_in_a_permission_request(start_editor: StartEditor, project: Path) -> None:
    editor = await start_editor()
    asked, answer = asyncio.Event(), asyncio.Event()

    async def choose(request: dict[str, Any]) -> None:
        asked.set()
        await answer.wait()

    editor.choose = choose
    session = await editor.open(project)
    file = project / "new.txt"
    prompt = start(editor, session, call("Write", file_path=str(file), content="x"))
    await asyncio.wait_for(asked.wait(), 10)
    assert await cancel(editor, session, prompt) < SOON * BUSY
    answer.set()
    assert editor.call("Write")["status"] == "failed"
    await goes_on(editor, session)
    assert not file.exists()


async def test_queued_prompts_are_cancelled_too(start_editor: StartEditor, project: Path) -> None:
    editor = await start_editor()
    session = await editor.open(project)
    first = start(editor, session, "SLOW one two three four")
    await editor.saw(editor.text)
    second = start(editor, session, "SAY second")
    await editor.request("session/list", {})  # the queued prompt has arrived before this answer
    await cancel(editor, session, first)
    assert await second == "cancelled"
    await goes_on(editor, session)
    assert "second" not in editor.text()


async def test_prompts_are_queued_and_each_is_answered(
    start_editor: StartEditor, project: Path, model: StandInModel
) -> None:
    editor = await start_editor()
    session = await editor.open(project)
    first = start(editor, session, "SLOW one two three four ")
    await editor.saw(editor.text)
    second = start(editor, session, "SAY five")
    model.release()
    assert [await first, await second] == ["end_turn", "end_turn"]
    assert editor.text() == "one two three fourfive"


async def test_a_request_can_be_cancelled_by_its_id(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor()
    session = await editor.open(project)
    prompt = start(editor, session, "SLOW one two three four")
    await editor.saw(editor.text)
    identity = next(i for i, method in editor.asked.items() if method == "session/prompt")
    params = {"requestId": identity}
    editor.notify_raw({"method": "$/cancel_request", "params": params})
    with pytest.raises(acp.RequestError) as caught:
        await prompt
    assert caught.value.code == -32800
    await goes_on(editor, session)


async def test_a_cancel_that_nothing_waits_for_is_harmless(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor()
    session = await editor.open(project)
    await editor.agent.cancel(session_id=session)
    await editor.agent.cancel(session_id="no such session")
    await goes_on(editor, session)


async def test_two_sessions_run_at_once(
    start_editor: StartEditor, project: Path, model: StandInModel
) -> None:
    editor = await start_editor()
    one, two = await asyncio.gather(editor.open(project), editor.open(project))
    slow = start(editor, one, "SLOW one one one")
    await editor.saw(lambda: editor.text(session=one))
    assert await editor.prompt(two, "SAY two") == "end_turn"
    assert not slow.done()
    await editor.agent.cancel(session_id=two)  # of the other one
    model.release()
    assert await slow == "end_turn"
    assert (editor.text(session=one), editor.text(session=two)) == ("one one one", "two")
    assert json.dumps(editor.updates("tool_call")) == "[]"

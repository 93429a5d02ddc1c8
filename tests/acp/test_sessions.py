"""Sessions: opened, loaded, resumed, copied, listed, closed, deleted, chosen in."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import acp
import psutil
import pytest

from tests.acp.test_turn import call

if TYPE_CHECKING:
    from tests.acp.conftest import StartEditor
    from tests.acp.editor import Editor
    from tests.real.claude import Home
    from tests.real.model import StandInModel


def children(editor: Editor) -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process(editor.process.pid).children(recursive=True)
        if "claude" in child.name()
    ]


def transcripts(home: Home) -> list[Path]:
    return list((home.path / ".claude" / "projects").glob("*/*.jsonl"))


async def talk(editor: Editor, project: Path) -> str:
    session = await editor.open(project)
    (project / "a.txt").write_text("one\n")
    read = call("Read", file_path=str(project / "a.txt"))
    await editor.prompt(session, f"THINK hm SAY well {read} SAY done")
    return session


async def test_load_replays_what_was_said(start_editor: StartEditor, project: Path) -> None:
    session = await talk(await start_editor(), project)
    editor = await start_editor()
    answer = await editor.agent.load_session(cwd=str(project), session_id=session)
    assert answer.modes is not None
    assert answer.modes.current_mode_id == "default"
    kinds = [update["sessionUpdate"] for update in editor.updates(session=session)]
    assert kinds[0] == "user_message_chunk"
    assert editor.text("user_message_chunk").startswith("THINK hm SAY well")
    assert editor.text("agent_thought_chunk") == "hm"
    assert editor.text() == "welldone"
    assert editor.call("Read")["status"] == "completed"
    answered = next(i for i, m in enumerate(editor.wire) if m.get("id") == 1)
    replayed = [i for i, m in enumerate(editor.wire) if "user_message" in str(m)]
    assert max(replayed) < answered
    assert await editor.prompt(session, "SAY more") == "end_turn"
    assert editor.text().endswith("more")


async def test_the_plan_of_a_loaded_session_goes_on(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor()
    session = await editor.open(project)
    tasks = " ".join(call("TaskCreate", subject=s, description=s) for s in ("Look", "Leap"))
    await editor.prompt(session, f"{tasks} SAY planned")
    editor = await start_editor()
    await editor.agent.load_session(cwd=str(project), session_id=session)
    await editor.prompt(session, f"{call('TaskUpdate', taskId='1', status='completed')} SAY so")
    entries = editor.updates("plan")[-1]["entries"]
    assert [(e["content"], e["status"]) for e in entries] == [
        ("Look", "completed"),
        ("Leap", "pending"),
    ]


async def test_each_start_of_the_cli_is_recorded(
    start_editor: StartEditor, project: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "recordings"
    folder.mkdir()
    editor = await start_editor("--record", str(folder))
    session = await talk(editor, project)
    (cli,) = children(editor)
    cli.send_signal(signal.SIGKILL)
    await asyncio.to_thread(cli.wait, 5)
    await editor.prompt(session, "SAY again")
    other = await editor.open(project)
    names = sorted(path.name for path in folder.iterdir())
    assert names == sorted([f"{session}-1.jsonl", f"{session}-2.jsonl", f"{other}-1.jsonl"])


async def test_resume_does_not_replay_and_remembers(
    start_editor: StartEditor, project: Path, model: StandInModel
) -> None:
    session = await talk(await start_editor(), project)
    editor = await start_editor()
    await editor.agent.resume_session(cwd=str(project), session_id=session)
    await editor.prompt(session, "SAY more")
    assert editor.text("user_message_chunk") == ""
    assert editor.text() == "more"
    assert "SAY well" in model.requests[-1].everything


async def test_a_fork_goes_its_own_way(
    start_editor: StartEditor, project: Path, model: StandInModel, home: Home
) -> None:
    editor = await start_editor()
    session = await talk(editor, project)
    fork = await editor.agent.fork_session(cwd=str(project), session_id=session)
    assert fork.session_id != session
    assert await editor.prompt(fork.session_id, "SAY forked") == "end_turn"
    assert "SAY well" in model.requests[-1].everything
    assert await editor.prompt(session, "SAY original") == "end_turn"
    assert "SAY forked" not in model.requests[-1].everything
    assert {path.stem for path in transcripts(home)} == {session, fork.session_id}


async def test_the_list_comes_in_pages_and_the_newest_first(
    start_editor: StartEditor, project: Path, home: Home
) -> None:
    editor = await start_editor()
    session = await talk(editor, project)
    (stored,) = transcripts(home)
    for age in range(1, 60):
        copy = stored.with_name(f"{uuid.uuid4()}.jsonl")
        shutil.copy(stored, copy)
        when = stored.stat().st_mtime - age
        os.utime(copy, (when, when))
    first = await editor.agent.list_sessions(cwd=str(project))
    assert len(first.sessions) == 50
    assert first.sessions[0].session_id == session
    assert first.sessions[0].cwd == str(project)
    assert str(first.sessions[0].title).startswith("THINK hm SAY well")
    second = await editor.agent.list_sessions(cwd=str(project), cursor=first.next_cursor)
    assert (len(second.sessions), second.next_cursor) == (10, None)
    assert (await editor.agent.list_sessions(cwd="/nowhere")).sessions == []


async def test_a_closed_session_frees_its_process_and_a_deleted_one_its_file(
    start_editor: StartEditor, project: Path, home: Home
) -> None:
    editor = await start_editor()
    session = await talk(editor, project)
    assert len(children(editor)) == 1
    await editor.agent.close_session(session_id=session)
    assert children(editor) == []
    with pytest.raises(acp.RequestError) as caught:
        await editor.prompt(session, "SAY hi")
    assert caught.value.code == -32002
    assert len(transcripts(home)) == 1
    await editor.request("session/delete", {"sessionId": session})
    assert transcripts(home) == []
    await editor.request("session/delete", {"sessionId": session})


async def test_a_session_that_is_not_there_is_told(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor()
    with pytest.raises(acp.RequestError) as caught:
        await editor.agent.load_session(cwd=str(project), session_id=str(uuid.uuid4()))
    assert caught.value.code == -32002
    assert children(editor) == []


@pytest.mark.parametrize("folder", ["relative", "/no/such/folder"])
async def test_a_folder_that_is_none_is_told(start_editor: StartEditor, folder: str) -> None:
    editor = await start_editor()
    with pytest.raises(acp.RequestError, match="cwd") as caught:
        await editor.agent.new_session(cwd=folder)
    assert caught.value.code == -32602


async def test_mode_model_and_effort_can_be_chosen(
    start_editor: StartEditor, project: Path, model: StandInModel
) -> None:
    editor = await start_editor()
    answer = await editor.agent.new_session(cwd=str(project))
    session = answer.session_id
    assert answer.modes is not None
    by_id = {option.id: option for option in answer.config_options or []}
    assert list(by_id) == ["mode", "model", "effort"]
    assert [by_id[i].category for i in by_id] == ["mode", "model", "thought_level"]
    assert "bypassPermissions" not in [m.id for m in answer.modes.available_modes]
    await editor.agent.set_config_option(config_id="model", session_id=session, value="sonnet")
    await editor.agent.set_config_option(config_id="effort", session_id=session, value="low")
    await editor.agent.set_session_mode(session_id=session, mode_id="acceptEdits")
    await editor.prompt(session, call("Write", file_path=str(project / "n"), content="x"))
    assert "sonnet" in model.requests[-1].body["model"]
    assert model.requests[-1].body["output_config"]["effort"] == "low"
    assert (project / "n").exists()
    assert editor.requests("session/request_permission") == []
    last = {
        o["id"]: o["currentValue"]
        for o in editor.updates("config_option_update")[-1]["configOptions"]
    }
    assert last == {"mode": "acceptEdits", "model": "sonnet", "effort": "low"}
    for wrong in ("nonsense", "bypassPermissions"):
        with pytest.raises(acp.RequestError):
            await editor.agent.set_session_mode(session_id=session, mode_id=wrong)


async def test_flags_choose_what_holds_at_first(
    start_editor: StartEditor, project: Path, model: StandInModel
) -> None:
    flags = ("--model", "sonnet", "--effort", "low", "--permission-mode", "acceptEdits")
    editor = await start_editor(*flags)
    answer = await editor.agent.new_session(cwd=str(project))
    chosen = {option.id: option.current_value for option in answer.config_options or []}
    assert chosen == {"mode": "acceptEdits", "model": "sonnet", "effort": "low"}
    await editor.prompt(answer.session_id, "SAY hi")
    assert "sonnet" in model.requests[-1].body["model"]
    assert model.requests[-1].body["output_config"]["effort"] == "low"


async def test_only_who_asks_for_it_may_bypass_permissions(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor("--permission-mode", "bypassPermissions", env={"IS_SANDBOX": "1"})
    answer = await editor.agent.new_session(cwd=str(project))
    assert answer.modes is not None
    assert answer.modes.current_mode_id == "bypassPermissions"
    await editor.prompt(answer.session_id, call("Write", file_path=f"{project}/n", content="x"))
    assert (project / "n").exists()
    assert editor.requests("session/request_permission") == []


async def test_one_process_serves_all_prompts(start_editor: StartEditor, project: Path) -> None:
    editor = await start_editor()
    session = await editor.open(project)
    await editor.prompt(session, "SAY one")
    before = [child.pid for child in children(editor)]
    await editor.prompt(session, "SAY two")
    assert [child.pid for child in children(editor)] == before
    assert len(before) == 1


async def test_the_commands_are_told_after_the_session_is_known(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor()
    await editor.open(project)
    (told,) = await editor.saw(lambda: editor.updates("available_commands_update"))
    assert "compact" in [command["name"] for command in told["availableCommands"]]
    kinds = ["result" if "result" in m else "update" for m in editor.wire]
    assert kinds == ["result", "result", "update"]


async def test_a_killed_cli_fails_the_prompt_and_the_next_one_resumes(
    start_editor: StartEditor, project: Path, model: StandInModel
) -> None:
    editor = await start_editor()
    session = await talk(editor, project)
    prompt = asyncio.ensure_future(editor.prompt(session, "SLOW one two three four"))
    await editor.saw(lambda: "one two" in editor.text())
    (cli,) = children(editor)
    cli.send_signal(signal.SIGKILL)
    with pytest.raises(acp.RequestError, match=r"killed by SIGKILL.*next prompt"):
        await prompt
    assert await editor.prompt(session, "SAY back again") == "end_turn"
    assert editor.text().endswith("back again")
    assert "SAY well" in model.requests[-1].everything


async def test_a_cli_killed_between_prompts_is_not_noticed(
    start_editor: StartEditor, project: Path
) -> None:
    editor = await start_editor()
    session = await talk(editor, project)
    (cli,) = children(editor)
    cli.send_signal(signal.SIGKILL)
    cli.wait(5)
    assert await editor.prompt(session, "SAY back again") == "end_turn"


async def test_no_process_survives_the_client(
    start_editor: StartEditor, project: Path, model: StandInModel
) -> None:
    editor = await start_editor()
    session = await editor.open(project)
    prompt = asyncio.ensure_future(editor.prompt(session, "SLOW one two three four"))
    await editor.saw(editor.text)
    processes = psutil.Process(editor.process.pid).children(recursive=True)
    assert processes
    await editor.stop()
    _, alive = psutil.wait_procs(processes, timeout=5)
    assert alive == []
    assert editor.process.returncode == 0
    prompt.cancel()


async def test_no_process_survives_a_killed_agent(
    start_editor: StartEditor, project: Path, model: StandInModel
) -> None:
    editor = await start_editor()
    session = await editor.open(project)
    prompt = asyncio.ensure_future(editor.prompt(session, "SLOW one two three four"))
    await editor.saw(editor.text)
    processes = psutil.Process(editor.process.pid).children(recursive=True)
    editor.process.kill()
    _, alive = psutil.wait_procs(processes, timeout=5)
    assert alive == []
    prompt.cancel()

"""Recording, and replaying what was recorded (`player.py`)."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from anyide.errors import ClaudeError, ControlFailed, StateError
from anyide.headless import Claude, TextDelta, ToolUse, replay
from anyide.headless.record import APP, CLI, Recorder, read_recording
from anyide.headless.secret import REMOVED, Redactor

if TYPE_CHECKING:
    from pathlib import Path

    from anyide.headless import PermissionRequest
    from tests.headless.conftest import MakeClaude


async def test_a_real_session_is_recorded_and_replayed(
    real: MakeClaude, tmp_path: Path, project: Path
) -> None:
    file = tmp_path / "session.jsonl"
    write = json.dumps({"file_path": str(project / "a.txt"), "content": "x"})
    prompts = [f"CALL Write {write} SAY done", "THINK hm SAY Hello"]

    async def talk(claude: Claude) -> list[str]:
        seen: list[str] = []
        async with claude:
            for prompt in prompts:
                events = [event async for event in claude.ask(prompt)]
                seen += [event.text for event in events if isinstance(event, TextDelta)]
                seen += [event.name for event in events if isinstance(event, ToolUse)]
            assert await claude.get_binary_version()
        return seen

    asked: list[str] = []

    def permission(request: PermissionRequest) -> bool:
        asked.append(request.tool_name)
        return True

    options: dict[str, Any] = {"permission": permission, "include_partial": True}
    live = await talk(real(record=file, **options))
    again = await talk(Claude(connect=replay(file), **options))
    assert again == live
    assert "Hello" in live
    assert asked == ["Write", "Write"]
    assert "sk-ant" not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.fixture
async def recording(fake: MakeClaude, tmp_path: Path) -> Path:
    file = tmp_path / "session.jsonl"
    async with fake(record=file) as claude:
        await claude.ask("LINE not json\nSAY Hello")
    return file


async def test_what_was_not_recorded_is_told(recording: Path) -> None:
    async with Claude(connect=replay(recording)) as claude:
        with pytest.raises(ControlFailed, match="the recording has no answer to 'echo'"):
            await claude.request("echo")
        assert (await claude.ask("anything")).text == "Hello"
        with pytest.raises(ClaudeError):
            await claude.ask("more")


async def test_both_directions_are_in_it(recording: Path) -> None:
    entries = read_recording(recording)
    assert {entry.speaker for entry in entries} == {APP, CLI}
    assert [entry.text for entry in entries if entry.text] == ["not json"]
    assert [entry.at for entry in entries] == sorted(entry.at for entry in entries)


async def test_a_replay_keeps_the_original_speed_if_asked(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    times = iter([0.0, 0.0, 0.01, 0.02, 0.03, 0.63, 0.64])
    recorder = Recorder(file, env={}, clock=lambda: next(times))
    prompt = {"type": "user", "uuid": "u", "message": {}}
    answer = {"subtype": "success", "request_id": "anyide-1", "response": {}}
    ask = {
        "type": "control_request",
        "request_id": "anyide-1",
        "request": {"subtype": "initialize"},
    }
    said = {"type": "assistant", "message": {"content": "a"}}
    recorder.take(APP, json.dumps(ask).encode())
    recorder.take(CLI, json.dumps({"type": "control_response", "response": answer}).encode())
    recorder.take(APP, json.dumps(prompt).encode())
    recorder.take(CLI, json.dumps(said).encode())
    recorder.take(CLI, json.dumps({"type": "result", "result": "a"}).encode())
    recorder.close()
    for original_speed, least, most in ((True, 0.59, 5.0), (False, 0.0, 0.5)):
        async with Claude(connect=replay(file, original_speed=original_speed)) as claude:
            began = time.monotonic()
            assert (await claude.ask("hi")).text == "a"
            assert least <= time.monotonic() - began < most


def test_a_file_that_is_no_recording_is_told(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("{}\n")
    with pytest.raises(StateError, match="no recording"):
        replay(tmp_path / "x")
    with pytest.raises(StateError, match="cannot record"):
        Recorder(tmp_path / "none" / "x")


@pytest.mark.parametrize(
    "secret",
    [
        "sk-ant-api03-abcdefghijklmnop",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "AKIAABCDEFGHIJKLMNOP",
        "from-the-environment",
        'quo"ted\\ one',
        "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4",
    ],
)
def test_secrets_are_taken_out_and_json_stays_json(secret: str) -> None:
    env = {"MY_API_TOKEN": "from-the-environment", "PASSWORD": 'quo"ted\\ one', "HOME": "/home/u"}
    redactor = Redactor({**env, "GIT_AUTHOR_NAME": "/home/u"})
    line = json.dumps({"text": f'say "{secret}" aloud', "nested": [secret], "home": "/home/u"})
    clean = redactor.clean(line)
    assert secret not in clean
    assert json.dumps(secret)[1:-1] not in clean
    assert json.loads(clean)["home"] == "/home/u"
    assert REMOVED in json.loads(clean)["text"]


def test_fields_named_like_secrets_are_taken_out() -> None:
    clean = Redactor({}).clean('{"password": "a\\"b", "apiKey": "short", "tokens": "kept"}')
    assert json.loads(clean) == {"password": REMOVED, "apiKey": REMOVED, "tokens": "kept"}


def test_a_variable_that_names_a_file_is_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "mine.pem").touch()
    monkeypatch.chdir(tmp_path)
    env = {"SSH_AUTH_SOCK": str(tmp_path / "keys"), "KEY_FILE": "./keys/mine.pem"}
    said = " ".join(env.values())
    assert recorded(tmp_path, said, env) == said


@pytest.mark.parametrize(
    "secret", ["/3q2+7w/Zm9vYmFy", "../~hush~!", "password", "/hushhush\0", "/" + "x" * 300]
)
def test_a_secret_that_looks_like_a_path_is_taken_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, secret: str
) -> None:
    (tmp_path / "password").mkdir()  # a bare word is a secret, whatever is called like it
    monkeypatch.chdir(tmp_path)
    assert recorded(tmp_path, f"it is {secret}!", {"MY_SECRET": secret}) == f"it is {REMOVED}!"


def recorded(folder: Path, said: str, env: dict[str, str]) -> str:
    """A text, as it stands in a recording that was made in this environment."""
    file = folder / "r.jsonl"
    recorder = Recorder(file, env=env)
    recorder.take(APP, json.dumps(said).encode())
    recorder.close()
    (entry,) = read_recording(file)
    return str(json.loads(bytes(entry.line)))

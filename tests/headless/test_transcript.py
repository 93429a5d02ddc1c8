from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from anyide.errors import StateError
from anyide.headless.transcript import (
    EDGE_BYTES,
    find_session,
    list_sessions,
    project_name,
    read_session,
    search_sessions,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.headless.conftest import MakeClaude
    from tests.real.claude import Home


def said(role: str, text: Any, **more: Any) -> dict[str, Any]:
    return {"type": role, "message": {"role": role, "content": text}, **more}


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"CLAUDE_CONFIG_DIR": str(tmp_path / "config")}


def keep(tmp_path: Path, folder: Path, name: str, *entries: Any, at: float = 1.0) -> Path:
    kept = tmp_path / "config" / "projects" / project_name(folder)
    kept.mkdir(parents=True, exist_ok=True)
    file = kept / f"{name}.jsonl"
    lines = [entry if isinstance(entry, str) else json.dumps(entry) for entry in entries]
    file.write_text("\n".join(lines))
    os.utime(file, (at, at))
    return file


def test_sessions_are_listed_newest_first(tmp_path: Path, env: dict[str, str]) -> None:
    here, there = tmp_path / "a", tmp_path / "b"
    keep(tmp_path, here, "old", said("user", "first", cwd=str(here), gitBranch="main"), at=1)
    keep(tmp_path, here, "new", said("user", [{"type": "text", "text": "second"}]), at=2)
    keep(tmp_path, there, "other", said("user", "third"), at=3)
    keep(tmp_path, here, "empty", {"type": "queue-operation"}, "not json", at=4)
    assert [session.id for session in list_sessions(here, env=env)] == ["new", "old"]
    assert [session.id for session in list_sessions(env=env)] == ["other", "new", "old"]
    old = find_session("old", env=env)
    assert (old.title, old.cwd, old.branch, old.modified) == ("first", str(here), "main", 1.0)
    with pytest.raises(StateError, match="no session none"):
        find_session("none", env=env)


def test_a_title_counts_more_than_the_first_prompt(tmp_path: Path, env: dict[str, str]) -> None:
    title = {"type": "custom-title", "customTitle": "named"}
    keep(tmp_path, tmp_path, "s", said("user", "<system>"), said("user", "prompt"), title)
    (session,) = list_sessions(tmp_path, env=env)
    assert (session.title, session.first_prompt) == ("named", "prompt")


def test_a_big_file_is_not_read_whole(tmp_path: Path, env: dict[str, str]) -> None:
    filler = [said("assistant", "x" * 1000) for _ in range(3000)]
    file = keep(tmp_path, tmp_path, "s", said("user", "begin"), *filler, {"customTitle": "end"})
    assert file.stat().st_size > 20 * EDGE_BYTES
    with file.open("r+b") as edit:
        edit.seek(10 * EDGE_BYTES)
        edit.write(b"\xff" * EDGE_BYTES)  # who read it all would stumble
    (session,) = list_sessions(tmp_path, env=env)
    assert (session.title, session.first_prompt) == ("end", "begin")


def test_a_session_is_read_without_subagents(tmp_path: Path, env: dict[str, str]) -> None:
    result = [{"type": "tool_result", "tool_use_id": "t", "content": "r"}]
    file = keep(
        tmp_path,
        tmp_path,
        "s",
        said("user", "q", uuid="u", timestamp="t"),
        said("user", result),
        said("assistant", [{"type": "thinking", "thinking": "?"}, {"type": "text", "text": "a"}]),
        said("assistant", "aside", isSidechain=True),
        '{"type": "user", "mess',
    )
    assert [(line.role, line.text) for line in read_session(file)] == [
        ("user", "q"),
        ("assistant", "a"),
    ]
    with pytest.raises(StateError, match="cannot read"):
        list(read_session(tmp_path / "none"))


def test_a_text_is_found_whatever_its_case(tmp_path: Path, env: dict[str, str]) -> None:
    keep(tmp_path, tmp_path, "s", said("user", "Where is the ELEPHANT now?"))
    keep(tmp_path, tmp_path / "b", "t", said("user", "elephants"))
    (match,) = search_sessions("elephant", tmp_path, env=env)
    assert (match.session.id, match.snippet) == ("s", "Where is the ELEPHANT now?")
    assert len(list(search_sessions("elephant", env=env))) == 2
    assert list(search_sessions("zebra", env=env)) == []


def test_no_sessions_are_no_error(tmp_path: Path, env: dict[str, str]) -> None:
    assert list_sessions(env=env) == []


async def test_the_real_clis_sessions_are_found(
    real: MakeClaude, home: Home, project: Path
) -> None:
    async with real() as claude:
        await claude.ask("SAY the first word is elephant")
        await claude.rename_session("About elephants")
        session_id = claude.session_id
    env = {"HOME": str(home.path)}
    (session,) = list_sessions(project, env=env)
    assert (session.id, session.cwd) == (session_id, str(project))
    assert session.first_prompt == "SAY the first word is elephant"
    assert session.title == "About elephants"
    assert [line.role for line in read_session(session)] == ["user", "assistant"]
    assert len(list(search_sessions("ELEPHANT", project, env=env))) == 2

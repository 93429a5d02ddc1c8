from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from anyide.acp.client import Abilities
from anyide.acp.messages import LoadSessionRequest, NewSessionRequest, ResumeSessionRequest
from anyide.acp.option import Choices
from anyide.acp.read import read
from anyide.acp.setup import AgentOptions, Setup, claude_options, setup_for
from anyide.errors import InvalidParams
from anyide.headless.options import Options

STDIO = {"name": "a", "command": "srv", "args": ["-x"], "env": [{"name": "K", "value": "V"}]}
HTTP = {
    "type": "http",
    "name": "b",
    "url": "https://e",
    "headers": [{"name": "Authorization", "value": "x"}],
}
SSE = {"type": "sse", "name": "c", "url": "https://s", "headers": []}


def wanted(cwd: Path | str, *servers: Any, folders: Any = None) -> Setup:
    asked: dict[str, Any] = {"cwd": str(cwd), "mcpServers": list(servers)}
    if folders is not None:
        asked["additionalDirectories"] = [str(folder) for folder in folders]
    return setup_for("s", read(asked, NewSessionRequest))


def options(chosen: Choices | None = None, forms: bool = False, **ours: Any) -> Options:
    setup = Setup(session_id="s", cwd="/p", folders=("/q",), servers={"a": {"type": "stdio"}})
    return claude_options(setup, AgentOptions(**ours), Abilities(forms=forms), chosen)


def test_each_kind_of_server_is_told_to_the_cli(tmp_path: Path) -> None:
    assert wanted(tmp_path, STDIO, HTTP, SSE).servers == {
        "a": {"type": "stdio", "command": "srv", "args": ["-x"], "env": {"K": "V"}},
        "b": {"type": "http", "url": "https://e", "headers": {"Authorization": "x"}},
        "c": {"type": "sse", "url": "https://s", "headers": {}},
    }


def test_of_two_servers_with_one_name_the_later_counts(tmp_path: Path) -> None:
    setup = wanted(tmp_path, STDIO, {**HTTP, "name": "a"})
    assert [server["type"] for server in setup.servers.values()] == ["http"]


@pytest.mark.parametrize(
    ("server", "problem"),
    [
        ({"type": "acp", "name": "x"}, "unknown type"),
        ({}, "unknown type"),
        ({**STDIO, "name": "anyide"}, "give it another"),
    ],
)
def test_servers_that_cannot_be_used_are_named(tmp_path: Path, server: Any, problem: str) -> None:
    with pytest.raises(InvalidParams, match=rf"mcpServers.*{problem}"):
        wanted(tmp_path, server)


def test_servers_and_folders_may_be_left_out(tmp_path: Path) -> None:
    asked = read({"sessionId": "s", "cwd": str(tmp_path)}, ResumeSessionRequest)
    assert setup_for("s", asked) == Setup(session_id="s", cwd=str(tmp_path))
    null = {"sessionId": "s", "cwd": str(tmp_path), "mcpServers": []}
    asked = read({**null, "additionalDirectories": None}, LoadSessionRequest)
    assert setup_for("s", asked) == Setup(session_id="s", cwd=str(tmp_path))


def test_folders_are_kept_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    folders = [tmp_path / "a b", tmp_path]
    assert wanted(tmp_path, folders=folders).folders == tuple(map(str, folders))


@pytest.mark.parametrize(
    ("folder", "problem"),
    [
        ("relative", "'relative' is not an absolute path"),
        ("", "'' is not an absolute path"),
        ("~/x", "not an absolute path"),
        ("{tmp}/none", "none does not exist"),
        ("{tmp}/file", "file does not exist"),
        ("/nul\0", "does not exist"),
    ],
)
def test_a_folder_that_is_none_is_named(tmp_path: Path, folder: str, problem: str) -> None:
    (tmp_path / "file").touch()
    folder = folder.replace("{tmp}", str(tmp_path))
    with pytest.raises(InvalidParams, match=f"cwd: .*{problem}"):
        wanted(folder)
    with pytest.raises(InvalidParams, match=rf"additionalDirectories\[1\]: .*{problem}"):
        wanted(tmp_path, folders=[tmp_path, folder])


def test_a_new_session_is_as_the_person_typed_it() -> None:
    found = options(model="haiku", permission_mode="plan", effort="low", env={"K": "V"})
    assert (found.cwd, found.add_dirs, found.model) == ("/p", ("/q",), "haiku")
    assert (found.permission_mode, found.effort) == ("plan", "low")
    assert found.mcp_servers == {"a": {"type": "stdio"}}
    assert found.env["K"] == "V"
    assert found.include_partial
    assert not found.allow_dangerously_skip_permissions


def test_a_session_that_goes_on_keeps_what_was_chosen() -> None:
    chosen = Choices(mode="acceptEdits", model="opus", effort="high")
    found = options(chosen, model="haiku", permission_mode="plan", effort="low")
    assert (found.model, found.permission_mode, found.effort) == ("opus", "acceptEdits", "high")
    assert options(Choices(effort="default"), effort="low").effort is None


def test_bypassing_is_possible_only_where_it_was_typed() -> None:
    assert not options(Choices(may_bypass=True)).allow_dangerously_skip_permissions
    assert options(permission_mode="bypassPermissions").allow_dangerously_skip_permissions


def test_without_forms_no_question_is_asked() -> None:
    assert options().disallowed_tools == ("AskUserQuestion",)
    assert options(forms=True).disallowed_tools == ()


def test_the_persons_environment_counts_more_than_ours() -> None:
    name = "CLAUDE_CODE_ENABLE_TODO_TOOLS"
    assert options().env[name] == "1"
    assert options(env={name: "0"}).env[name] == "0"

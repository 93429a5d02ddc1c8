from __future__ import annotations

from pathlib import Path

import pytest

from anyide.errors import UsageError
from anyide.headless import Claude, Options
from anyide.headless.argv import FIXED, environment, initialize, words


def no_file(name: str, text: str) -> str:
    raise AssertionError(f"{name} is short enough")


def argv(**options: object) -> list[str]:
    made = Options(**options)  # type: ignore[arg-type]
    return words(made, asks_permission=False, spill=no_file)[len(FIXED) :]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, []),
        ({"model": "m"}, ["--model=m"]),
        ({"model": "--evil"}, ["--model=--evil"]),
        ({"fallback_model": ["a", "b"]}, ["--fallback-model=a,b"]),
        ({"fallback_model": "a"}, ["--fallback-model=a"]),
        ({"allowed_tools": ["Bash(ls:*)", "Read"]}, ["--allowedTools=Bash(ls:*),Read"]),
        ({"disallowed_tools": ["Bash"]}, ["--disallowedTools=Bash"]),
        ({"builtin_tools": []}, ["--tools="]),
        ({"builtin_tools": "default"}, ["--tools=default"]),
        ({"setting_sources": []}, ["--setting-sources="]),
        ({"setting_sources": ["user", "project"]}, ["--setting-sources=user,project"]),
        ({"permission_mode": "plan"}, ["--permission-mode=plan"]),
        ({"permission_prompt_tool": "mcp__a__b"}, ["--permission-prompt-tool=mcp__a__b"]),
        ({"continue_last": True}, ["--continue"]),
        ({"resume": "-x", "fork": True}, ["--resume=-x", "--fork-session"]),
        ({"resume_at": "u", "resume_drops_turn": "v"},
         ["--resume-session-at=u", "--resume-drops-turn=v"]),
        ({"session_id": "s", "persist": False}, ["--session-id=s", "--no-session-persistence"]),
        ({"max_turns": 0, "max_budget_usd": 0.5, "task_budget": 9},
         ["--max-turns=0", "--max-budget-usd=0.5", "--task-budget=9"]),
        ({"thinking": "adaptive", "max_thinking_tokens": 5, "thinking_display": "omitted"},
         ["--thinking=adaptive", "--max-thinking-tokens=5", "--thinking-display=omitted"]),
        ({"add_dirs": [Path("/a"), "/b"]}, ["--add-dir=/a", "--add-dir=/b"]),
        ({"plugins": ["/p"], "betas": ["x"]}, ["--betas=x", "--plugin-dir=/p"]),
        ({"include_partial": True, "include_hook_events": True},
         ["--include-partial-messages", "--include-hook-events"]),
        ({"mcp_servers": {"s": {"command": "c"}}},
         ['--mcp-config={"mcpServers":{"s":{"command":"c"}}}']),
        ({"mcp_servers": "/m.json"}, ["--mcp-config=/m.json"]),
        ({"settings": {"a": 1}, "sandbox": {"enabled": True}},
         ['--settings={"a":1,"sandbox":{"enabled":true}}']),
        ({"settings": Path("/s.json")}, ["--settings=/s.json"]),
        ({"managed_settings": {"a": 1}}, ['--managed-settings={"a":1}']),
        ({"extra_args": {"bare": None, "--name": "-n"}}, ["--bare", "--name=-n"]),
    ],
)  # fmt: skip
def test_an_option_is_a_flag(options: dict[str, object], expected: list[str]) -> None:
    assert sorted(argv(**options)) == sorted(expected)


def test_a_permission_callback_asks_for_questions() -> None:
    made = words(Options(), asks_permission=True, spill=no_file)
    assert "--permission-prompt-tool=stdio" in made


def test_a_long_value_goes_into_a_file_whole() -> None:
    files: dict[str, str] = {}

    def spill(name: str, text: str) -> str:
        files[name] = text
        return f"/tmp/{name}"

    servers = {f"server{n}": {"command": "x" * 1000} for n in range(100)}
    made = words(Options(mcp_servers=servers), asks_permission=False, spill=spill)
    assert "--mcp-config=/tmp/mcp-config" in made
    assert files["mcp-config"].count("x" * 1000) == 100


def test_long_texts_go_into_initialize() -> None:
    long = "y" * 300_000
    made = Options(
        system_prompt=long,
        append_system_prompt=long,
        agents={"a": {"description": "d", "prompt": long}},
        output_schema={"type": "object"},
        tool_aliases={"Read": "mcp__a__read"},
        forward_subagent_text=True,
        skills=["s"],
        dialog_kinds=["k"],
    )
    fields = initialize(made)
    assert fields["systemPrompt"] == [long]
    assert fields["agents"]["a"]["prompt"] == long
    assert fields["toolAliases"] == {"Read": "mcp__a__read"}
    assert fields["jsonSchema"] == {"type": "object"}
    assert fields["supportedDialogKinds"] == ["k"]
    assert max(map(len, argv(system_prompt=long) or [""])) < 100


def test_without_a_system_prompt_the_clis_own_stays() -> None:
    assert "systemPrompt" not in initialize(Options())
    assert initialize(Options(system_prompt=""))["systemPrompt"] == [""]


def test_the_environment_is_ours_and_what_was_given() -> None:
    ours = {"PATH": "/bin", "CLAUDECODE": "1"}
    found = environment(Options(env={"A": "b"}, checkpoints=True, cwd="/w"), ours)
    assert found["PATH"] == "/bin"
    assert found["A"] == "b"
    assert found["PWD"] == "/w"
    assert found["CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"] == "true"
    assert "CLAUDECODE" not in found
    assert environment(Options(clean_env=True), ours).get("PATH") is None
    assert (
        environment(Options(env={"CLAUDE_CODE_ENTRYPOINT": "x"}), ours)["CLAUDE_CODE_ENTRYPOINT"]
        == "x"
    )


def test_only_one_can_be_asked_for_permission() -> None:
    with pytest.raises(UsageError, match="not both"):
        Claude(permission=lambda request: True, permission_prompt_tool="mcp__a__b")


def test_an_unknown_option_is_told_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"modle.*the options are .*model"):
        Claude(modle="x")

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pexpect
import pytest

from anyide.cli.consent import choose, decide
from anyide.cli.view import tool_line
from anyide.headless import Allow, Deny, PermissionRequest, ToolUse
from anyide.headless.messages import Assistant

if TYPE_CHECKING:
    from collections.abc import Callable

FAKE = Path(__file__).parents[1] / "headless" / "fake_cli.py"
ASK = json.dumps({"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "rm -r x"}})

Done = subprocess.CompletedProcess[str]


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """An environment in which `claude` is the fake CLI."""
    script = tmp_path / "claude"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}" normal "$@"\n')
    script.chmod(0o755)
    return {**os.environ, "HOME": str(tmp_path), "ANYIDE_CLAUDE": str(script)}


@pytest.fixture
def run(env: dict[str, str], tmp_path: Path) -> Callable[..., Done]:
    def start(*words: str, stdin: str = "") -> Done:
        return subprocess.run(
            [sys.executable, "-m", "anyide", "run", *words],
            input=stdin,
            env=env,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
            start_new_session=True,  # without a terminal
        )

    return start


def terminal(env: dict[str, str], *words: str) -> pexpect.spawn[str]:
    command = ["-m", "anyide", "run", *words]
    return pexpect.spawn(sys.executable, command, env=env, encoding="utf-8", timeout=10)


def test_text_is_the_answer_and_nothing_else(run: Callable[..., Done]) -> None:
    done = run("DELTAS 3\nSAY Hello")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Hello\n", "")


def test_json_is_the_result(run: Callable[..., Done]) -> None:
    done = run("SAY Hello", "--output-format", "json")
    assert json.loads(done.stdout)["result"] == "Hello"
    assert json.loads(done.stdout)["type"] == "result"


def test_stream_json_is_every_message_and_deltas_on_demand(run: Callable[..., Done]) -> None:
    done = run("DELTAS 2\nSAY Hello", "--output-format", "stream-json")
    kinds = [json.loads(line)["type"] for line in done.stdout.splitlines()]
    assert kinds == ["system", "assistant", "result"]
    done = run("DELTAS 2\nSAY Hello", "--output-format", "stream-json", "--partial")
    assert done.stdout.count("stream_event") == 2


def test_stream_json_has_lines_whole_and_once(run: Callable[..., Done]) -> None:
    content = [{"type": "text", "text": "a"}, {"type": "hologram"}, {"type": "text", "text": "b"}]
    line = json.dumps({"type": "assistant", "message": {"content": content}})
    done = run(f"LINE {line}", "--output-format", "stream-json")
    assert done.stdout.splitlines()[1:-1] == [line]


def test_the_prompt_comes_from_standard_input_too(run: Callable[..., Done]) -> None:
    assert run(stdin="SAY piped\n").stdout == "piped\n"
    assert run("SAY typed", stdin="SAY piped").stdout == "typed\npiped\n"
    done = run()
    assert done.returncode == 2
    assert "nothing to ask" in done.stderr


def test_an_input_that_never_comes_is_not_waited_for(env: dict[str, str]) -> None:
    command = [sys.executable, "-m", "anyide", "run", "SAY typed"]
    with subprocess.Popen(
        command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdout.read() == b"typed\n"
        assert child.wait(10) == 0


def test_messages_come_from_standard_input(run: Callable[..., Done]) -> None:
    blocks = [{"type": "text", "text": "SAY two"}]
    lines = [
        {"type": "user", "message": {"role": "user", "content": "SAY one"}},
        {"type": "user", "message": {"role": "user", "content": blocks}},
        {"type": "user", "content": "SAY three"},
    ]
    stdin = "\n".join(json.dumps(line) for line in lines)
    done = run("--input-format", "stream-json", stdin=stdin)
    assert done.stdout == "one\ntwo\nthree\n"
    wrong = run("--input-format", "stream-json", stdin='{"type": "user"}')
    assert wrong.returncode == 2
    assert "line 1" in wrong.stderr


@pytest.mark.parametrize(
    ("fields", "code", "sentence"),
    [
        ({"errors": ["it broke"]}, 1, "it broke"),
        ({"api_error_status": 429, "result": "slow down"}, 4, "a rate limit is reached"),
        ({"subtype": "error_max_budget_usd"}, 5, "raise max_budget_usd"),
        ({"subtype": "error_max_turns", "num_turns": 9}, 5, "raise max_turns"),
        ({"api_error_status": 401, "result": "who?"}, 6, "/login"),
    ],
)
def test_the_exit_code_tells_the_cause(
    run: Callable[..., Done], fields: dict[str, object], code: int, sentence: str
) -> None:
    done = run("RESULT " + json.dumps({"is_error": True, **fields}))
    assert done.returncode == code
    assert sentence in done.stderr


def test_a_cli_that_dies_is_told_with_its_stderr(run: Callable[..., Done]) -> None:
    done = run("STDERR no more memory\nEXIT 3")
    assert done.returncode == 1
    assert "exit code 3; it said: no more memory" in done.stderr


def test_a_cli_that_is_missing_is_told(env: dict[str, str], tmp_path: Path) -> None:
    words = [sys.executable, "-m", "anyide", "run", "hi", "--claude", str(tmp_path / "none")]
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 127
    assert "install Claude Code" in done.stderr


def test_without_a_terminal_a_question_is_denied_with_advice(run: Callable[..., Done]) -> None:
    done = run(f"ASK {ASK}")
    assert '"behavior": "deny"' in done.stdout
    assert "--allowed-tools" in done.stdout


def test_options_reach_the_cli(run: Callable[..., Done]) -> None:
    words = ["--model=-x", "--add-dir", "/a", "--max-turns", "3", "--continue", "--fork"]
    done = run("ARGV", *words, "--allowed-tools", "Bash(ls:*)", "--allowed-tools", "Read")
    argv = json.loads(done.stdout)
    for word in ("--model=-x", "--add-dir=/a", "--max-turns=3", "--continue", "--fork-session"):
        assert word in argv
    assert "--allowedTools=Bash(ls:*),Read" in argv
    assert "--permission-prompt-tool=stdio" in argv


def test_a_session_is_recorded(run: Callable[..., Done], tmp_path: Path) -> None:
    assert run("SAY a", "--record", str(tmp_path / "r.jsonl")).returncode == 0
    assert "anyide_recording" in (tmp_path / "r.jsonl").read_text()


def test_on_a_terminal_text_streams_and_the_cost_is_told(env: dict[str, str]) -> None:
    child = terminal(env, "DELTAS 3\nSAY 0 1 2 ")
    child.expect_exact("0 1 2 ")
    child.expect(r"\$0\.5000, 0\.0 s")
    child.expect(pexpect.EOF)
    assert child.wait() == 0


def test_on_a_terminal_a_question_is_asked(env: dict[str, str]) -> None:
    child = terminal(env, f"ASK {ASK}\nSAY end")
    child.expect_exact("Bash rm -r x")
    child.expect_exact("say why not: ")
    child.sendline("too dangerous")
    child.expect(pexpect.EOF)
    assert child.wait() == 0


def test_on_a_terminal_the_models_question_is_answered(env: dict[str, str]) -> None:
    options = [{"label": "Red"}, {"label": "Blue"}]
    questions = {"questions": [{"question": "Which colour?", "options": options}]}
    request = {"subtype": "can_use_tool", "tool_name": "AskUserQuestion", "input": questions}
    child = terminal(env, f"ASK {json.dumps(request)}", "--output-format", "json")
    child.expect_exact("2. Blue")
    child.expect_exact("Number or answer: ")
    child.sendline("2")
    child.expect_exact('answers\\": {\\"Which colour?\\": \\"Blue')
    child.expect(pexpect.EOF)
    assert child.wait() == 0


def test_numbers_choose_and_words_answer() -> None:
    labels = ["Red", "Blue"]
    assert choose("1\n", labels) == "Red"
    assert choose("1, 2", labels) == "Red, Blue"
    assert choose("7", labels) == "7"
    assert choose("2 of each", labels) == "2 of each"


def test_control_c_once_interrupts_the_turn(env: dict[str, str]) -> None:
    child = terminal(env, "SAY begun\nHANG")
    child.expect_exact("begun")
    child.kill(signal.SIGINT)
    child.expect_exact("interrupted, ")
    child.expect(pexpect.EOF)
    assert child.wait() == 130


def test_control_c_twice_ends_it(env: dict[str, str], tmp_path: Path) -> None:
    stubborn = (tmp_path / "claude").read_text().replace(" normal ", " stubborn ")
    (tmp_path / "claude").write_text(stubborn)
    child = terminal(env, "SAY begun\nHANG")
    child.expect_exact("begun")
    child.kill(signal.SIGINT)
    child.expect_exact("Ctrl-C again to end")
    child.kill(signal.SIGINT)
    child.expect(pexpect.EOF)
    assert child.wait() == 130


def test_what_is_typed_decides() -> None:
    request = PermissionRequest(tool_name="Bash")
    assert decide("y\n", request) == Allow()
    assert decide("\n", request) == Deny()
    assert decide("No", request) == Deny()
    assert decide("not now", request) == Deny(message="not now")
    always = decide("a", request)
    assert isinstance(always, Allow)
    assert always.remember[0]["destination"] == "session"


def test_a_tool_call_is_one_line() -> None:
    use = ToolUse("Bash", {"command": "echo\n" + "x" * 200}, "id", Assistant())
    line = tool_line(use)
    assert line.startswith("Bash echo xxx")
    assert len(line) == 100
    assert tool_line(ToolUse("T", {"odd": 1}, "id", Assistant())) == 'T {"odd": 1}'

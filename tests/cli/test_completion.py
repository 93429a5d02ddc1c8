"""The scripts in the real shells; zsh and fish only where they are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

from anyide.cli.command import COMMANDS, Command
from anyide.cli.shell import bash, describe, fish, zsh

MADE_UP_MODULE = '''
"""Made up: 'quotes', [brackets]."""

def add_arguments(parser):
    parser.add_argument("--level", choices=["low", "high"], help="it's [how] high: 'very'")
    parser.add_argument("--log", metavar="FILE", help="a file")
    parser.add_argument("folders", metavar="FOLDER", nargs="*")
'''


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not shutil.which(shell), reason=f"{shell} is not installed")


SHELLS = [
    "bash",
    pytest.param("zsh", marks=needs("zsh")),
    pytest.param("fish", marks=needs("fish")),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with names to complete, and scripts for the real and some made-up commands."""
    (tmp_path / "at home").mkdir()
    (tmp_path / "at work").touch()
    return tmp_path


@pytest.fixture
def scripts(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path_factory.mktemp("scripts")
    (place / "made_up_for_completion.py").write_text(MADE_UP_MODULE)
    monkeypatch.syspath_prepend(str(place))
    module = "made_up_for_completion"
    made_up = (Command("go", module, "It's [a] go: 'now'."), Command("pass", module, "On.", True))
    described = describe((*COMMANDS, *made_up))
    (place / "bash").write_text(bash.script(described))
    (place / "zsh").write_text(zsh.script(described))
    (place / "fish").write_text(fish.script(described))
    return place


def complete_in_bash(script: Path, folder: Path, *words: str) -> list[str]:
    code = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _anyide\n'
    code += 'for word in "${COMPREPLY[@]}"; do printf "%s\\n" "$word"; done'
    command = ["bash", "--norc", "-c", code, "bash", str(script), "anyide", *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=True)
    assert done.stderr == ""
    return done.stdout.splitlines()


def complete_in_fish(script: Path, folder: Path, *words: str) -> list[str]:
    line = "anyide " + " ".join(word.replace(" ", "\\ ") for word in words)
    code = 'source $argv[1]; complete -C "$argv[2]"'
    env = {**os.environ, "HOME": str(script.parent)}
    command = ["fish", "--no-config", "-c", code, str(script), line]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=env, check=False)
    assert done.stderr == ""
    return [word.split("\t")[0] for word in done.stdout.splitlines()]


@pytest.mark.parametrize("shell", SHELLS)
def test_the_command_prints_a_script_that_the_shell_accepts(tmp_path: Path, shell: str) -> None:
    command = [sys.executable, "-m", "anyide", "completion", shell]
    script = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "config" in script
    (tmp_path / "script").write_text(script)
    check = [shell, "-n", str(tmp_path / "script")]
    assert subprocess.run(check, capture_output=True, text=True, check=True).stderr == ""


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ([""], [*(c.name for c in COMMANDS), "go", "pass", "--help", "--version", "--debug"]),
        (["co"], ["config", "completion"]),
        (["--debug", "g"], ["go"]),
        (["completion", ""], ["bash", "zsh", "fish"]),
        (["config", "--di"], ["--dialect"]),
        (["config", "--dialect", ""], ["vscode", "jetbrains", "obsidian"]),
        (["config", "--dialect", "=", "j"], ["jetbrains"]),
        (["config", "--dialect", "="], ["vscode", "jetbrains", "obsidian"]),
        (["config", "--port", ""], []),
        (["config", "at"], ["at home"]),
        (["go", "--log", "at"], ["at home", "at work"]),
        (["go", "--level", "h"], ["high"]),
        (["go", "x", "at"], ["at home"]),
        (["pass", "x", "at w"], ["at work"]),
        (["nothing", ""], []),
    ],
)
def test_bash_completes(scripts: Path, folder: Path, words: list[str], offered: list[str]) -> None:
    assert sorted(complete_in_bash(scripts / "bash", folder, *words)) == sorted(offered)


@needs("fish")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ([""], [*(command.name for command in COMMANDS), "go", "pass"]),
        (["co"], ["config", "completion"]),
        (["completion", ""], ["bash", "zsh", "fish"]),
        (["config", "--di"], ["--dialect"]),
        (["config", "--dialect", ""], ["vscode", "jetbrains", "obsidian"]),
        (["config", "--port", ""], []),
        (["config", "at"], ["at home/"]),
        (["go", "--log", "at"], ["at home/", "at work"]),
        (["go", "--level", "h"], ["high"]),
        (["pass", "x", "at w"], ["at work"]),
    ],
)
def test_fish_completes(scripts: Path, folder: Path, words: list[str], offered: list[str]) -> None:
    got = [word.replace("\\ ", " ") for word in complete_in_fish(scripts / "fish", folder, *words)]
    assert sorted(set(got)) == sorted(offered)


START = {
    "bash": ["--norc", "--noprofile", "-i"],
    "zsh": ["-f", "-i"],
}
SET_UP = {
    "bash": "PS1='rea''dy> '; source {script}",
    "zsh": "PROMPT='rea''dy> '; autoload -U compinit; compinit -u -D; source {script}",
}


@pytest.mark.parametrize("shell", SHELLS[:2])
@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("conf\t--js\t", ["config", "--json"]),
        ("config --dialect je\t", ["config", "--dialect", "jetbrains"]),
        ("config --dialect=je\t", ["config", "--dialect=jetbrains"]),
        ("config at\t", ["config", "at home"]),
        ("go --level hi\t", ["go", "--level", "high"]),
        ("completion zs\t", ["completion", "zsh"]),
        ("pass x at\\ w\t", ["pass", "x", "at work"]),
    ],
)
def test_the_tab_key_completes_in_a_real_terminal(
    scripts: Path, folder: Path, shell: str, typed: str, words: list[str]
) -> None:
    # What the shell would run says what was completed: each word on a line, between marks.
    (folder.parent / "bin").mkdir(exist_ok=True)
    program = folder.parent / "bin" / "anyide"
    program.write_text('#!/bin/sh\nprintf "<%s>" "$@"; echo "<end>"\n')
    program.chmod(0o755)
    env = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "TERM": "dumb"}
    env |= {"HOME": str(scripts), "INPUTRC": "/dev/null", "LC_ALL": "C"}
    terminal = pexpect.spawn(
        shell,
        START[shell],
        cwd=str(folder),
        env=env,
        timeout=5,
        encoding="utf-8",
        dimensions=(24, 200),
    )
    try:
        terminal.sendline(SET_UP[shell].format(script=scripts / shell))
        terminal.expect_exact("ready> ")
        terminal.sendline(f"anyide {typed}")
        terminal.expect_exact("<end>")
        assert terminal.before is not None
        # bash leaves the slash after a folder, zsh takes it away again.
        ran = terminal.before.replace("/>", ">")
        assert ran.endswith("".join(f"<{word}>" for word in words))
    finally:
        terminal.close(force=True)

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from anyide import __version__
from anyide.cli.command import COMMANDS

if TYPE_CHECKING:
    from pathlib import Path

HEAVY = ("msgspec", "asyncio", "websockets", "psutil", "sqlite3", "starlette", "uvicorn")


def environment(home: Path, **more: str) -> dict[str, str]:
    kept = {name: text for name, text in os.environ.items() if not name.startswith("ANYIDE_")}
    return {**kept, "HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), **more}


def anyide(
    home: Path, *words: str, options: tuple[str, ...] = (), **more: str
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *options, "-m", "anyide", *words]
    return subprocess.run(
        command,
        env=environment(home, **more),
        capture_output=True,
        text=True,
        cwd=home,
        check=False,
    )


# A table of commands of our own, run as the real one is.
MADE_UP = """
import sys
from anyide.cli.command import Command
from anyide.cli.main import main
commands = (Command("fail", "made_up", "Fail."), Command("pass", "made_up", "Pass.", True))
sys.exit(main(sys.argv[1:], commands=commands))
"""
MADE_UP_MODULE = '''
"""Fail as asked."""
import signal
from anyide import errors

def add_arguments(parser):
    parser.add_argument("--how")
    parser.add_argument("--level", choices=["low", "high"])

def run(args):
    if args.how == "usage":
        raise errors.UsageError("nobody does it so")
    if args.how == "failure":
        raise errors.IdeNotFound("no IDE runs here")
    if args.how == "bug":
        raise KeyError("two\\nlines")
    if args.how == "wait":
        print("waiting", flush=True)
        signal.pause()
    print(args.rest, args.debug)
    return 7
'''


@pytest.fixture
def made_up(tmp_path: Path) -> list[str]:
    (tmp_path / "made_up.py").write_text(MADE_UP_MODULE)
    (tmp_path / "begin.py").write_text(MADE_UP)
    return [sys.executable, str(tmp_path / "begin.py")]


def run(made_up: list[str], *words: str, **more: str) -> tuple[int, str, str]:
    env = {**os.environ, **more}
    done = subprocess.run([*made_up, *words], capture_output=True, text=True, env=env, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("words", [("--version",), ("-V",), ("--debug", "--version")])
def test_the_version_is_printed(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = anyide(tmp_path, *words)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"anyide {__version__}\n", "")


@pytest.mark.parametrize("words", [("--help",), ("-h",), ("--debug", "--help")])
def test_the_help_lists_every_command(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = anyide(tmp_path, *words)
    assert (done.returncode, done.stderr) == (0, "")
    for command in COMMANDS:
        assert any(
            command.name in line and command.help in line for line in done.stdout.split("\n")
        )


@pytest.mark.parametrize("command", [command.name for command in COMMANDS])
def test_each_command_has_a_help_of_its_own(tmp_path: Path, command: str) -> None:
    done = anyide(tmp_path, command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: anyide {command}")


@pytest.mark.parametrize("words", [("--version",), ("--help",), ("completion", "bash")])
def test_nothing_slow_is_imported_where_it_is_not_used(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    done = anyide(tmp_path, *words, options=("-X", "importtime"))
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "anyide.cli.main" in imported
    assert imported.isdisjoint(HEAVY)
    if words == ("--version",):
        assert imported.isdisjoint({"argparse", "anyide.config", "anyide.cli.config"})


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("confg",), "unknown command 'confg', did you mean 'config'? (see 'anyide --help')"),
        (("zzz",), "unknown command 'zzz' (see 'anyide --help')"),
        (("--verison",), "unknown option '--verison' (see 'anyide --help')"),
        (("config", "--jsn"), "unrecognized arguments: --jsn (see 'anyide config --help')"),
        (("config", "--port", "x"), "--port: ide.port must be a whole number from 0 to 65535"),
        (("completion",), "the following arguments are required: shell"),
    ],
)
def test_what_is_typed_wrong_is_said_in_one_sentence(
    tmp_path: Path, words: tuple[str, ...], sentence: str
) -> None:
    done = anyide(tmp_path, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"anyide: {sentence}")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("how", "status", "sentence"),
    [
        ("usage", 2, "nobody does it so (see 'anyide fail --help')"),
        ("failure", 1, "no IDE runs here"),
        ("bug", 1, "unexpected KeyError: 'two\\nlines' (run it with --debug for the traceback)"),
    ],
)
def test_a_failure_is_one_sentence_and_a_traceback_only_if_asked_for(
    made_up: list[str], how: str, status: int, sentence: str
) -> None:
    words = ("fail", "--how", how)
    assert run(made_up, *words) == (status, "", f"anyide: {sentence}\n")
    assert run(made_up, *words, ANYIDE_DEBUG="0") == (status, "", f"anyide: {sentence}\n")
    for status_too, _, stderr in (
        run(made_up, "--debug", *words),
        run(made_up, *words, "--debug"),
        run(made_up, *words, ANYIDE_DEBUG="1"),
    ):
        assert status_too == status
        assert stderr.startswith("Traceback (most recent call last):")
        assert stderr.endswith(f"anyide: {sentence}\n")


def test_the_exit_code_of_a_command_is_passed_on(made_up: list[str]) -> None:
    assert run(made_up, "fail") == (7, "[] False\n", "")


@pytest.mark.parametrize(
    ("words", "rest"),
    [
        (["--resume", "x", "--how", "bug"], ["--resume", "x", "--how", "bug"]),
        (["--how", "no", "--help"], []),
        (["--how=no", "fix it", "--help"], ["fix it", "--help"]),
        (["--", "--how", "bug"], ["--how", "bug"]),
        (["--level", "low", "-p", "--", "x"], ["-p", "--", "x"]),
        ([], []),
    ],
)
def test_a_command_that_passes_on_takes_only_its_own_leading_options(
    made_up: list[str], words: list[str], rest: list[str]
) -> None:
    status, stdout, stderr = run(made_up, "pass", *words)
    if words[-1:] == ["--help"] and not rest:
        assert (status, stdout[:17], stderr) == (0, "usage: anyide pas", "")
    else:
        assert (status, stdout, stderr) == (7, f"{rest} False\n", "")


def test_ctrl_c_ends_quietly(made_up: list[str]) -> None:
    command = [*made_up, "fail", "--how", "wait"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"waiting\n"
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=5)
    assert (process.returncode, stderr) == (130, b"")


@pytest.mark.parametrize("words", [("config",), ("config", "--help"), ("--help",)])
def test_a_reader_that_goes_away_is_no_error(tmp_path: Path, words: tuple[str, ...]) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "anyide", *words]
    env = environment(tmp_path, PYTHONUNBUFFERED="")
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, env=env, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")

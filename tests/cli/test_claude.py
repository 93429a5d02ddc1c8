"""`anyide claude` as a person runs it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from anyide.cli.claude import environment
from anyide.editor.memory import MemoryEditor
from anyide.ide.server import IdeServer
from tests.real.claude import Home, cli_path
from tests.real.model import StandInModel

PATIENCE = 30.0

PROGRAM = """#!/bin/sh
echo "$CLAUDE_CODE_SSE_PORT $ENABLE_IDE_INTEGRATION $no_proxy"
for word in "$@"; do echo "<$word>"; done
exit 7
"""


@pytest.fixture
async def server(home: Home, project: Path) -> AsyncIterator[IdeServer]:
    editor = MemoryEditor([str(project)])
    async with IdeServer(editor, [project], config_dir=home.path / ".claude") as started:
        yield started


async def run(*words: str, cwd: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "anyide", "claude", *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
    )


async def test_it_becomes_the_program_with_its_words_and_passes_its_exit_code_on(
    server: IdeServer, home: Home, project: Path, model: StandInModel, tmp_path: Path
) -> None:
    program = tmp_path / "a program"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    env = {**home.environment(model), "no_proxy": "example.org"}
    ended = await run(
        "--claude", str(program), "--", "-p", "two words", "--debug", cwd=project, env=env
    )
    first, *words = ended.stdout.splitlines()
    assert first == f"{server.port} true example.org,127.0.0.1,localhost,::1"
    assert words == ["<-p>", "<two words>", "<--debug>"]
    assert ended.returncode == 7


async def test_the_real_cli_runs_and_connects(
    server: IdeServer, home: Home, project: Path, model: StandInModel
) -> None:
    home.trust(project)
    ended = await run(
        *("--claude", str(cli_path()), "-p", "SAY hello", "--output-format", "json"),
        cwd=project,
        env=home.environment(model),
    )
    assert json.loads(ended.stdout)["result"] == "hello"
    assert ended.returncode == 0


async def test_without_an_ide_it_says_what_to_do(
    home: Home, project: Path, model: StandInModel
) -> None:
    ended = await run("--claude", str(cli_path()), cwd=project, env=home.environment(model))
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"anyide: no running IDE serves {project}")
    assert "anyide serve" in ended.stderr


async def test_without_the_cli_it_says_what_to_do(
    server: IdeServer, home: Home, project: Path, model: StandInModel
) -> None:
    ended = await run("--claude", "/nowhere/claude", cwd=project, env=home.environment(model))
    assert ended.returncode == 1
    assert "/nowhere/claude is not a program that can be started" in ended.stderr
    assert "ANYIDE_CLAUDE" in ended.stderr


def test_loopback_is_added_to_no_proxy_once() -> None:
    env = environment({"NO_PROXY": "localhost,10.0.0.0/8", "PATH": os.defpath}, 4711)
    assert env["NO_PROXY"] == "localhost,10.0.0.0/8,127.0.0.1,::1"
    assert env["no_proxy"] == "127.0.0.1,localhost,::1"
    assert env["CLAUDE_CODE_SSE_PORT"] == "4711"
    assert env["PATH"] == os.defpath

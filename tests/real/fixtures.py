"""The bench as fixtures: `model`, `home`, `project`, `start_claude`, `run_claude`."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from tests.real.claude import Home, cli_path
from tests.real.model import StandInModel
from tests.real.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping
    from pathlib import Path

PATIENCE = 60.0


class StartClaude(Protocol):
    """Starts the CLI's terminal UI; it is stopped when the test ends."""

    async def __call__(
        self, *args: str, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> Terminal: ...


class RunClaude(Protocol):
    """Runs the CLI headless for one prompt, and returns the messages it printed."""

    async def __call__(
        self, prompt: str, *args: str, env: Mapping[str, str] | None = None
    ) -> list[dict[str, Any]]: ...


@pytest.fixture
def model() -> Iterator[StandInModel]:
    with StandInModel() as standing_in:
        yield standing_in


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
async def start_claude(
    model: StandInModel, home: Home, project: Path
) -> AsyncIterator[StartClaude]:
    async with AsyncExitStack() as stack:

        async def start(
            *args: str, cwd: Path | None = None, env: Mapping[str, str] | None = None
        ) -> Terminal:
            terminal = await Terminal.start(home, model, cwd or project, args=args, env=env)
            stack.push_async_callback(terminal.stop)
            return terminal

        yield start


@pytest.fixture
def run_claude(model: StandInModel, home: Home, project: Path) -> RunClaude:
    home.trust(project)

    async def run(
        prompt: str, *args: str, env: Mapping[str, str] | None = None
    ) -> list[dict[str, Any]]:
        process = await asyncio.create_subprocess_exec(
            *(str(cli_path()), "-p", prompt, "--output-format", "stream-json", "--verbose", *args),
            cwd=project,
            env=home.environment(model, **(env or {})),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(PATIENCE):
                out, err = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        assert out, f"the CLI printed nothing: {err.decode()}"
        return [json.loads(line) for line in out.splitlines()]

    return run

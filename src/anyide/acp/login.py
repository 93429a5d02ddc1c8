"""Logging in and out, by the CLI itself."""

from __future__ import annotations

import asyncio
import os

from anyide.acp.setup import AgentOptions
from anyide.errors import ClaudeError
from anyide.headless.options import Options
from anyide.headless.process import program


def command(options: AgentOptions, *words: str) -> tuple[list[str], dict[str, str]]:
    """A command line of the CLI, and its environment."""
    env = {**os.environ, **options.env}
    return [*program(Options(cli_path=options.claude), env), *words], env


async def log_out(options: AgentOptions) -> None:
    """Forget who is logged in; raises ClaudeError when that fails."""
    words, env = command(options, "auth", "logout")
    process = await asyncio.create_subprocess_exec(
        *words,
        env=env,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    if process.returncode:
        raise ClaudeError(f"logging out failed: {said.decode(errors='replace').strip()}")

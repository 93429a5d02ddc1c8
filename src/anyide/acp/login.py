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


async def is_logged_in(options: AgentOptions) -> bool:
    """Whether the CLI knows who pays: by an account, or by a key in the environment."""
    code, _ = await _run(options, "auth", "status", "--json")
    return code == 0


async def log_out(options: AgentOptions) -> None:
    """Forget who is logged in; raises ClaudeError when that fails."""
    code, said = await _run(options, "auth", "logout")
    if code:
        raise ClaudeError(f"logging out failed: {said}")


async def _run(options: AgentOptions, *words: str) -> tuple[int, str]:
    line, env = command(options, *words)
    process = await asyncio.create_subprocess_exec(
        *line,
        env=env,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        said, _ = await process.communicate()
    except asyncio.CancelledError:
        process.kill()
        raise
    return await process.wait(), said.decode(errors="replace").strip()

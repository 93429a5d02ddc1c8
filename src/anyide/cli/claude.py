"""Start the Claude Code CLI wired to the IDE of this folder; ARGUMENTs are passed on to it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from anyide.cli.option import add_settings, typed_settings
from anyide.config import load
from anyide.errors import ClaudeNotFound

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

    from anyide.cli.parser import Parser

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def add_arguments(parser: Parser) -> None:
    """Declare the arguments."""
    parser.add_argument("--ide-port", metavar="PORT", type=int, help="the port of the IDE to use")
    add_settings(parser, ["claude"])


def run(args: Namespace) -> int:
    """Become the CLI; on Windows, wait for it and pass its exit code on."""
    import asyncio

    from anyide.headless.executable import find_claude
    from anyide.ide.discovery import choose, discover

    config = load(Path.cwd(), flags=typed_settings(args)).config
    program = find_claude(config.claude)
    ide = choose(asyncio.run(discover()), str(Path.cwd()), port=args.ide_port)
    return _become(program, args.rest, environment(os.environ, ide.port))


def environment(env: Mapping[str, str], port: int) -> dict[str, str]:
    """The environment in which the CLI connects to the IDE at a port by itself."""
    wired = {**env, "CLAUDE_CODE_SSE_PORT": str(port), "ENABLE_IDE_INTEGRATION": "true"}
    # A proxy would be asked even for this machine.
    for name in ("no_proxy", "NO_PROXY"):
        known = [word for word in env.get(name, "").split(",") if word]
        wired[name] = ",".join([*known, *(host for host in LOOPBACK if host not in known)])
    return wired


def _become(program: str, words: list[str], env: dict[str, str]) -> int:
    sys.stdout.flush()
    try:
        if sys.platform == "win32":
            import subprocess

            return subprocess.call([program, *words], env=env)
        os.execve(program, [program, *words], env)
    except OSError as error:
        raise ClaudeNotFound(f"cannot start {program}: {error.strerror}") from error

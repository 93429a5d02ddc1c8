"""The CLI as a child process: how it is found, started, and kept from outliving us."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

from anyide.errors import ClaudeNotFound, ConnectFailed, UsageError
from anyide.headless import argv
from anyide.headless.executable import NAME, find_claude
from anyide.headless.guard import GUARD
from anyide.headless.options import Options
from anyide.rpc.transport import Receiver
from anyide.rpc.transport.process import ProcessTransport


class Process:
    """A running CLI, with the files that were written for it."""

    def __init__(self, transport: ProcessTransport, files: list[str]) -> None:
        self._files = files
        self.transport = transport
        GUARD.add(transport.pid)
        transport.exited.add_done_callback(lambda _: self._tidy())

    def _tidy(self) -> None:
        GUARD.drop(self.transport.pid)
        for file in self._files:
            with contextlib.suppress(OSError):
                Path(file).unlink()


async def start(receiver: Receiver, options: Options, *, asks_permission: bool) -> Process:
    """Start the CLI; raises ClaudeNotFound when it is missing or cannot be started."""
    env = argv.environment(options, os.environ)
    files: list[str] = []

    def spill(name: str, text: str) -> str:
        files.append(_write(name, text))
        return files[-1]

    command = [
        *program(options, env),
        *argv.words(options, asks_permission=asks_permission, spill=spill),
    ]
    cwd = None if options.cwd is None else os.fspath(options.cwd)
    if cwd is not None and not os.path.isdir(cwd):  # noqa: ASYNC240, PTH112
        raise UsageError(f"the folder {cwd} does not exist")
    try:
        transport = await ProcessTransport.start(
            receiver, command, cwd=cwd, env=env, grace_seconds=options.grace_seconds
        )
    except ConnectFailed as error:
        raise ClaudeNotFound(f"{error}; is this the Claude Code CLI?") from error
    return Process(transport, files)


def program(options: Options, env: dict[str, str]) -> Sequence[str]:
    """The first words of the command: the CLI, or what was given instead."""
    given = options.cli_path
    if given is None:
        return [find_claude(env.get("ANYIDE_CLAUDE") or NAME, env=env)]
    if isinstance(given, str | os.PathLike):
        return [find_claude(os.fspath(given), env=env)]
    return [os.fspath(word) for word in given]


def _write(name: str, text: str) -> str:
    import tempfile  # noqa: PLC0415 - rarely needed, and slow to import

    handle, path = tempfile.mkstemp(prefix=f"anyide-{name}-", suffix=".json")  # mode 0600
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    return path

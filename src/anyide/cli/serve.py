"""Serve a folder as an IDE for the Claude Code CLI, until Ctrl-C."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from anyide.cli.option import add_settings, typed_settings
from anyide.config import Loaded, load
from anyide.errors import StateError, UsageError

if TYPE_CHECKING:
    from argparse import Namespace

    from anyide.cli.parser import Parser
    from anyide.ide.server import IdeServer
    from anyide.state import State


def add_arguments(parser: Parser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "folders", metavar="FOLDER", nargs="*", help="the workspace folders; left out, this one"
    )
    parser.add_argument(
        "--config-dir",
        metavar="FOLDER",
        help="the CLI's configuration folder; the lock file goes into its ide folder",
    )
    add_settings(parser)


def run(args: Namespace) -> int:
    """Serve until a signal ends it."""
    import asyncio

    folders = _folders(args.folders)
    loaded = load(folders[0], flags=typed_settings(args))
    config_dir = Path(args.config_dir) if args.config_dir else None
    asyncio.run(_serve(folders, loaded, config_dir))
    return 0


def _folders(names: list[str]) -> list[Path]:
    folders = [Path(name) for name in names or ["."]]
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a folder")
    return [folder.resolve() for folder in folders]


async def _serve(folders: list[Path], loaded: Loaded, config_dir: Path | None) -> None:
    from anyide.editor.memory import MemoryEditor
    from anyide.ide.dialect import DIALECTS
    from anyide.ide.server import IdeServer
    from anyide.ide.sharing import policy_for

    config = loaded.config
    _configure_logging(config.log_level)
    for note in loaded.notes:
        print(f"anyide: note: {note}", file=sys.stderr)
    state = _open_state()
    # Nobody sits at this editor: changes are decided in the terminal, where their diff is shown.
    editor = MemoryEditor([str(folder) for folder in folders], reviews=False)
    watch = _Watch()
    server = IdeServer(
        editor,
        folders,
        name=config.ide.name,
        port=config.ide.port,
        dialect=DIALECTS[config.ide.dialect],
        policy=policy_for(folders, config.sharing),
        state=state,
        config_dir=config_dir,
        on_sessions=lambda: watch.look(server),
    )
    try:
        async with server:
            print(_welcome(server, folders), flush=True)
            await _until_signalled()
            print("stopping", flush=True)
    finally:
        editor.close()
        if state is not None:
            state.close()


def _welcome(server: IdeServer, folders: list[Path]) -> str:
    places = ", ".join(map(str, folders))
    return (
        f"{server.name} is an IDE for Claude Code in {places} (port {server.port}).\n"
        "Connect from that folder with:  claude --ide   or   anyide claude\n"
        "Stop with Ctrl-C."
    )


class _Watch:
    """Says who comes and goes, a line each."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def look(self, server: IdeServer) -> None:
        """Print what is new since the last look."""
        now = {info.id: info for info in server.sessions}
        for gone in [identity for identity in self._known if identity not in now]:
            print(f"{self._known.pop(gone)} is gone", flush=True)
        for info in now.values():
            if info.folders and info.id not in self._known:
                name = f"{info.client or 'a client'} {info.version}".strip()
                self._known[info.id] = f"{name} in {', '.join(info.folders)}"
                print(f"{self._known[info.id]} is connected", flush=True)


def _open_state() -> State | None:
    from anyide.state import State

    try:
        return State.open()
    except StateError as error:
        print(f"anyide: note: {error}; a restart will get another port", file=sys.stderr)
        return None


def _configure_logging(level: str) -> None:
    from anyide.log import configure_logging

    try:
        configure_logging(level, to_file=True)
    except StateError as error:
        print(f"anyide: note: {error}", file=sys.stderr)


async def _until_signalled() -> None:
    """Wait for Ctrl-C, a polite kill, or the end of the terminal."""
    import asyncio
    import signal

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is None:
            continue
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))
    await stop.wait()

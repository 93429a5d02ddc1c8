"""What every way to serve a folder shares: its options, the IDE server, its state, its end."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from anyide.cli.option import add_settings, typed_settings
from anyide.config import Loaded, load
from anyide.errors import StateError, UsageError

if TYPE_CHECKING:
    import asyncio
    from argparse import Namespace
    from collections.abc import Callable

    from anyide.cli.parser import Parser
    from anyide.editor.seam import Editor
    from anyide.ide.server import IdeServer
    from anyide.state.store import State

LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Plan(NamedTuple):
    """What to serve and how."""

    folders: list[Path]
    loaded: Loaded
    config_dir: Path | None
    host: str
    page_port: int
    is_remote: bool
    opens_browser: bool


def add_serving(parser: Parser) -> None:
    """Declare what every way to serve takes."""
    parser.add_argument(
        "folders", metavar="FOLDER", nargs="*", help="the workspace folders; left out, this one"
    )
    parser.add_argument(
        "--config-dir",
        metavar="FOLDER",
        help="the CLI's configuration folder; the lock file goes into its ide folder",
    )
    parser.add_argument(
        "--page-port", metavar="PORT", type=int, default=0, help="the port of the page"
    )
    parser.add_argument(
        "--host", metavar="ADDRESS", default=LOOPBACK[0], help="the address of the page"
    )
    parser.add_argument(
        "--allow-remote", action="store_true", help="let --host be one that other machines reach"
    )
    add_settings(parser)


def plan_for(args: Namespace, *, opens_browser: bool) -> Plan:
    """Read what was typed and configured; raises UsageError."""
    folders = _folders(args.folders)
    if not 0 <= args.page_port <= 65535:
        raise UsageError(f"{args.page_port} is not a port: 0 to 65535")
    return Plan(
        folders=folders,
        loaded=load(folders[0], flags=typed_settings(args)),
        config_dir=Path(args.config_dir) if args.config_dir else None,
        host=args.host,
        page_port=args.page_port,
        is_remote=_is_remote(args.host, allowed=args.allow_remote),
        opens_browser=opens_browser,
    )


def _folders(names: list[str]) -> list[Path]:
    folders = [Path(name) for name in names or ["."]]
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a folder")
    return [folder.resolve() for folder in folders]


def _is_remote(host: str, *, allowed: bool) -> bool:
    if host in LOOPBACK:
        return False
    if not allowed:
        raise UsageError(f"other machines could reach {host}: say --allow-remote if they may")
    return True


def ide_server(
    plan: Plan, editor: Editor, state: State | None, on_sessions: Callable[[], None] | None = None
) -> IdeServer:
    """The IDE server of a plan, not started yet; it says who comes and goes."""
    from anyide.ide.dialect import DIALECTS
    from anyide.ide.server import IdeServer
    from anyide.ide.sharing import policy_for

    config = plan.loaded.config
    visitors = _Visitors()

    def changed() -> None:
        visitors.look(server)
        if on_sessions is not None:
            on_sessions()

    server = IdeServer(
        editor,
        plan.folders,
        name=config.ide.name,
        port=config.ide.port,
        dialect=DIALECTS[config.ide.dialect],
        policy=policy_for(plan.folders, config.sharing),
        state=state,
        config_dir=plan.config_dir,
        on_sessions=changed,
    )
    return server


class _Visitors:
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


def open_state() -> State | None:
    """What is kept between runs; None, and a note, where nothing can be kept."""
    from anyide.state.store import State

    try:
        return State.open()
    except StateError as error:
        print(f"anyide: note: {error}; a restart will get another port", file=sys.stderr)
        return None


def configure_log(plan: Plan) -> None:
    """Log to the terminal and, where that is possible, to a file; tell what is to be known."""
    from anyide.log import configure_logging

    try:
        configure_logging(plan.loaded.config.log_level, to_file=True)
    except StateError as error:
        print(f"anyide: note: {error}", file=sys.stderr)
    for note in plan.loaded.notes:
        print(f"anyide: note: {note}", file=sys.stderr)


def stop_signal() -> asyncio.Event:
    """Set by Ctrl-C, a polite kill, or the end of the terminal.

    To be asked for before anything is left on disk: a signal then ends us tidily from the start.
    """
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
    return stop

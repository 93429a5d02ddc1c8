"""Serve a folder as an IDE for the Claude Code CLI, with its page, until Ctrl-C."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyide.cli.importing import importing
from anyide.cli.plan import (
    Plan,
    add_serving,
    configure_log,
    ide_server,
    open_state,
    plan_for,
    stop_signal,
)
from anyide.errors import UsageError

if TYPE_CHECKING:
    from argparse import Namespace
    from pathlib import Path

    from anyide.cli.parser import Parser
    from anyide.ide.server import IdeServer


NEEDED_BY_PAGE = ("starlette", "uvicorn", "watchfiles")


def add_arguments(parser: Parser) -> None:
    """Declare the arguments."""
    add_serving(parser)
    parser.add_argument("--no-page", action="store_true", help="leave the page out")


def run(args: Namespace) -> int:
    """Serve until a signal ends it."""
    plan = plan_for(args, opens_browser=False)
    if args.no_page:
        import asyncio

        asyncio.run(_serve(plan))
        return 0
    return with_page(plan)


def with_page(plan: Plan) -> int:
    """Serve the page; raises UsageError where what it needs is not installed."""
    from importlib.util import find_spec

    missing = [name for name in NEEDED_BY_PAGE if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"the page needs {', '.join(missing)}: install anyide[web], or leave it out with"
            " 'anyide serve --no-page'"
        )
    with importing():
        from anyide.cli.page import serve_page

    return serve_page(plan)


async def _serve(plan: Plan) -> None:
    from anyide.editor.memory import MemoryEditor

    stop = stop_signal()
    configure_log(plan)
    state = open_state()
    # Nobody sits at this editor: changes are decided in the terminal, where their diff is shown.
    editor = MemoryEditor([str(folder) for folder in plan.folders], reviews=False)
    try:
        async with ide_server(plan, editor, state) as server:
            print(_welcome(server, plan.folders), flush=True)
            await stop.wait()
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

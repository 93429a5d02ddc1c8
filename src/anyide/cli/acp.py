"""Be an agent for an editor that speaks the Agent Client Protocol, over standard input and output.

The editor starts this command. Where it offers its files and terminals, Claude reads and changes
the editor's buffers, saved or not, and runs commands in the editor's terminals.

environment:
  ANYIDE_CLAUDE    the Claude Code CLI to run, as --claude
  ANTHROPIC_MODEL, ANTHROPIC_API_KEY, CLAUDE_CONFIG_DIR and all else is passed on to the CLI
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace

    from anyide.acp.setup import AgentOptions
    from anyide.cli.parser import Parser

GARBAGE = 20_000
"""So many new objects before garbage is looked for: what starts a session makes no cycles."""
MODES = ("default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions")


def add_arguments(parser: Parser) -> None:
    """Declare the arguments."""
    parser.add_argument("--model", metavar="MODEL", help="the model to begin with")
    parser.add_argument(
        "--permission-mode",
        choices=MODES,
        help="the mode to begin with; only bypassPermissions makes bypassing possible",
    )
    parser.add_argument("--effort", metavar="LEVEL", help="low, medium, high, xhigh or max")
    parser.add_argument("--claude", metavar="FILE", help="the Claude Code CLI to run")
    parser.add_argument(
        "--no-client-files", action="store_true", help="read and write files on disk"
    )
    parser.add_argument(
        "--no-client-terminal", action="store_true", help="run commands without the editor"
    )
    parser.add_argument("--log-file", metavar="FILE", help="write a log to this file")
    parser.add_argument(
        "--record", metavar="FOLDER", help="record all sessions, for a report, to this folder"
    )
    parser.add_argument(
        "--login",
        choices=("claudeai", "console"),
        nargs="?",
        const="claudeai",
        help="log in to Claude Code in this terminal, then end: with a Claude subscription, or"
        " with the Anthropic Console",
    )


def run(args: Namespace) -> int:
    """Serve until the editor goes."""
    if args.login:
        return _log_in(_options(args), args.login)
    from anyide.cli.importing import import_asyncio_without_tls, importing

    with importing():
        import_asyncio_without_tls()
        import asyncio

        from anyide.acp.stdio import serve

    gc.set_threshold(GARBAGE)
    _configure_log(args.log_file)
    asyncio.run(serve(lambda: _options(args)))
    return 0


def _options(args: Namespace) -> AgentOptions:
    from anyide.acp.setup import AgentOptions

    return AgentOptions(
        model=args.model,
        permission_mode=args.permission_mode,
        effort=args.effort,
        claude=args.claude,
        client_files=not args.no_client_files,
        client_terminal=not args.no_client_terminal,
        record=args.record,
    )


def _log_in(options: AgentOptions, account: str) -> int:
    import subprocess

    from anyide.acp.login import command

    words, env = command(options, "auth", "login", f"--{account}")
    return subprocess.run(words, env=env, check=False).returncode


def _configure_log(path: str | None) -> None:
    import logging

    from anyide.errors import UsageError

    form = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    try:
        logging.basicConfig(
            filename=path, level=logging.INFO if path else logging.WARNING, format=form
        )
    except OSError as error:
        raise UsageError(f"cannot write the log {path}: {error.strerror}") from error

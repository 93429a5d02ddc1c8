"""The commands, in the order in which the help lists them.

A command is one module and one line in `COMMANDS`. The module has

    def add_arguments(parser: Parser) -> None    declares its arguments; the docstring is its help
    def run(args: argparse.Namespace) -> int     does it and gives the exit code

and imports what is slow (msgspec, asyncio, websockets) inside `run`: its parser is also read for
shell completion, which must be quick. It raises `UsageError` for what was typed wrong and any other
`AnyideError` for what failed; `main.py` says so on stderr. `--help` and `--debug` are given to it.
An argument with the metavar FILE or FOLDER is completed with names of that kind.

A command that `passes_on` hands words to another program: it knows its own options only up to the
first word that is not one of them, or up to `--`; all the rest is in `args.rest`, untouched.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from anyide.errors import UsageError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from anyide.cli.parser import Parser


class Command(NamedTuple):
    """What can be typed after `anyide`."""

    name: str
    module: str
    help: str
    passes_on: bool = False


class CommandModule(Protocol):
    """What the module of a command has."""

    __doc__: str | None

    def add_arguments(self, parser: Parser) -> None:
        """Declare the arguments."""
        ...

    def run(self, args: Namespace) -> int:
        """Do it and give the exit code."""
        ...


COMMANDS = (
    Command("open", "anyide.cli.open", "Open a folder in the browser editor."),
    Command("serve", "anyide.cli.serve", "Serve a folder as an IDE for Claude Code."),
    Command("claude", "anyide.cli.claude", "Start Claude Code wired to the IDE.", passes_on=True),
    Command("run", "anyide.cli.run", "Ask Claude Code one thing, without its terminal UI."),
    Command("acp", "anyide.cli.acp", "Be an agent for an ACP editor: Zed, Emacs, Neovim …"),
    Command("sessions", "anyide.cli.sessions", "List and search the sessions on this machine."),
    Command("demo", "anyide.cli.demo", "Show what Claude Code does, without it."),
    Command("config", "anyide.cli.config", "Print every setting and where it comes from."),
    Command("completion", "anyide.cli.completion", "Print completion for bash, zsh or fish."),
)


def find(name: str, commands: Sequence[Command] = COMMANDS) -> Command:
    """The command of that name; raises `UsageError` with the nearest one."""
    for command in commands:
        if command.name == name:
            return command
    from anyide.setting import nearest

    raise UsageError(f"unknown command {name!r}{nearest(name, [c.name for c in commands])}")


def load(command: Command) -> CommandModule:
    """Import the module of a command."""
    return cast("CommandModule", import_module(command.module))


def parser_of(command: Command) -> Parser:
    """The parser of a command, with what it declares and what every command has."""
    from anyide.cli.parser import Parser

    module = load(command)
    parser = Parser(prog=f"anyide {command.name}", about=module.__doc__ or command.help)
    module.add_arguments(parser)
    return parser

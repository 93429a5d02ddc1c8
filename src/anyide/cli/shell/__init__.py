"""Completion scripts: one file a shell, all made from the same description of the commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from anyide.cli.command import parser_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyide.cli.command import Command
    from anyide.cli.parser import Argument


class Described(NamedTuple):
    """A command as its parser declares it."""

    name: str
    help: str
    passes_on: bool
    options: tuple[Argument, ...]
    positionals: tuple[Argument, ...]


def describe(commands: Sequence[Command]) -> list[Described]:
    """Read the parsers of the commands."""
    return [_described(command) for command in commands]


def _described(command: Command) -> Described:
    arguments = parser_of(command).arguments()
    return Described(
        name=command.name,
        help=command.help,
        passes_on=command.passes_on,
        options=tuple(a for a in arguments if a.names),
        # Words to pass on may be anything: file names are the best guess.
        positionals=() if command.passes_on else tuple(a for a in arguments if not a.names),
    )

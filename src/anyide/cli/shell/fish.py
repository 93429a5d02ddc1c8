"""The completion script for fish."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anyide.cli.parser import Argument
    from anyide.cli.shell import Described

HEAD = """\
# fish completion for anyide, made by `anyide completion fish`.
complete -c anyide -f
complete -c anyide -n __fish_use_subcommand -s h -l help -d 'print this help'
complete -c anyide -n __fish_use_subcommand -s V -l version -d 'print the version'
complete -c anyide -n __fish_use_subcommand -l debug -d 'print tracebacks of errors'
"""


def script(commands: list[Described]) -> str:
    """The whole script."""
    return HEAD + "".join(f"{line}\n" for command in commands for line in _command(command))


def _command(command: Described) -> Iterator[str]:
    start = "complete -c anyide -n __fish_use_subcommand"
    yield f"{start} -a {command.name} -d {_quote(command.help)}"
    within = f"complete -c anyide -n '__fish_seen_subcommand_from {command.name}'"
    for option in command.options:
        yield f"{within} {_names(option)}{_values(option)} -d {_quote(option.help)}"
    for argument in command.positionals:
        if values := _values(argument).removeprefix(" -x"):
            yield f"{within}{values}"
    if command.passes_on:
        yield f"{within} -F"


def _names(option: Argument) -> str:
    return " ".join(
        f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names
    )


def _values(argument: Argument) -> str:
    if not argument.takes_value:
        return ""
    if argument.choices:
        return f" -x -a {_quote(' '.join(argument.choices))}"
    kinds = {"FILE": " -r -F", "FOLDER": " -x -a '(__fish_complete_directories)'"}
    return kinds.get(argument.metavar, " -x" if argument.names else "")


def _quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

"""The parser of one command: argparse that raises our errors and can be read for completion."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from anyide.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


class Argument(NamedTuple):
    """An option or, without names, a positional argument, as completion needs it."""

    names: tuple[str, ...]
    help: str
    takes_value: bool
    repeats: bool
    choices: tuple[str, ...]
    metavar: str


class Parser(argparse.ArgumentParser):
    """argparse without abbreviations, whose mistakes are `UsageError`s."""

    def __init__(self, *, prog: str, about: str) -> None:
        super().__init__(
            prog=prog,
            description=about,
            allow_abbrev=False,
            add_help=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        self.add_argument("-h", "--help", action="help", help="print this help")
        self.add_argument("--debug", action="store_true", help="print tracebacks of errors")

    def error(self, message: str) -> NoReturn:
        """Raise what argparse would print."""
        raise UsageError(message)

    def arguments(self) -> list[Argument]:
        """Everything that can be typed, in the order of declaration."""
        return [_argument(action) for action in self._actions]

    def split(self, words: Sequence[str]) -> tuple[list[str], list[str]]:
        """Our own options at the beginning, and the words to pass on."""
        end = 0
        while end < len(words):
            if words[end] == "--":
                return list(words[:end]), list(words[end + 1 :])
            name, equals, _ = words[end].partition("=")
            action = self._option_string_actions.get(name)
            if action is None:
                break
            end += 1 if action.nargs == 0 or equals else 2
        return list(words[:end]), list(words[end:])


def _argument(action: argparse.Action) -> Argument:
    metavar = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    return Argument(
        names=tuple(action.option_strings),
        help=action.help or "",
        takes_value=action.nargs != 0,
        repeats=action.nargs in ("*", "+") or isinstance(action, argparse._AppendAction),
        choices=tuple(str(choice) for choice in action.choices or ()),
        metavar=metavar,
    )

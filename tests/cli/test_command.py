from __future__ import annotations

import pytest

from anyide.cli.command import COMMANDS, find, load, parser_of
from anyide.errors import UsageError


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_has_a_module_with_help_and_a_parser(command: object) -> None:
    known = find(getattr(command, "name", ""))
    module = load(known)
    assert module.__doc__
    assert callable(module.run)
    assert parser_of(known).format_help().startswith(f"usage: anyide {known.name}")


def test_names_are_not_used_twice() -> None:
    assert len({command.name for command in COMMANDS}) == len(COMMANDS)


def test_an_unknown_command_is_a_usage_error_with_the_nearest_one() -> None:
    with pytest.raises(UsageError, match="did you mean 'serve'"):
        find("sevre")

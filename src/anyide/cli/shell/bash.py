"""The completion script for bash, 3.2 and later, without the bash-completion package."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anyide.cli.parser import Argument
    from anyide.cli.shell import Described

TEMPLATE = """\
# bash completion for anyide, made by `anyide completion bash`.
_anyide_reply() {{
    local line
    while IFS= read -r line; do
        COMPREPLY[${{#COMPREPLY[@]}}]=$line
    done < <(compgen "$@")
}}

_anyide_names() {{
    # Without compopt (bash 3.2) names are completed, only not quoted.
    compopt -o filenames 2>/dev/null
    _anyide_reply "$@"
}}

_anyide() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command= i
    COMPREPLY=()
    # "--option=value" comes as three words.
    if [[ $current == = ]]; then
        current=
    elif [[ $previous == = ]]; then
        previous=${{COMP_WORDS[COMP_CWORD-2]}}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${{COMP_WORDS[i]}} != -* ]]; then
            command=${{COMP_WORDS[i]}}
            break
        fi
    done
    case $command in
    '') _anyide_reply -W {commands} -- "$current" ;;
{cases}
    esac
}}

complete -F _anyide anyide
"""


def script(commands: list[Described]) -> str:
    """The whole script."""
    words = [*(c.name for c in commands), "--help", "--version", "--debug"]
    cases = "\n".join(line for command in commands for line in _case(command))
    return TEMPLATE.format(commands=shlex.quote(" ".join(words)), cases=cases)


def _case(command: Described) -> Iterator[str]:
    yield f"    {command.name})"
    yield "        case $previous in"
    for option in command.options:
        if option.takes_value:
            yield f"        {'|'.join(option.names)}) {_values(option)}; return ;;"
    yield "        esac"
    names = " ".join(name for option in command.options for name in option.names)
    yield "        if [[ $current == -* ]]; then"
    yield f'            _anyide_reply -W {shlex.quote(names)} -- "$current"'
    yield "        else"
    for positional in command.positionals:
        yield f"            {_values(positional)}"
    yield "            " + ('_anyide_names -f -- "$current"' if command.passes_on else ":")
    yield "        fi ;;"


def _values(argument: Argument) -> str:
    if argument.choices:
        return f'_anyide_reply -W {shlex.quote(" ".join(argument.choices))} -- "$current"'
    kinds = {"FILE": "-f", "FOLDER": "-d"}
    if argument.metavar in kinds:
        return f'_anyide_names {kinds[argument.metavar]} -- "$current"'
    return ":"

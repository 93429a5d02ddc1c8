"""The completion script for zsh: to be sourced, or to lie as `_anyide` in a directory of $fpath."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anyide.cli.parser import Argument
    from anyide.cli.shell import Described

TEMPLATE = """\
#compdef anyide
# zsh completion for anyide, made by `anyide completion zsh`.
_anyide() {{
    local context state state_descr line curcontext=$curcontext
    typeset -A opt_args
    local -a commands
    commands=(
{commands}
    )
    _arguments -C \\
        '(- *)'{{-h,--help}}'[print this help]' \\
        '(- *)'{{-V,--version}}'[print the version]' \\
        '--debug[print tracebacks of errors]' \\
        '1:command:->command' \\
        '*::argument:->argument'
    case $state in
    command) _describe command commands ;;
    argument)
        case $words[1] in
{cases}
        esac ;;
    esac
}}

if [[ $funcstack[1] == _anyide ]]; then
    _anyide "$@"
else
    compdef _anyide anyide
fi
"""


def script(commands: list[Described]) -> str:
    """The whole script."""
    return TEMPLATE.format(
        commands="\n".join(f"        {_quote(f'{c.name}:{_plain(c.help)}')}" for c in commands),
        cases="\n".join(line for command in commands for line in _case(command)),
    )


def _case(command: Described) -> Iterator[str]:
    yield f"        {command.name})"
    specs = [spec for option in command.options for spec in _option(option)]
    specs += [_positional(argument) for argument in command.positionals]
    specs += ["*:file:_files"] if command.passes_on else []
    yield "            _arguments \\"
    yield " \\\n".join(f"                {_quote(spec)}" for spec in specs) + " ;;"


def _option(option: Argument) -> Iterator[str]:
    for name in option.names:
        value = f":{option.metavar.lower()}:{_action(option)}" if option.takes_value else ""
        # What can be typed once is not offered a second time, under no name.
        again = "*" if option.repeats else f"({' '.join(option.names)})"
        equals = "=" if option.takes_value and name.startswith("--") else ""
        yield f"{again}{name}{equals}[{_plain(option.help)}]{value}"


def _positional(argument: Argument) -> str:
    return f"{'*' if argument.repeats else ''}:{argument.metavar.lower()}:{_action(argument)}"


def _action(argument: Argument) -> str:
    if argument.choices:
        return f"({' '.join(argument.choices)})"
    return {"FILE": "_files", "FOLDER": "_files -/"}.get(argument.metavar, " ")


def _plain(text: str) -> str:
    """A text whose brackets and colons mean themselves in a specification."""
    for sign in "\\[]:":
        text = text.replace(sign, f"\\{sign}")
    return text


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"

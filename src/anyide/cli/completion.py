"""Print a completion script for a shell.

bash:  anyide completion bash > ~/.local/share/bash-completion/completions/anyide
zsh:   anyide completion zsh > a file named _anyide in a directory of $fpath
fish:  anyide completion fish > ~/.config/fish/completions/anyide.fish
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from anyide.cli.command import COMMANDS
from anyide.cli.shell import describe

if TYPE_CHECKING:
    from argparse import Namespace

    from anyide.cli.parser import Parser

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: Parser) -> None:
    """Declare the arguments."""
    parser.add_argument("shell", choices=SHELLS, help="the shell to complete in")


def run(args: Namespace) -> int:
    """Print the script."""
    print(import_module(f"anyide.cli.shell.{args.shell}").script(describe(COMMANDS)), end="")
    return 0

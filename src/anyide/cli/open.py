"""Open a folder in the browser editor, an IDE for the Claude Code CLI, until Ctrl-C.

This is what `anyide` alone does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyide.cli.plan import add_serving, plan_for
from anyide.cli.serve import with_page

if TYPE_CHECKING:
    from argparse import Namespace

    from anyide.cli.parser import Parser


def add_arguments(parser: Parser) -> None:
    """Declare the arguments."""
    add_serving(parser)
    parser.add_argument("--no-open", action="store_true", help="do not open a browser")


def run(args: Namespace) -> int:
    """Serve the page, and open it, until a signal ends it."""
    return with_page(plan_for(args, opens_browser=not args.no_open))

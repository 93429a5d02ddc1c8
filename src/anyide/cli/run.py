"""Ask Claude Code one thing, without its terminal UI.

The prompt is the argument, or standard input, or both (the input then follows the argument).
With --input-format stream-json, standard input is user messages, one JSON object a line.

exit codes:
  0    the turn ended well            5    a budget or the number of steps is used up
  1    the turn or the CLI failed     6    not logged in
  2    wrong usage                    127  Claude Code was not found
  4    a rate limit is reached        130  ended by Ctrl-C
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyide.cli.option import add_settings, typed_settings
from anyide.errors import UsageError

if TYPE_CHECKING:
    from argparse import Namespace

    from anyide.cli.parser import Parser

PATIENCE_SECONDS = 3.0
FORMATS = ("text", "json", "stream-json")
# What is passed on to the session under the same name: option, metavar, help.
_VALUES = (
    ("--model", "MODEL", "the model to use"),
    ("--fallback-model", "MODEL", "the model to use when that one is overloaded"),
    ("--system-prompt", "TEXT", "replace the system prompt"),
    ("--append-system-prompt", "TEXT", "add to the system prompt"),
    ("--permission-mode", "MODE", "default, acceptEdits, plan, dontAsk, auto, bypassPermissions"),
    ("--effort", "LEVEL", "low, medium, high, xhigh or max"),
    ("--resume", "SESSION", "go on with this session"),
    ("--session-id", "UUID", "give the new session this id"),
    ("--agent", "NAME", "be this agent"),
    ("--record", "FILE", "record the session to this file"),
)
_LISTS = (
    ("--allowed-tools", "TOOL", "never ask about this tool"),
    ("--disallowed-tools", "TOOL", "never use this tool"),
    ("--add-dir", "FOLDER", "work in this folder too"),
)


def add_arguments(parser: Parser) -> None:
    """Declare the arguments."""
    parser.add_argument("prompt", metavar="PROMPT", nargs="?", help="what to ask")
    parser.add_argument("--output-format", choices=FORMATS, default="text", help="what to print")
    parser.add_argument(
        "--input-format", choices=("text", "stream-json"), default="text", help="what to read"
    )
    parser.add_argument("--cwd", metavar="FOLDER", help="where to work")
    for name, metavar, text in _VALUES:
        parser.add_argument(name, metavar=metavar, help=text)
    for name, metavar, text in _LISTS:
        parser.add_argument(
            name, dest=_name(name), metavar=metavar, action="append", default=[], help=text
        )
    parser.add_argument("--mcp-config", metavar="FILE", help="MCP servers to use")
    parser.add_argument("--settings", metavar="FILE", help="settings to use")
    parser.add_argument("--max-turns", metavar="COUNT", type=int, help="steps at most")
    parser.add_argument("--max-budget-usd", metavar="USD", type=float, help="cost at most")
    parser.add_argument("--max-thinking-tokens", metavar="COUNT", type=int, help="think this much")
    parser.add_argument(
        *("-c", "--continue"),
        dest="continue_last",
        action="store_true",
        help="go on with the last session of this folder",
    )
    parser.add_argument("--fork", action="store_true", help="go on in a copy of the session")
    parser.add_argument("--partial", action="store_true", help="print deltas with stream-json")
    parser.add_argument("--quiet", action="store_true", help="print the answer only")
    add_settings(parser, ["claude"])


def run(args: Namespace) -> int:
    """Ask, print what comes, give the exit code."""
    import asyncio

    from anyide.cli import asking
    from anyide.cli.view import make_view
    from anyide.config import load
    from anyide.headless.executable import NAME

    prompts = _prompts(args)
    program = load(Path.cwd(), flags=typed_settings(args)).config.claude
    options = _options(args)
    if program != NAME:
        options["cli_path"] = program
    view = make_view(args.output_format, quiet=args.quiet, wants_partial=args.partial)
    return asyncio.run(asking.run(prompts, options, view))


def _options(args: Namespace) -> dict[str, Any]:
    names = [_name(flag) for flag, *_ in (*_VALUES, *_LISTS)]
    names += ["cwd", "max_turns", "max_budget_usd", "max_thinking_tokens", "settings"]
    names += ["continue_last", "fork"]
    given = {name: getattr(args, name) for name in names}
    found = {name: value for name, value in given.items() if value not in (None, [], False)}
    return {**found, "mcp_servers": args.mcp_config} if args.mcp_config else found


def _name(flag: str) -> str:
    """The session's name for an option."""
    name = flag.removeprefix("--").replace("-", "_")
    return "add_dirs" if name == "add_dir" else name


def _prompts(args: Namespace) -> list[Any]:
    """What to ask: texts, or contents of user messages."""
    if args.input_format == "stream-json":
        return _read_messages(args.prompt)
    words = [args.prompt] if args.prompt else []
    if piped := _piped(is_alone=not words):
        words.append(piped)
    if not words:
        raise UsageError("nothing to ask: give a PROMPT, or pipe one in")
    return ["\n\n".join(words)]


def _piped(*, is_alone: bool) -> str:
    if sys.stdin is None or sys.stdin.isatty():
        return ""
    # Started by a program that neither writes nor closes it, we would wait for ever.
    if not is_alone and not _has_input():
        print("anyide: nothing came on standard input; going on without it", file=sys.stderr)
        return ""
    return sys.stdin.read().strip()


def _has_input() -> bool:
    if sys.platform == "win32":
        return True
    import select

    return bool(select.select([sys.stdin], [], [], PATIENCE_SECONDS)[0])


def _read_messages(prompt: str | None) -> list[Any]:
    import json

    found: list[Any] = [prompt] if prompt else []
    for number, line in enumerate(sys.stdin, 1):
        if not line.strip():
            continue
        try:
            message = json.loads(line)
            found.append(message.get("message", message)["content"])
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            raise UsageError(f"standard input, line {number}: no user message ({error})") from error
    if not found:
        raise UsageError("standard input has no user message")
    return found

"""Where `anyide` begins: finds the command, runs it, and says in one sentence what went wrong.

Only what is needed is imported: `--version` and `--help` load no parser and no command.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NoReturn

from anyide import __version__
from anyide.cli.command import COMMANDS, find, load, parser_of
from anyide.errors import AnyideError, ConfigError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyide.cli.command import Command

DEFAULT = "open"
"""The command that is meant when none is named."""
FAILURE, USAGE, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141
GLOBAL_OPTIONS = (
    ("-h, --help", "print this help, or that of a command"),
    ("-V, --version", "print the version"),
    ("--debug", "print tracebacks of errors (also ANYIDE_DEBUG=1)"),
)


def entry() -> NoReturn:
    """Run the command line of this process."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            # A file name of bytes that are no text must not end in an encoding error.
            stream.reconfigure(errors="backslashreplace")
    sys.exit(main(sys.argv[1:]))


def main(argv: Sequence[str], *, commands: Sequence[Command] = COMMANDS) -> int:
    """Run a command line and give its exit code."""
    try:
        status = _dispatch(argv, commands)
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop_stdout()
        return BROKEN_PIPE
    except Exception as error:  # noqa: BLE001 - the last place where an error can become a sentence
        return _complain(error, argv, commands)
    return status


def help_text(commands: Sequence[Command] = COMMANDS) -> str:
    """What `anyide --help` prints."""
    width = max(len(name) for name, _ in (*GLOBAL_OPTIONS, *((c.name, "") for c in commands)))
    lines = ["usage: anyide [--debug] [COMMAND] [ARGUMENT...]"]
    lines += ["       anyide [FOLDER]           the same as 'anyide open [FOLDER]'", ""]
    lines += ["Any editor, any browser, any program as a partner of the Claude Code CLI.", ""]
    lines += ["commands:", *(f"  {c.name:{width}}  {c.help}" for c in commands), ""]
    lines += ["options:", *(f"  {name:{width}}  {text}" for name, text in GLOBAL_OPTIONS)]
    return "\n".join(lines)


def _dispatch(argv: Sequence[str], commands: Sequence[Command]) -> int:
    for position, word in enumerate(argv):
        if word in ("-h", "--help"):
            break
        if word in ("-V", "--version"):
            print(f"anyide {__version__}")
            return 0
        if word == "--debug":
            continue
        if _is_for_default(word, commands):
            return _run(find(DEFAULT, commands), argv[position:])
        return _run(find(word, commands), argv[position + 1 :])
    else:
        return _run(find(DEFAULT, commands), ())
    print(help_text(commands))
    return 0


def _is_for_default(word: str, commands: Sequence[Command]) -> bool:
    """Whether a first word is an option or a folder of the command that need not be named."""
    if word.startswith("-"):
        if not _knows_option(word, commands):
            raise UsageError(f"unknown option {word!r}")
        return True
    is_command = any(command.name == word for command in commands)
    return not is_command and (word in (".", "..") or "/" in word or os.path.isdir(word))  # noqa: PTH112 - pathlib is slow to import


def _knows_option(word: str, commands: Sequence[Command]) -> bool:
    arguments = parser_of(find(DEFAULT, commands)).arguments()
    return any(word.partition("=")[0] in argument.names for argument in arguments)


def _run(command: Command, words: Sequence[str]) -> int:
    parser = parser_of(command)
    own, rest = parser.split(words) if command.passes_on else (list(words), [])
    try:
        args = parser.parse_args(own)
    except SystemExit as stop:  # argparse has printed the help
        return int(stop.code or 0)
    args.rest = rest
    return load(command).run(args)


def _complain(error: Exception, argv: Sequence[str], commands: Sequence[Command]) -> int:
    if _wants_traceback(argv):
        import traceback

        traceback.print_exception(error)
    print(f"anyide: {_sentence(error, argv, commands)}", file=sys.stderr)
    return USAGE if isinstance(error, UsageError) else FAILURE


def _sentence(error: Exception, argv: Sequence[str], commands: Sequence[Command]) -> str:
    if isinstance(error, UsageError) and not isinstance(error, ConfigError):
        names = [c.name for c in commands]
        command = next((word for word in argv if not word.startswith("-")), "")
        return f"{error} (see 'anyide {command + ' ' if command in names else ''}--help')"
    if isinstance(error, AnyideError):
        return str(error)
    first = (str(error).splitlines() or [""])[0]
    what = f"{type(error).__name__}: {first}" if first else type(error).__name__
    return f"unexpected {what} (run it with --debug for the traceback)"


def _wants_traceback(argv: Sequence[str]) -> bool:
    own = argv[: argv.index("--")] if "--" in argv else argv
    return "--debug" in own or os.environ.get("ANYIDE_DEBUG", "") not in ("", "0")


def _drop_stdout() -> None:
    """Let nothing of what is still buffered be written at exit, where it would complain again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)

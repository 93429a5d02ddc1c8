"""Play a session of Claude Code against the running editor, to see how it works.

Start the editor with `anyide` first. Everything happens in a new folder, anyide-demo: a selection
is read, a change of three places and a new file are proposed for you to decide, problems are asked
for. What you accept is written, as Claude Code would do.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from anyide.errors import IdeNotFound

if TYPE_CHECKING:
    from argparse import Namespace

    from anyide.cli.parser import Parser
    from anyide.ide.client import IdeClient

BEFORE = '''"""Greets people, politely."""


def greeting(name):
    return "Hello " + name


def farewell(name):
    return "Goodbye " + name


def shout(text):
    return text.upper() + "!"


if __name__ == "__main__":
    print(greeting("world"))
    print(farewell("world"))
'''
# One hunk each: a type and an f-string, the same again further down, a last line.
AFTER = (
    BEFORE.replace(
        'greeting(name):\n    return "Hello " + name',
        'greeting(name: str) -> str:\n    return f"Hello, {name}!"',
    )
    .replace(
        'shout(text):\n    return text.upper() + "!"',
        'shout(text: str) -> str:\n    return f"{text.upper()}!"',
    )
    .replace('    print(farewell("world"))\n', '    print(shout(farewell("world")))\n')
)
NEW_FILE = "# Greeting\n\nA module that greets people. Run it with `python greeting.py`.\n"
FOLDER = "anyide-demo"


def add_arguments(parser: Parser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "folder", metavar="FOLDER", nargs="?", default=".", help="the folder that is open"
    )
    parser.add_argument("--keep", action="store_true", help="leave the demo's folder there")


def run(args: Namespace) -> int:
    """Play it."""
    import asyncio

    asyncio.run(_play(Path(args.folder).resolve(), keep=args.keep))
    return 0


async def _play(folder: Path, *, keep: bool) -> None:
    from anyide.ide.client import IdeClient

    client = IdeClient.for_folder(folder)
    try:
        await client.__aenter__()
    except IdeNotFound as error:
        raise IdeNotFound(
            f"no editor is open in {folder}: start one there with 'anyide', in another terminal"
        ) from error
    try:
        place = _new_place(folder)
        _say(f"Connected, as Claude Code would be. The demo happens in {place}.")
        await _play_scenes(client, place)
    finally:
        await client.__aexit__()
    _clean_up(place, keep=keep)


async def _play_scenes(ide: IdeClient, place: Path) -> None:
    code, notes = place / "greeting.py", place / "NOTES.md"
    _write(code, BEFORE)
    await _show_selection(ide, code)
    await _propose(ide, code, AFTER, "a change in three places")
    await _propose(ide, notes, NEW_FILE, "a new file")
    await _show_problems(ide, code)
    _say("That is all: Claude Code does the same, with changes of its own.")


def _new_place(folder: Path) -> Path:
    for number in range(1, 1000):
        place = folder / (FOLDER if number == 1 else f"{FOLDER}-{number}")
        try:
            place.mkdir()
        except FileExistsError:
            continue
        return place
    raise IdeNotFound(f"there are too many demo folders in {folder}: delete some")


async def _show_selection(ide: IdeClient, code: Path) -> None:
    await ide.call("openFile", filePath=str(code), startText="def greeting", endText="name\n")
    result = await ide.call("getCurrentSelection")
    found = json.loads(result.text)
    _say(f"Claude opened {code.name} and sees what is selected there:")
    _quote(found.get("text") or found.get("message", "nothing"))


async def _propose(ide: IdeClient, file: Path, text: str, what: str) -> None:
    _say(f"Claude proposes {what}: {file.name}. Decide it in the page; this waits.")
    result = await ide.call(
        "openDiff",
        old_file_path=str(file),
        new_file_path=str(file),
        new_file_contents=text,
        tab_name=f"demo: {file.name}",
    )
    if result.is_error:
        _say(f"It was not decided: {result.text}")
    elif result.texts[0] == "FILE_SAVED":
        final = result.texts[1]
        _write(file, final)
        how = "as proposed" if final == text else "as you made it"
        _say(f"You accepted it {how}; it is written ({len(final.splitlines())} lines).")
    else:
        _say("You rejected it; nothing is written.")


def _write(file: Path, text: str) -> None:
    file.write_bytes(text.encode())  # not as text: line ends stay as they are


async def _show_problems(ide: IdeClient, code: Path) -> None:
    result = await ide.call("getDiagnostics", uri=code.as_uri())
    found = [each for file in json.loads(result.text) for each in file["diagnostics"]]
    _say(f"Claude asks for problems in {code.name}: the editor reports {len(found) or 'none'}.")
    for each in found:
        _quote(f"line {each['range']['start']['line'] + 1}: {each['message']}")


def _clean_up(place: Path, *, keep: bool) -> None:
    if keep or not sys.stdin.isatty():
        _say(f"{place} is left there; delete it when you like.")
        return
    input(f"\nPress Enter to delete {place} (Ctrl-C leaves it there). ")
    for name in ("greeting.py", "NOTES.md"):
        (place / name).unlink(missing_ok=True)
    try:
        place.rmdir()
    except OSError:
        _say(f"{place} is left there: it holds other files by now.")


def _say(text: str) -> None:
    print(f"• {text}", flush=True)


def _quote(text: str) -> None:
    for line in text.splitlines() or [""]:
        print(f"    {line}", flush=True)

"""Print every setting and where it comes from."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from anyide.cli.option import add_settings, typed_settings
from anyide.config import Loaded, Value, load, user_file

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from anyide.cli.parser import Parser


def add_arguments(parser: Parser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "folder", metavar="FOLDER", nargs="?", default=".", help="the project's folder"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_settings(parser)


def run(args: Namespace) -> int:
    """Print the configuration of a folder."""
    loaded = load(Path(args.folder), flags=typed_settings(args))
    if args.json:
        print(_as_json(loaded))
        return 0
    print(_as_table([row for name in loaded.values for row in _rows(name, loaded.values[name])]))
    print(f"\nFiles read: {', '.join(map(str, loaded.files)) or 'none'}")
    if user_file() not in loaded.files:
        print(f"The user's file would be {user_file()}")
    for note in loaded.notes:
        print(f"anyide: note: {note}", file=sys.stderr)
    return 0


def _rows(name: str, value: Value) -> Iterator[tuple[str, str, str]]:
    """A row for each item of a list, one for anything else."""
    items = value.value if isinstance(value.value, tuple) else (value.value,)
    for number, (item, origin) in enumerate(zip(items, value.origins, strict=True)):
        yield name if number == 0 else "", _shown(item), str(origin)


def _shown(item: str | int | bool) -> str:
    return str(item).lower() if isinstance(item, bool) else str(item)


def _as_table(rows: list[tuple[str, str, str]]) -> str:
    names = max(len(name) for name, _, _ in rows)
    values = max(len(value) for _, value, _ in rows)
    return "\n".join(f"{name:{names}}  {value:{values}}  {origin}" for name, value, origin in rows)


def _as_json(loaded: Loaded) -> str:
    import json

    settings = {
        name: {"value": value.value, "from": [origin._asdict() for origin in value.origins]}
        for name, value in loaded.values.items()
    }
    files = [str(file) for file in loaded.files]
    document = {"settings": settings, "files": files, "notes": loaded.notes}
    return json.dumps(document, indent=2)

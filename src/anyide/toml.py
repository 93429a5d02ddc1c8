"""TOML files with the line of each key, which the standard library does not tell.

Mistakes become `ConfigError`s that name the file and, where it is known, the line.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from anyide.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_FILE_BYTES = 256 * 1024


def read(file: Path) -> str:
    """The text of a file; raises `ConfigError` for one that is none."""
    try:
        if not file.is_file():  # opening a pipe would wait for ever
            raise ConfigError("this is not a file", source=str(file))
        with file.open("rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", source=str(file)) from None
    if len(data) > MAX_FILE_BYTES:
        raise ConfigError(f"more than {MAX_FILE_BYTES} bytes", source=str(file))
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError("not UTF-8 text", source=str(file), line=line) from None


def parse(text: str, source: str) -> dict[str, object]:
    """Read a document; raises `ConfigError`."""
    import tomllib  # noqa: PLC0415 - most starts find no file to read

    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigError("nested too deeply", source=source) from None
    except ValueError as error:  # TOMLDecodeError, and a number of too many digits
        found = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", str(error))
        problem = str(error)[: found.start()] if found else str(error)
        last = len(text.splitlines()) or 1
        line = int(found[1] or last) if found else None
        raise ConfigError(f"not TOML: {problem}", source=source, line=line) from None


# A string in any of TOML's four forms, a comment, a bracket, or the end of a line.
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\''
    r"|#[^\n]*|[\[\]{}\n]",
    re.DOTALL,
)


def key_lines(text: str) -> dict[tuple[str, ...], int]:
    """The line of every key of a valid TOML document, by its path (tomllib does not tell)."""
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for line, statement in _statements(text):
        paths = list(_paths(parse(statement, "a statement")))
        if statement.lstrip().startswith("["):
            table = paths[-1]
            paths = [table[: i + 1] for i in range(len(table))]
        else:
            paths = [table + path for path in paths]
        for path in paths:
            lines.setdefault(path, line)
    return lines


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Each header or key with its whole value, and the line on which it begins."""
    start, line, depth = 0, 1, 0
    for token in _TOKEN.finditer(text + "\n"):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        if token[0] == "\n" and depth == 0:
            statement = text[start : token.start()]
            yield line, statement
            line += statement.count("\n") + 1
            start = token.end()


def _paths(document: object, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every path of a document, a table before what is in it."""
    if isinstance(document, dict):
        for key, value in document.items():
            yield (*path, key)
            yield from _paths(value, (*path, key))

"""What is configured: one typed value, and where each part of it comes from.

Later wins: defaults, the user's `config.toml`, the project's `.anyide.toml`, `ANYIDE_*` variables,
flags. A project's file comes with a cloned repository and is not trusted: it can tighten what is
shared but never loosen it, and it can never name a program to run.

Nothing heavy is imported here, so that the command line can offer the settings as options without
slowing down its start. What `.anyideignore` files say is not read here but in `ide/policy.py`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

from anyide import toml
from anyide.errors import ConfigError
from anyide.setting import BY_NAME, SETTINGS, Dialect, LogLevel, Plain, Setting, Trust, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

T = TypeVar("T", bound=Plain)

PROJECT_FILE = ".anyide.toml"
# Variables with our prefix that are not settings.
OTHER_VARIABLES = frozenset({"ANYIDE_CONFIG_FILE", "ANYIDE_STATE_DIR", "ANYIDE_DEBUG"})


class Ide(NamedTuple):
    """How our IDE server presents itself."""

    name: str
    port: int
    dialect: Dialect


class Sharing(NamedTuple):
    """What may be shared with the model."""

    deny: tuple[str, ...]
    max_selection: int
    paused: bool


class Config(NamedTuple):
    """Every setting, checked."""

    ide: Ide
    sharing: Sharing
    claude: str
    log_level: LogLevel


class Origin(NamedTuple):
    """Where a value comes from: `default`, a file and its line, a variable, or a flag."""

    source: str
    line: int | None = None

    def __str__(self) -> str:
        return self.source if self.line is None else f"{self.source}, line {self.line}"


class Value(NamedTuple):
    """A setting's value; a list has one origin for each item, anything else has one."""

    value: Plain
    origins: tuple[Origin, ...]


class Loaded(NamedTuple):
    """A configuration, the origin of each value, the files read, and what a person should know."""

    config: Config
    values: Mapping[str, Value]
    files: tuple[Path, ...]
    notes: tuple[str, ...]


def load(
    folder: Path,
    *,
    flags: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Loaded:
    """Read the configuration for a folder.

    `flags` holds what was typed, by setting name; `None` means not typed. Raises `ConfigError`,
    which names file and line, variable or flag.
    """
    environ = os.environ if environ is None else environ
    merge = _Merge()
    files = []
    user = _user_file_to_read(environ)
    if user is not None:
        files.append(user)
        merge.trusted(_read_file(user))
    for file in _project_files(folder):
        files.append(file)
        merge.untrusted(_read_file(file))
    merge.trusted(_read_variables(environ))
    merge.trusted(_read_flags(flags or {}))
    notes = (*merge.notes, *_unknown_variables(environ))
    return Loaded(_typed(merge.values), merge.values, tuple(files), notes)


def user_file(environ: Mapping[str, str] | None = None) -> Path:
    """Where the user's configuration is or would be."""
    named = (os.environ if environ is None else environ).get("ANYIDE_CONFIG_FILE")
    if named:
        return Path(named)
    import platformdirs  # noqa: PLC0415 - see the module's docstring

    return platformdirs.user_config_path("anyide", appauthor=False) / "config.toml"


class _Merge:
    """The layers put on top of each other, lowest first."""

    def __init__(self) -> None:
        self.values = {s.name: Value(s.default, _origins(s.default, DEFAULT)) for s in SETTINGS}
        self.notes: list[str] = []

    def trusted(self, entries: Iterable[_Entry]) -> None:
        """Put a layer on top that the person wrote."""
        for setting, value, origin in entries:
            if isinstance(value, tuple):
                self._add(setting.name, value, origin)
            else:
                self.values[setting.name] = Value(value, (origin,))

    def untrusted(self, entries: Iterable[_Entry]) -> None:
        """Put a layer on top that came with a repository."""
        for setting, value, origin in entries:
            if setting.project is Trust.NEVER:
                problem = f"a project's file may not set {setting.name!r}, a program to run"
                raise ConfigError(problem, source=origin.source, line=origin.line)
            if isinstance(value, tuple):
                self._add(setting.name, self._without_exceptions(value, origin), origin)
            elif setting.project is Trust.SET or self._is_tighter(setting.name, value):
                self.values[setting.name] = Value(value, (origin,))
            elif value != self.values[setting.name].value:
                self._ignore(f"{setting.name} = {_toml(value)}", origin)

    def _add(self, name: str, items: tuple[str, ...], origin: Origin) -> None:
        had = self.values[name]
        value = (*cast("tuple[str, ...]", had.value), *items)
        self.values[name] = Value(value, had.origins + _origins(items, origin))

    def _without_exceptions(self, items: tuple[str, ...], origin: Origin) -> tuple[str, ...]:
        # "!pattern" takes a file out of the deny list again, and the last match wins. Blanks before
        # it do not count: some readers of gitignore patterns strip them.
        for item in items:
            if item.lstrip().startswith("!"):
                self._ignore(f"the pattern {item!r}", origin)
        return tuple(item for item in items if not item.lstrip().startswith("!"))

    def _is_tighter(self, name: str, value: Plain) -> bool:
        had = self.values[name].value
        if isinstance(had, bool):
            return value is True and had is False
        return isinstance(had, int) and isinstance(value, int) and value < had

    def _ignore(self, what: str, origin: Origin) -> None:
        self.notes.append(f"{origin}: {what} is ignored, a project's file can only share less")


_Entry = tuple[Setting, Plain, Origin]
DEFAULT = Origin("default")


def _origins(value: Plain, origin: Origin) -> tuple[Origin, ...]:
    return (origin,) * (len(value) if isinstance(value, tuple) else 1)


def _toml(value: Plain) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _typed(values: Mapping[str, Value]) -> Config:
    def get(name: str, kind: type[T]) -> T:
        value = values[name].value
        assert isinstance(value, kind)
        return value

    dialect = cast("Dialect", get("ide.dialect", str))
    return Config(
        ide=Ide(get("ide.name", str), get("ide.port", int), dialect),
        sharing=Sharing(
            get("sharing.deny", tuple),
            get("sharing.max_selection", int),
            get("sharing.paused", bool),
        ),
        claude=get("claude", str),
        log_level=cast("LogLevel", get("log_level", str)),
    )


def _read_variables(environ: Mapping[str, str]) -> Iterator[_Entry]:
    for setting in SETTINGS:
        # An empty variable is how a shell says "not set".
        if text := environ.get(setting.variable):
            yield _entry(setting, text, Origin(setting.variable), parse=True)


def _unknown_variables(environ: Mapping[str, str]) -> Iterator[str]:
    known = OTHER_VARIABLES | {setting.variable for setting in SETTINGS}
    for name in sorted(environ):
        if name.startswith("ANYIDE_") and name not in known:
            yield f"the variable {name} is not a setting{nearest(name, known)}"


def _read_flags(flags: Mapping[str, object]) -> Iterator[_Entry]:
    for name, value in flags.items():
        if value is not None:
            setting = BY_NAME[name]
            yield _entry(setting, value, Origin(setting.flag), parse=isinstance(value, str))


def _entry(setting: Setting, value: object, origin: Origin, *, parse: bool = False) -> _Entry:
    try:
        checked = setting.parse(str(value)) if parse else setting.check(value)
    except ValueError as expected:
        shown = repr(value) if isinstance(value, str | int | float) else _shape(value)
        problem = f"{setting.name} must be {expected}, not {shown}"
        raise ConfigError(problem, source=origin.source, line=origin.line) from None
    return setting, checked, origin


def _shape(value: object) -> str:
    if isinstance(value, dict):
        return "a table"
    return "such a list" if isinstance(value, list) else "a date or time"


# Files


def _user_file_to_read(environ: Mapping[str, str]) -> Path | None:
    file = user_file(environ)
    if _exists(file):
        return file
    if environ.get("ANYIDE_CONFIG_FILE"):
        raise ConfigError("there is no such file", source=f"ANYIDE_CONFIG_FILE={file}")
    return None


def _project_files(folder: Path) -> list[Path]:
    """The files for a folder, outermost first: its own, and those up to its repository's root."""
    # What the folder's own path says must not need the folder to exist.
    folder = Path(os.path.abspath(folder))  # noqa: PTH100 - resolve() would follow links
    folders = [folder, *folder.parents]
    roots = [i for i, parent in enumerate(folders) if _exists(parent / ".git")]
    inside = folders[: roots[0] + 1] if roots else [folder]
    found = [parent / PROJECT_FILE for parent in reversed(inside)]
    return [file for file in found if _exists(file)]


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return True  # it cannot be looked at: reading it will say why


def _read_file(file: Path) -> Iterator[_Entry]:
    text = toml.read(file)
    document = toml.parse(text, str(file))
    lines = toml.key_lines(text)
    for path, value in _leaves(document):
        name = ".".join(path)
        origin = Origin(str(file), lines.get(path))
        if name not in BY_NAME:
            raise ConfigError(_unknown(path), source=origin.source, line=origin.line)
        yield _entry(BY_NAME[name], value, origin)


def _leaves(
    document: dict[str, object], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], object]]:
    """Every key that is not a section of ours, with its whole path."""
    for key, value in document.items():
        whole = (*path, key)
        if isinstance(value, dict) and _is_section(whole):
            yield from _leaves(value, whole)
        else:
            yield whole, value


def _is_section(path: tuple[str, ...]) -> bool:
    return any(name.startswith(".".join(path) + ".") for name in BY_NAME)


def _unknown(path: tuple[str, ...]) -> str:
    name = ".".join(path)
    if _is_section(path):
        return f"{name!r} must be a table"
    by_last = {known.rpartition(".")[2]: known for known in BY_NAME}
    return f"unknown key {name!r}" + (
        f", did you mean {by_last[name]!r}?" if name in by_last else nearest(name, BY_NAME)
    )

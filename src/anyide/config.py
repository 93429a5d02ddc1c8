"""What is configured: one typed value, and where each part of it comes from.

Later wins: defaults, the user's `config.toml`, the project's `.anyide.toml`, `ANYIDE_*` variables,
flags. A project's file comes with a cloned repository and is not trusted: it can tighten what is
shared but never loosen it, and it can never name a program to run.

Nothing heavy is imported here, so that the command line can offer the settings as options without
slowing down its start. What `.anyideignore` files say is not read here but in `ide/policy.py`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar, cast, get_args

from anyide.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Dialect = Literal["vscode", "jetbrains", "obsidian"]
LogLevel = Literal["debug", "info", "warning", "error"]
Plain = str | int | bool | tuple[str, ...]
T = TypeVar("T", bound=Plain)

PROJECT_FILE = ".anyide.toml"
MAX_FILE_BYTES = 256 * 1024
# Variables with our prefix that are not settings.
OTHER_VARIABLES = frozenset({"ANYIDE_CONFIG_FILE", "ANYIDE_STATE_DIR", "ANYIDE_DEBUG"})

# Files that hold secrets more often than not, as gitignore patterns.
# fmt: off
DEFAULT_DENY = (
    ".env*", "*.env", ".envrc", "*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.jks", "*.keystore",
    "*.ppk", "*.kdbx", "*.gpg", "*.age", "*.tfstate", "*.tfvars", "id_rsa*", "id_dsa*",
    "id_ecdsa*", "id_ed25519*", ".ssh/", ".gnupg/", ".aws/", ".azure/", ".kube/",
    ".config/gcloud/", ".docker/config.json", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass",
    ".my.cnf", ".htpasswd", ".git-credentials", ".vault-token", ".credentials*", "credentials",
    "credentials.json", "credentials.y*ml", "credentials.toml", "credentials.csv", "secrets.json",
    "secrets.y*ml", "secrets.toml", "service-account*.json",
)
# fmt: on


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


# What a setting accepts: each gives the value back or raises `ValueError` with what was expected.
Check = Callable[[object], Plain]


def _text(value: object) -> Plain:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("a text that is not empty")
    return value


def _program(value: object) -> Plain:
    return os.path.expanduser(str(_text(value)))  # noqa: PTH111 - it may be a mere name


def _whole(low: int, high: int) -> Check:
    def check(value: object) -> Plain:
        if type(value) is not int or not low <= value <= high:
            raise ValueError(f"a whole number from {low} to {high}")
        return value

    return check


def _one_of(words: tuple[str, ...]) -> Check:
    def check(value: object) -> Plain:
        if not isinstance(value, str) or value not in words:
            raise ValueError("one of " + ", ".join(words))
        return value

    return check


def _switch(value: object) -> Plain:
    if not isinstance(value, bool):
        raise ValueError("true or false")  # noqa: TRY004 - every check raises the same
    return value


def _patterns(value: object) -> Plain:
    if not isinstance(value, list) or not all(_is_pattern(item) for item in value):
        raise ValueError("a list of patterns, each a text of one line")
    return tuple(value)


def _is_pattern(item: object) -> bool:
    # A line break would smuggle a second pattern into whoever joins them to a file.
    return isinstance(item, str) and bool(item.strip()) and item.splitlines() == [item]


class Trust(Enum):
    """What a project's file may do to a setting."""

    SET = "set it"
    TIGHTEN = "only tighten it"
    NEVER = "not name it"


class Setting(NamedTuple):
    """One thing that can be configured; its name is the path in a TOML file."""

    name: str
    default: Plain
    check: Check
    help: str
    project: Trust = Trust.SET
    choices: tuple[str, ...] = ()

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "ANYIDE_" + self.name.upper().replace(".", "_")

    @property
    def flag(self) -> str:
        """The command line option that sets it."""
        return "--" + self.name.rpartition(".")[2].replace("_", "-")

    def parse(self, text: str) -> Plain:
        """Take the text of a variable or a flag; raises `ValueError` with what was expected."""
        value: object = text
        if isinstance(self.default, bool):
            value = _WORDS.get(text.strip().lower(), text)
        elif isinstance(self.default, int) and re.fullmatch(r"[0-9]{1,18}", text):
            value = int(text)
        elif isinstance(self.default, tuple):
            value = [item.strip() for item in text.split(",") if item.strip()]
        return self.check(value)


_WORDS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def _choice(name: str, default: str, words: tuple[str, ...], about: str) -> Setting:
    return Setting(name, default, _one_of(words), about, choices=words)


SETTINGS = (
    Setting("ide.name", "anyide", _text, "the name that Claude Code shows"),
    Setting("ide.port", 0, _whole(0, 65535), "the port to listen on, 0 for any free one"),
    _choice("ide.dialect", "vscode", get_args(Dialect), "whose exact answers to give"),
    Setting("sharing.deny", DEFAULT_DENY, _patterns, "files never to share", Trust.TIGHTEN),
    Setting(
        "sharing.max_selection",
        100_000,
        _whole(0, 100_000_000),
        "the longest selection to share, in characters",
        Trust.TIGHTEN,
    ),
    Setting("sharing.paused", False, _switch, "share nothing for now", Trust.TIGHTEN),
    Setting("claude", "claude", _program, "the Claude Code program to run", Trust.NEVER),
    _choice("log_level", "warning", get_args(LogLevel), "the least that is logged"),
)
BY_NAME = {setting.name: setting for setting in SETTINGS}


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


def nearest(word: str, known: Iterable[str]) -> str:
    """Say `, did you mean …?` if something like the word is known, else nothing."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    matches = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f", did you mean {matches[0]!r}?" if matches else ""


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
    text = _text_of(file)
    document = _parse(text, str(file))
    lines = key_lines(text)
    for path, value in _leaves(document):
        name = ".".join(path)
        origin = Origin(str(file), lines.get(path))
        if name not in BY_NAME:
            raise ConfigError(_unknown(path), source=origin.source, line=origin.line)
        yield _entry(BY_NAME[name], value, origin)


def _text_of(file: Path) -> str:
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


def _parse(text: str, source: str) -> dict[str, object]:
    import tomllib  # noqa: PLC0415 - see the module's docstring

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
        paths = list(_paths(_parse(statement, "a statement")))
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

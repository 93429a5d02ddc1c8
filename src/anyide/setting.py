"""The table of settings: name, default, what each accepts, what a project's file may do to it.

Nothing heavy is imported here: the command line offers settings as options without importing more.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable

Dialect = Literal["vscode", "jetbrains", "obsidian"]
LogLevel = Literal["debug", "info", "warning", "error"]
Plain = str | int | bool | tuple[str, ...]

# Files that hold secrets more often than not, as gitignore patterns.
# fmt: off
DEFAULT_DENY = (
    ".env*", "*.env", ".envrc", "*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.jks", "*.keystore",
    "*.ppk", "*.kdbx", "*.gpg", "*.age", "*.tfstate", "*.tfvars", "id_rsa*", "id_dsa*",
    "id_ecdsa*", "id_ed25519*", ".ssh/", ".gnupg/", ".aws/", ".azure/", ".kube/",
    "**/.config/gcloud/", "**/.docker/config.json", ".netrc", "_netrc", ".npmrc", ".pypirc",
    ".pgpass", ".my.cnf", ".htpasswd", ".git-credentials", ".vault-token", ".credentials*",
    "credentials", "credentials.json", "credentials.y*ml", "credentials.toml", "credentials.csv",
    "secrets.json", "secrets.y*ml", "secrets.toml", "service-account*.json",
)
# fmt: on


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


def nearest(word: str, known: Iterable[str]) -> str:
    """Say `, did you mean …?` if something like the word is known, else nothing."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    matches = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f", did you mean {matches[0]!r}?" if matches else ""

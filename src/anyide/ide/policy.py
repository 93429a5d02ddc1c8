"""What may be shared with the CLI, and so with the model: rules, no disk.

Denied files are told by gitignore patterns of two kinds. The person's own (the defaults, then the
user's configuration) hold everywhere, and a later `!pattern` of theirs takes an earlier one back.
A project's (`.anyideignore`, `.anyide.toml`) hold in its folder and only ever add: a cloned
repository is not trusted to share more than the person would.

Names are compared without case and in one Unicode form, whatever the disk does: a deny list errs on
the side of denying. A denied file is never named: it is left out, not blanked.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from pathspec import GitIgnoreSpec

from anyide.editor.model import FileDiagnostics, Position, Range, Selection, Tab
from anyide.errors import ConfigError
from anyide.ide.paths import Flavour, normalise, relative_to, to_wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

_LINE_BREAK = re.compile(r"\r\n|\n|\r")
_REMEMBERED = 1024
_NO_REAL_PATHS: Mapping[str, str] = {}


@dataclass(frozen=True)
class Policy:
    """What may be shared of the files in `folders` and of those outside.

    `deny` are the person's patterns, `project` those of a project by its folder. Texts of a
    selection are cut after `max_selection` characters. While `paused` nothing is shared.
    Raises ConfigError for a pattern of the person that is none; one of a project is skipped and
    told in `problems`.
    """

    folders: Sequence[str]
    deny: Sequence[str]
    max_selection: int
    project: Mapping[str, Sequence[str]] = field(default_factory=dict)
    paused: bool = False
    flavour: Flavour = Flavour.POSIX
    problems: tuple[str, ...] = field(init=False)
    _ours: GitIgnoreSpec = field(init=False, repr=False, compare=False)
    _theirs: Mapping[str, GitIgnoreSpec] = field(init=False, repr=False, compare=False)
    _denies: Callable[[str], bool] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        problems: list[str] = []
        theirs = {}
        for folder, lines in self.project.items():
            good = [line for line in lines if _is_pattern(line)]
            bad = [line for line in lines if not _is_pattern(line)]
            problems += [f"{folder}: not a gitignore pattern, skipped: {line!r}" for line in bad]
            theirs[folder] = _compile(good)
        for line in self.deny:
            if not _is_pattern(line):
                raise ConfigError(f"not a gitignore pattern: {line!r}", source="deny")
        object.__setattr__(self, "problems", tuple(problems))
        object.__setattr__(self, "_ours", _compile(self.deny))
        object.__setattr__(self, "_theirs", theirs)
        # A storm of selections asks about the same file again and again.
        object.__setattr__(self, "_denies", lru_cache(_REMEMBERED)(self._decide))

    def pause(self, *, paused: bool = True) -> Policy:
        """The same rules, paused or going on."""
        return replace(self, paused=paused)

    def allows(self, path: str, real_path: str | None = None) -> bool:
        """Whether a file may be named; `real_path` is where its symbolic links lead, if anywhere.

        A path with a slash at the end is a folder.
        """
        if self.paused or self._denies(path):
            return False
        return real_path is None or real_path == path or not self._denies(real_path)

    def selection(self, selection: Selection, real_path: str | None = None) -> Selection | None:
        """What may be told of a selection: None, all, or its first `max_selection` characters.

        Where text is cut, never inside a character or a CRLF, the end of the range moves to the
        cut, in UTF-16 code units as everywhere in the protocol.
        """
        if not self.allows(selection.path, real_path):
            return None
        if len(selection.text) <= self.max_selection:
            return selection
        text = _cut(selection.text, self.max_selection)
        start = selection.range.start
        return Selection(selection.path, text, Range(start, _advance(start, text)))

    def tabs(
        self, tabs: Iterable[Tab], real_paths: Mapping[str, str] = _NO_REAL_PATHS
    ) -> tuple[Tab, ...]:
        """The tabs that may be named; `real_paths` leads from a path to its real one."""
        return tuple(tab for tab in tabs if self.allows(tab.path, real_paths.get(tab.path)))

    def diagnostics(
        self, files: Iterable[FileDiagnostics], real_paths: Mapping[str, str] = _NO_REAL_PATHS
    ) -> tuple[FileDiagnostics, ...]:
        """The diagnostics of files that may be named."""
        return tuple(file for file in files if self.allows(file.path, real_paths.get(file.path)))

    def _decide(self, path: str) -> bool:
        inside = [
            relative
            for folder in self.folders
            if (relative := relative_to(path, folder, self.flavour)) is not None
        ]
        if any(self._matches(self._ours, each) for each in inside or self._names_outside(path)):
            return True
        return any(
            self._matches(spec, relative)
            for folder, spec in self._theirs.items()
            if (relative := relative_to(path, folder, self.flavour)) is not None
        )

    def _names_outside(self, path: str) -> list[str]:
        # Outside there is no root for `.config/gcloud/` to begin at, so it may begin anywhere.
        parts = normalise(to_wire(path, self.flavour)).lstrip("/").split("/")
        return ["/".join(parts[depth:]) for depth in range(len(parts))]

    def _matches(self, spec: GitIgnoreSpec, relative: str) -> bool:
        parts = relative.split("/")
        if self.flavour is Flavour.WINDOWS:
            parts = [_windows_name(part) for part in parts]
        # "It is not possible to re-include a file if a parent directory of that file is excluded."
        ways = ["/".join(parts[:depth]) + "/" for depth in range(1, len(parts))]
        return any(spec.match_file(_folded(way)) for way in [*ways, "/".join(parts)])


def _windows_name(name: str) -> str:
    """The file that Windows opens: no stream (`.env::$DATA`), no dots or spaces at the end."""
    return name.partition(":")[0].rstrip(". ")


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def _compile(lines: Iterable[str]) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(_folded(line) for line in lines)


def _is_pattern(line: str) -> bool:
    try:
        _compile([line])
    except (ValueError, re.error):
        return False
    return True


def _cut(text: str, limit: int) -> str:
    limit = max(limit, 0)
    in_line_break = text[max(limit - 1, 0) : limit + 1] == "\r\n" and limit > 0
    return text[: limit - 1 if in_line_break else limit]


def _advance(start: Position, text: str) -> Position:
    lines = _LINE_BREAK.split(text)
    width = len(lines[-1].encode("utf-16-le", "surrogatepass")) // 2
    if len(lines) == 1:
        return Position(start.line, start.character + width)
    return Position(start.line + len(lines) - 1, width)

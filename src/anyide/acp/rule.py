"""The person's permission rules, for tools that the client runs instead of the CLI. Pure.

The CLI does not know that a tool of ours stands for Read, Edit, Write or Bash, so its rules for
those must be held here. When in doubt the answer is to ask: a rule that is not understood never
allows anything.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, Literal

from msgspec import Struct

Verdict = Literal["allow", "deny", "ask"]
Json = dict[str, Any]

_RULE = re.compile(r"\A([^()\s]+)(?:\((.*)\))?\Z", re.DOTALL)
_JOINTS = re.compile(r"&&|\|\||[;|&\n]")
_INSIDE = re.compile(r"&&|\|\||[;|&\n`(){}$]")
_ASSIGNMENTS = re.compile(r"\A(?:\w+=\S*\s+)+")
_SHELL = re.compile(r"[`<>(){}$\\]")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_EXPANDED = re.compile(r"[*?\[~#!]")
# Only what cannot write or start anything; git with options can do both.
_READERS = frozenset(
    {"ls", "pwd", "wc", "head", "tail", "cat", "grep", "which", "echo", "whoami", "uname"}
)
_GIT = frozenset({"git status", "git diff", "git log", "git show"})
# Not -R, -L (follow links), -f (a file of patterns, or without end), -z.
_OPTION = re.compile(r"-[A-KM-QS-Za-eg-y0-9]+")
_FAMILY = {"Write": "Edit", "MultiEdit": "Edit", "NotebookEdit": "Edit"}


class Rule(Struct, frozen=True):
    """One rule, for example deny Bash(rm:*)."""

    behavior: str
    tool: str
    content: str | None


class Place(Struct, frozen=True):
    """Where a session works."""

    cwd: str
    home: str
    folders: tuple[str, ...] = ()


def rules_of(answer: Json) -> list[Rule]:
    """The rules in the CLI's answer to `list_permission_rules`."""
    state = answer.get("state")
    listed = state.get("rules") if isinstance(state, dict) else None
    found = []
    for rule in listed or []:
        match = _RULE.match(str(rule.get("rule") or "")) if isinstance(rule, dict) else None
        if match:
            found.append(Rule(str(rule.get("behavior")), match[1], match[2] or None))
    return found


def decide(
    tool: str,
    given: Json,
    rules: Sequence[Rule],
    *,
    mode: str,
    place: Place,
    paths: Sequence[str] = (),
) -> Verdict:
    """Whether a call may run.

    `paths` are the names of its file, as given and without links; of a command, those of all its
    `words`.
    """
    for behavior in ("deny", "ask"):
        ours = [rule for rule in rules if rule.behavior == behavior]
        if any(_touches(rule, tool, given, place, paths) for rule in ours):
            return "deny" if behavior == "deny" or mode == "dontAsk" else "ask"
    if mode == "bypassPermissions":
        return "allow"
    allowing = [rule for rule in rules if rule.behavior == "allow"]
    if _is_allowed(tool, given, allowing, place, paths):
        return "allow"
    # A command may read what a rule keeps from Read: with such rules none is taken for harmless.
    is_kept = tool == "Bash" and any(r.tool == "Read" and r not in allowing for r in rules)
    if not is_kept and _is_harmless(tool, given, mode, place, paths):
        return "allow"
    return "deny" if mode == "dontAsk" else "ask"


def _touches(rule: Rule, tool: str, given: Json, place: Place, paths: Sequence[str]) -> bool:
    """Whether a rule against something has to do with any part of a call."""
    if not _is_for(rule, tool):
        return False
    if rule.content is None:
        return True
    if tool == "Bash":
        return any(_matches_command(rule.content, part) for part in _parts(_command(given)))
    return any(_matches_path(rule.content, path, place) for path in paths)


def _is_allowed(
    tool: str, given: Json, rules: Sequence[Rule], place: Place, paths: Sequence[str]
) -> bool:
    ours = [rule for rule in rules if _is_for(rule, tool)]
    if any(rule.content is None for rule in ours):
        return True
    contents = [rule.content for rule in ours if rule.content is not None]
    if tool == "Bash":
        command = _command(given)
        if command in contents:
            return True
        if _SHELL.search(command):
            return False
        return all(any(_matches_command(c, p) for c in contents) for p in _split(command))
    return bool(paths) and all(any(_matches_path(c, p, place) for c in contents) for p in paths)


def _is_harmless(tool: str, given: Json, mode: str, place: Place, paths: Sequence[str]) -> bool:
    """What the CLI itself would not ask about."""
    inside = all(_is_inside(path, (place.cwd, *place.folders)) for path in paths)
    if tool == "Bash":
        return inside and words(_command(given)) is not None
    if not paths or not inside:
        return False
    return tool == "Read" or (mode == "acceptEdits" and not _is_hidden(paths, place))


def _is_for(rule: Rule, tool: str) -> bool:
    return rule.tool == tool or rule.tool == _FAMILY.get(tool)


# Commands.


def _command(given: Json) -> str:
    return str(given.get("command") or "").strip()


def _split(command: str) -> list[str]:
    """The commands of a line as they stand: what allows must match all of each."""
    return [part.strip() for part in _JOINTS.split(command) if part.strip()] or [""]


def _parts(command: str) -> list[str]:
    """What forbids looks into groups and substitutions, and behind `NAME=value`.

    To allow, both stay: `GIT_EXTERNAL_DIFF=./x git diff` is not `git diff`.
    """
    parts = (part.strip() for part in _INSIDE.split(command))
    return [_ASSIGNMENTS.sub("", part) for part in parts]


def words(command: str) -> list[str] | None:
    """The words of a command that only reads, each of which may name a file; None for others."""
    if _SHELL.search(command):
        return None
    found: list[str] = []
    for part in _split(command):
        if part in _GIT:
            continue
        try:
            name, *rest = shlex.split(part)
        except ValueError:  # a quote without its end, or nothing
            return None
        options = [word for word in rest if word.startswith("-")]
        is_plain = name in _READERS and all(map(_OPTION.fullmatch, options))
        if not is_plain or _EXPANDED.search(_QUOTED.sub("", part)):
            return None
        found += [word for word in rest if not word.startswith("-")]
    return found


def _matches_command(content: str, command: str) -> bool:
    if content.endswith(":*"):
        prefix = content.removesuffix(":*")
        return command == prefix or command.startswith(f"{prefix} ")
    if content.endswith(" *") and command == content.removesuffix(" *"):
        return True
    if "*" in content:
        return fnmatchcase(command, content.replace("[", "[[]").replace("?", "[?]"))
    return command == content


# Paths: patterns are those of .gitignore, from the folder, from home (~/) or from the root (//).


def _matches_path(content: str, path: str, place: Place) -> bool:
    if content.startswith("//"):
        base, pattern = "/", content[2:]
    elif content.startswith("~/"):
        base, pattern = place.home, content[2:]
    else:
        base, pattern = place.cwd, content.removeprefix("./")
    anchored = pattern.startswith("/") or "/" in pattern.rstrip("/") or content[:2] in ("//", "~/")
    if not _is_inside(path, (base,)):
        return False
    relative = path[len(base.rstrip("/")) + 1 :]
    return bool(_pattern(pattern.strip("/"), anchored=anchored).match(relative))


@lru_cache(maxsize=256)
def _pattern(glob: str, *, anchored: bool) -> re.Pattern[str]:
    text = "" if anchored else "(?:.*/)?"
    for piece in re.split(r"(\*\*/|\*\*|\*|\?)", glob):
        text += {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(
            piece, re.escape(piece)
        )
    return re.compile(rf"\A{text}(?:/.*)?\Z", re.DOTALL)


def _is_inside(path: str, folders: Iterable[str]) -> bool:
    path = posixpath.normpath(path)
    return any(path == f or path.startswith(f.rstrip("/") + "/") for f in folders)


def _is_hidden(paths: Sequence[str], place: Place) -> bool:
    """Files that configure or run things have such names; they are not changed unasked."""
    return any("/." in path.removeprefix(place.cwd) for path in paths)

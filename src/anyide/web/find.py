"""Quick open: the files whose path has the letters of a query, in order, the best first."""

from __future__ import annotations

from collections.abc import Iterable

MAX_QUERY = 100
_WORD_START = frozenset("/\\-_. ")


def find(query: str, paths: Iterable[str], limit: int) -> list[str]:
    """Give the best matches; an empty query gives the first paths as they come."""
    wanted = "".join(query.lower().split())[:MAX_QUERY]
    if not wanted:
        return [path for path, _ in zip(paths, range(limit), strict=False)]
    scored = [
        (score(wanted, lowered), len(path), path)
        for path in paths
        if _has(wanted, lowered := path.lower())
    ]
    scored.sort(key=lambda each: (-each[0], each[1], each[2]))
    return [path for _, _, path in scored[:limit]]


def _has(wanted: str, text: str) -> bool:
    # Not an expression: one that looks for letters in order can take for ever to find none.
    at = -1
    for letter in wanted:
        at = text.find(letter, at + 1)
        if at < 0:
            return False
    return True


def score(wanted: str, path: str) -> int:
    """How well a path matches: its name before its folders, runs and word starts before others."""
    name_at = max(path.rfind("/"), path.rfind("\\")) + 1
    name = path[name_at:]
    if wanted in name:
        return 1000 + (500 if name.startswith(wanted) else 0) - len(name)
    if wanted in path:
        return 500
    return _spread(wanted, name) or _spread(wanted, path) // 2


def _spread(wanted: str, text: str) -> int:
    """Points for letters that follow each other or begin a word; 0 when not all are there."""
    points, at = 0, -1
    for letter in wanted:
        found = text.find(letter, at + 1)
        if found < 0:
            return 0
        points += 1 + (5 if found == at + 1 else 0)
        points += 3 if found == 0 or text[found - 1] in _WORD_START else 0
        at = found
    return points

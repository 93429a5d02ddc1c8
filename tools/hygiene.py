"""Checks tracked files: no path of somebody's machine, no host of a registry, no dead link."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

MAX_BYTES = 2_000_000
# Written in parts, so that this file does not name them either.
FORBIDDEN = re.compile(
    "|".join(
        [
            r"/(?:work|farm)" + "/",
            "/root" + "/",
            r"files\." + "pythonhosted",
            r"registry\." + "npmjs",
            r"pypi\." + "org/simple",
            r"deb\." + "debian",
        ]
    )
)


LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")


def main() -> int:
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True)
    problems = [problem for name in listed.stdout.splitlines() for problem in _problems(Path(name))]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def _problems(file: Path) -> list[str]:
    if not file.is_file() or file.stat().st_size > MAX_BYTES:
        return []
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return []
    problems = [
        f"{file}:{number}: names {found[0]!r}"
        for number, line in enumerate(lines, 1)
        if (found := FORBIDDEN.search(line))
    ]
    return problems + (_dead_links(file, lines) if file.suffix == ".md" else [])


def _dead_links(file: Path, lines: list[str]) -> list[str]:
    return [
        f"{file}:{number}: the link {target!r} leads nowhere"
        for number, line in enumerate(lines, 1)
        for target in LINK.findall(line)
        if not (file.parent / target).exists()
    ]


if __name__ == "__main__":
    sys.exit(main())

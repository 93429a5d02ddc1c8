"""Where the Claude Code CLI is on this machine."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from anyide.errors import ClaudeNotFound

NAME = "claude"
ADVICE = (
    "install Claude Code (https://claude.com/claude-code), or say where it is with --claude FILE "
    "or ANYIDE_CLAUDE"
)


def find_claude(name: str = NAME, *, env: Mapping[str, str] | None = None) -> str:
    """The path of the CLI: by its name on PATH or in the usual places, or at the path given.

    Raises ClaudeNotFound, with what to do about it.
    """
    env = os.environ if env is None else env
    found = shutil.which(os.path.expanduser(name), path=env.get("PATH", ""))  # noqa: PTH111
    if found is not None:
        return found
    if name != NAME:
        raise ClaudeNotFound(f"{name} is not a program that can be started; {ADVICE}")
    for place in _usual_places(env):
        if place.is_file() and os.access(place, os.X_OK):
            return str(place)
    raise ClaudeNotFound(f"the Claude Code CLI was not found; {ADVICE}")


def _usual_places(env: Mapping[str, str]) -> Iterator[Path]:
    name = f"{NAME}.exe" if sys.platform == "win32" else NAME
    home = Path(env.get("HOME") or env.get("USERPROFILE") or Path.home())
    yield home / ".local" / "bin" / name
    yield home / ".claude" / "local" / name
    yield home / ".npm-global" / "bin" / name
    yield Path("/opt/homebrew/bin") / name
    yield Path("/usr/local/bin") / name
    # The Python SDK carries the CLI; its package is looked at, not imported: that takes long.
    sdk = importlib.util.find_spec("claude_agent_sdk")
    for folder in (sdk.submodule_search_locations or []) if sdk else []:
        yield Path(folder) / "_bundled" / name

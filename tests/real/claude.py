"""Where the real CLI is, and a home for it in which no first-run dialog shows."""

from __future__ import annotations

import importlib.util
import json
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.real.model import StandInModel

API_KEY = "sk-ant-stand-in-0123456789abcdefghij"
_INHERITED = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "USER", "LOGNAME", "SYSTEMROOT")


@cache
def cli_path() -> Path:
    """Return the CLI that the wheel `claude-agent-sdk` carries, without importing the package."""
    spec = importlib.util.find_spec("claude_agent_sdk")
    if spec is None or not spec.submodule_search_locations:
        raise AssertionError("claude-agent-sdk is not installed: it carries the CLI for the tests")
    name = "claude.exe" if os.name == "nt" else "claude"
    return Path(spec.submodule_search_locations[0], "_bundled", name)


class Home:
    """A HOME of a test's own: onboarding done, the key approved, the projects trusted."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._scratch = path / "tmp"
        self._scratch.mkdir(parents=True, exist_ok=True)
        self._write(
            {
                "hasCompletedOnboarding": True,
                "theme": "dark",
                "customApiKeyResponses": {"approved": [API_KEY[-20:]], "rejected": []},
                "projects": {},
            }
        )

    @property
    def ide_folder(self) -> Path:
        """Where the CLI looks for lock files."""
        return self.path / ".claude" / "ide"

    def trust(self, project: Path) -> None:
        """Answer the trust dialog of a project beforehand."""
        config = json.loads(self._config.read_text())
        accepted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        known = config.setdefault("projects", {}).get(str(project), {})
        # A CLI that runs in this home writes the file too: leave it alone when nothing is new.
        if accepted.items() <= known.items():
            return
        config["projects"][str(project)] = {**known, **accepted}
        self._write(config)

    def environment(self, model: StandInModel, **extra: str) -> dict[str, str]:
        """Return a clean environment: nothing of the developer's Claude or Anthropic settings."""
        kept = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        return {
            "LANG": "C.UTF-8",
            **kept,
            "HOME": str(self.path),
            "USERPROFILE": str(self.path),
            "TMPDIR": str(self._scratch),
            "CLAUDE_CODE_TMPDIR": str(self._scratch),
            "SHELL": "/bin/sh",
            "TERM": "xterm-256color",
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": API_KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "NO_PROXY": "127.0.0.1,localhost,::1",
            "no_proxy": "127.0.0.1,localhost,::1",
            **extra,
        }

    @property
    def _config(self) -> Path:
        return self.path / ".claude.json"

    def _write(self, config: dict[str, Any]) -> None:
        fresh = self.path / ".claude.json.new"
        fresh.write_text(json.dumps(config))
        fresh.replace(self._config)

"""Where state and logs are kept."""

from __future__ import annotations

import os
from pathlib import Path

from anyide.errors import StateError


def state_directory() -> Path:
    """Where state and logs are kept: `ANYIDE_STATE_DIR`, or what the platform says."""
    if named := os.environ.get("ANYIDE_STATE_DIR"):
        return Path(named)
    import platformdirs  # noqa: PLC0415 - slow, and not needed by who gives a path

    return platformdirs.user_state_path("anyide", appauthor=False)


def make_private_directory(directory: Path) -> None:
    """Make a directory that only its owner can enter; raises `StateError`."""
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        # One that is there already may be shared on purpose: our files are private all the same.
        directory.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise cannot_keep(directory, error.strerror) from error


def cannot_keep(path: Path | str, why: str | None) -> StateError:
    """The error for a place where nothing can be kept."""
    return StateError(
        f"cannot keep state in {path}: {why}; ANYIDE_STATE_DIR can name another directory"
    )

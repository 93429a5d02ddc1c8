"""The policy of a workspace, from its configuration and its `.anyideignore` files."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from anyide.config import Sharing
from anyide.ide.paths import flavour_of
from anyide.ide.policy import Policy

IGNORE_FILE = ".anyideignore"
MAX_IGNORE_BYTES = 64 * 1024

log = logging.getLogger(__name__)


def policy_for(folders: Sequence[Path], sharing: Sharing) -> Policy:
    """What may be shared of these folders; raises ConfigError for a pattern that is none."""
    policy = Policy(
        folders=tuple(os.path.realpath(folder) for folder in folders),
        deny=sharing.deny,
        max_selection=sharing.max_selection,
        project={os.path.realpath(folder): _ignored(folder) for folder in folders},
        paused=sharing.paused,
        flavour=flavour_of(sys.platform, os.environ),
    )
    for problem in policy.problems:
        log.warning("%s", problem)
    return policy


def _ignored(folder: Path) -> list[str]:
    """The patterns of a project; where they cannot be read, everything is denied."""
    file = folder / IGNORE_FILE
    try:
        with file.open("rb") as opened:
            data = opened.read(MAX_IGNORE_BYTES + 1)
    except FileNotFoundError:
        return []
    except OSError as error:
        log.warning("%s cannot be read, so nothing is shared: %s", file, error.strerror)
        return ["*"]
    if len(data) > MAX_IGNORE_BYTES:
        log.warning("%s has more than %d bytes, so nothing is shared", file, MAX_IGNORE_BYTES)
        return ["*"]
    return data.decode("utf-8", errors="replace").splitlines()

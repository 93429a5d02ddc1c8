"""What cannot be kept is not worth failing for: people go on, and the log says so."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

from anyide.errors import StateError

log = logging.getLogger(__name__)


@contextlib.contextmanager
def keeping(what: str) -> Iterator[None]:
    """Go on when the state fails."""
    try:
        yield
    except StateError as error:
        log.warning("%s is not kept: %s", what, error)

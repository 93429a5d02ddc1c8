"""What is logged: to stderr, and to a rotated file beside the state.

Secrets never get there: `keep_secret` makes every later line leave a value out, traceback included.
"""

from __future__ import annotations

import logging
import logging.handlers
import os
from typing import IO, TYPE_CHECKING

from anyide.errors import StateError
from anyide.state.directory import make_private_directory, state_directory

if TYPE_CHECKING:
    from pathlib import Path

MAX_LOG_BYTES = 1024 * 1024
OLD_LOGS = 3
REDACTED = "[secret]"

_secrets: set[str] = set()
_handlers: list[logging.Handler] = []


def keep_secret(value: str) -> None:
    """Leave this value out of everything that is logged from now on."""
    if value:
        _secrets.add(value)


def log_path() -> Path:
    """Where the log file is."""
    return state_directory() / "anyide.log"


def configure_logging(level: str, *, to_file: bool) -> None:
    """Log what anyide does to stderr, and to the log file too if asked.

    Raises `StateError` if the file cannot be written; stderr is set up all the same.
    """
    logger = logging.getLogger("anyide")
    for handler in _handlers:
        logger.removeHandler(handler)
        handler.close()
    _handlers.clear()
    logger.setLevel(level.upper())
    _add(logger, logging.StreamHandler(), "anyide: %(levelname)s: %(message)s")
    if to_file:
        _add(logger, _open_log(log_path()), "%(asctime)s %(levelname)s %(name)s: %(message)s")


def _add(logger: logging.Logger, handler: logging.Handler, layout: str) -> None:
    handler.setFormatter(Redacting(layout))
    logger.addHandler(handler)
    _handlers.append(handler)


class Redacting(logging.Formatter):
    """A layout that leaves secrets out of the whole line, its traceback included."""

    def format(self, record: logging.LogRecord) -> str:
        """Lay out a record without the secrets in it."""
        text = super().format(record)
        # The longest first: a secret may be a part of another.
        for secret in sorted(_secrets, key=len, reverse=True):
            text = text.replace(secret, REDACTED)
        return text


class PrivateLog(logging.handlers.RotatingFileHandler):
    """A rotated log file that only its owner can read."""

    def _open(self) -> IO[str]:  # type: ignore[override]  # typeshed asks for the very class
        return open(self.baseFilename, self.mode, encoding="utf-8", opener=_open_private)


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _open_log(path: Path) -> PrivateLog:
    make_private_directory(path.parent)
    try:
        return PrivateLog(path, maxBytes=MAX_LOG_BYTES, backupCount=OLD_LOGS, encoding="utf-8")
    except OSError as error:
        raise StateError(f"cannot write the log {path}: {error.strerror}") from error

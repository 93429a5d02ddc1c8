"""Importing much at once, quickly."""

from __future__ import annotations

import contextlib
import gc
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def importing() -> Iterator[None]:
    """Look for no garbage meanwhile: what is imported stays, and to search it takes a tenth longer.

    It is not searched later either, so that the pauses of a long run are shorter.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()


def import_asyncio_without_tls() -> None:
    """Import asyncio as if there were no `ssl`, a sixth of its time; for who needs no TLS.

    Others can import `ssl` as ever, but no connection of asyncio in this process can be encrypted.
    """
    if "asyncio" not in sys.modules and "ssl" not in sys.modules:
        sys.modules["ssl"] = None  # type: ignore[assignment]
        try:
            import asyncio  # noqa: F401
        finally:
            del sys.modules["ssl"]

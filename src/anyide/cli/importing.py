"""Importing much at once, quickly."""

from __future__ import annotations

import contextlib
import gc
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

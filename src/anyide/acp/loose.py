"""JSON that may be of any shape: what the model wrote, what another version sent. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def text_in(found: Any, name: str) -> str:
    """The text in a field; nothing where there is no text."""
    value = found.get(name) if isinstance(found, Mapping) else None
    return value if isinstance(value, str) else ""


def objects_in(found: Any) -> list[dict[str, Any]]:
    """The objects in a list; none where there is no list."""
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []

"""What a client declared that it can show. Pure."""

from __future__ import annotations

from msgspec import Struct


class Wishes(Struct, frozen=True, kw_only=True):
    """What the client declared that it can show."""

    notices: bool = False
    compaction: bool = False

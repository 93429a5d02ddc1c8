"""The pages that are connected right now, told as one."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

Tell = Callable[[str, msgspec.Struct], None]


class Pages:
    """Any number of windows on one editor; each is told everything that the others do."""

    def __init__(self) -> None:
        self.joined = 0  # how many ever did
        self._tell: dict[object, Tell] = {}

    def __len__(self) -> int:
        return len(self._tell)

    def join(self, page: object, tell: Tell) -> None:
        """Tell a page from now on."""
        self._tell[page] = tell
        self.joined += 1

    def leave(self, page: object) -> None:
        """Tell a page no more; one that never joined is no error."""
        self._tell.pop(page, None)

    def tell(self, method: str, params: msgspec.Struct, *, but: object = None) -> None:
        """Say something to every page, except to the one that knows it already."""
        for page, tell in tuple(self._tell.items()):
            if page is not but:
                tell(method, params)

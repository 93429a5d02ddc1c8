"""Where the symbolic links of a path lead, remembered as long as it leads to the same file.

To resolve a path looks at each of its folders; to see that it still leads to the same file is one
look. A file that was changed or replaced has another time of change, so it is resolved anew.
"""

from __future__ import annotations

import os
from collections import OrderedDict

MAX_REMEMBERED = 1024

_known: OrderedDict[str, tuple[tuple[int, int, int], str]] = OrderedDict()


def real_path(path: str) -> str:
    """The path without symbolic links."""
    try:
        found = os.stat(path)  # noqa: PTH116 - strings all along, and this is the hot path
    except OSError:
        return os.path.realpath(path)
    same = (found.st_dev, found.st_ino, found.st_ctime_ns)
    known = _known.get(path)
    if known is not None and known[0] == same:
        return known[1]
    real = os.path.realpath(path)
    _known[path] = (same, real)
    _known.move_to_end(path)
    if len(_known) > MAX_REMEMBERED:
        _known.popitem(last=False)
    return real

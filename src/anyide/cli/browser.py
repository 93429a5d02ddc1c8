"""A person's browser, opened where there is one to see."""

from __future__ import annotations

import os
import sys


def can_open_browser() -> bool:
    """Whether opening one would show a window and not take over the terminal."""
    if sys.platform in ("win32", "darwin") or os.environ.get("BROWSER"):
        return True
    if os.environ.get("WSL_DISTRO_NAME"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_browser(link: str) -> bool:
    """Open a link; False when there is no browser. It may take a while: not for an event loop."""
    import webbrowser

    try:
        return can_open_browser() and webbrowser.open(link)
    except webbrowser.Error:
        return False

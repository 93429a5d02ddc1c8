"""A real Chromium: the system's, or the one that Playwright fetched."""

from __future__ import annotations

import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find_chromium() -> str | None:
    """Give its path; None leaves the choice to Playwright."""
    named = os.environ.get("ANYIDE_CHROMIUM")
    return named or next((found for name in NAMES if (found := shutil.which(name))), None)

"""How soon the page's command is ready; what it does is in test_open.py and test_serve.py."""

from __future__ import annotations

import subprocess
import sys

LATE = ("starlette", "uvicorn", "watchfiles", "http.client")


def test_what_only_the_page_needs_does_not_hold_up_the_lock() -> None:
    code = f"import anyide.cli.page, sys; print(*set({LATE}) & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == []

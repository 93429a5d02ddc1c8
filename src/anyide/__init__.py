"""anyide: any editor, any browser, any program as a partner of the Claude Code CLI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anyide.headless.blocking import ask as ask

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name == "ask":
        from anyide.headless.blocking import ask  # noqa: PLC0415 - `import anyide` must be instant

        return ask
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

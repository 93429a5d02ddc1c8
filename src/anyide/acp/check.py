"""What holds back a tool of the client: the person's rules, or what cannot be done."""

from __future__ import annotations

from typing import Protocol

from anyide.errors import AnyideError


class Refused(AnyideError):
    """A tool cannot do what the model wants; the text tells the model why."""


class Check(Protocol):
    """Raises Refused for a call that the person's rules deny."""

    async def __call__(self, builtin: str, given: dict[str, object]) -> None:
        """Look at the rules."""
        ...


def denial(builtin: str) -> str:
    """What the model is told of a call that a rule denies."""
    return f"Permission to use {builtin} has been denied by a rule."

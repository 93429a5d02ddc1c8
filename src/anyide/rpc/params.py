"""Reading the params of a call as a typed value, with errors that name the argument."""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET

from anyide.errors import InvalidParams

T = TypeVar("T")

_PLACE = re.compile(r"^(?P<problem>.*?)(?: - at `(?:key in )?\$\.?(?P<place>[^`]*)`)?$", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(?P<name>[^`]*)`")


def decode_params(params: Any, kind: type[T]) -> T:
    """Read params, raw or left out, as `kind`; raises InvalidParams, which names the argument."""
    try:
        return msgspec.json.decode(b"{}" if params is UNSET else params, type=kind)
    except msgspec.ValidationError as error:
        raise InvalidParams(explain(str(error))) from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidParams(f"the params cannot be read: {error}") from error


def explain(problem: str) -> str:
    """Turn what msgspec says into a sentence that begins with the argument's name."""
    match = _PLACE.match(problem)
    assert match is not None  # every part of the pattern is optional
    text, place = match["problem"].replace("`", ""), match["place"] or ""
    if missing := _MISSING.match(problem):
        name = ".".join(filter(None, [place, missing["name"]]))
        return f"{name} is missing"
    lowered = text[:1].lower() + text[1:]
    return f"{place}: {lowered}" if place else f"params: {lowered}"

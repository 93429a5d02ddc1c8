from __future__ import annotations

import re

from anyide import errors
from anyide.errors import AnyideError, ConfigError, UsageError


def classes() -> list[type[AnyideError]]:
    return [
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, AnyideError)
    ]


def drawn_tree() -> list[tuple[int, str]]:
    """The depth and name of each class in the drawing of the docstring."""
    lines = (errors.__doc__ or "").splitlines()
    found = [re.match(r"    ([│├└─ ]*)(\w+)  +\S", line) for line in lines]
    return [(len(match[1]) // 4, match[2]) for match in found if match]


def test_the_drawing_shows_every_error_under_its_parent() -> None:
    path: list[str] = []
    parents = {}
    for depth, name in drawn_tree():
        path[depth:] = [name]
        parents[name] = path[depth - 1] if depth else "Exception"
    real = {error.__name__: error.__mro__[1].__name__ for error in classes()}
    assert parents == real


def test_every_error_says_what_it_means() -> None:
    assert [error.__name__ for error in classes() if not error.__doc__] == []


def test_a_config_error_names_file_and_line() -> None:
    assert str(ConfigError("odd", source="a.toml", line=3)) == "a.toml, line 3: odd"
    assert str(ConfigError("odd", source="--port")) == "--port: odd"
    assert issubclass(ConfigError, UsageError)

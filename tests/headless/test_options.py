from __future__ import annotations

from typing import Any

import msgspec
import pytest

from anyide.headless.argv import FIXED, words
from anyide.headless.options import Options

FIELDS = msgspec.structs.fields(Options)


def test_every_option_has_a_default() -> None:
    assert [field.name for field in FIELDS if field.required] == []


def test_options_that_are_not_given_say_nothing_to_the_cli() -> None:
    def spill(name: str, text: str) -> str:
        raise AssertionError(name)

    assert words(Options(), asks_permission=False, spill=spill) == list(FIXED)


def test_what_is_on_unless_said_otherwise() -> None:
    on = [field.name for field in FIELDS if getattr(Options(), field.name) is True]
    assert on == ["persist", "per_task_stop"]


def test_two_sessions_share_no_default() -> None:
    one, other = Options(), Options()
    for field in FIELDS:
        value = getattr(one, field.name)
        assert not isinstance(value, dict) or value is not getattr(other, field.name)


def test_options_can_not_be_changed_afterwards() -> None:
    options: Any = Options(model="m")
    with pytest.raises(AttributeError):
        options.model = "other"


def test_a_variant_is_a_copy_with_a_difference() -> None:
    options = Options(model="m", allowed_tools=["Read"])
    other = msgspec.structs.replace(options, model="n")
    assert (options.model, other.model) == ("m", "n")
    assert other.allowed_tools == ["Read"]


@pytest.mark.parametrize("given", [{"modle": "m"}, {"Model": "m"}, {"type": "x"}])
def test_an_option_that_is_not_there_is_an_error_that_names_it(given: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=next(iter(given))):
        Options(**given)


def test_options_are_given_by_name_only() -> None:
    make: Any = Options
    with pytest.raises(TypeError, match="positional"):
        make("/w")

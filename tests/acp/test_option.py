from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from anyide.acp.messages import SessionConfigOptionSelect, TextContent
from anyide.acp.option import BYPASS, Choices, commands, config_options, first_choices, modes
from anyide.acp.prompt import to_claude
from tests.acp.schema import check

MODELS = [
    {
        "value": "default",
        "displayName": "Default",
        "description": "Sonnet",
        "resolvedModel": "claude-sonnet-5",
        "supportedEffortLevels": ["low", "high"],
        "supportsAutoMode": True,
    },
    {"value": "haiku", "resolvedModel": "claude-haiku-5"},
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["value", "name", "displayName", "supportedEffortLevels", "argumentHint"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)
INFO = st.dictionaries(
    st.sampled_from(["models", "current_model", "current_permission_mode"]), JSON
)


def begin(model: str | None = None, *, may_bypass: bool = False, **info: Any) -> Choices:
    return first_choices({"models": MODELS, **info}, model=model, may_bypass=may_bypass)


def selects(choices: Choices) -> dict[str, tuple[str, list[str]]]:
    found = {}
    for option in config_options(choices):
        assert isinstance(option, SessionConfigOptionSelect)
        values: Any = option.options
        found[option.id] = (option.current_value, [value.value for value in values])
    return found


@given(INFO, st.none() | st.text(max_size=5))
def test_whatever_the_cli_tells_there_is_something_to_choose(info: Any, model: str | None) -> None:
    choices = first_choices(info, model=model, may_bypass=False)
    check("SessionModeState", msgspec.to_builtins(modes(choices)))
    for option in config_options(choices):
        check("SessionConfigOption", msgspec.to_builtins(option))
    for current, values in selects(choices).values():
        assert current in values


@given(JSON)
def test_whatever_is_listed_the_commands_pass_the_schema(found: Any) -> None:
    for command in commands(found):
        check("AvailableCommand", msgspec.to_builtins(command))


@pytest.mark.parametrize(
    ("asked", "current", "found"),
    [
        (None, None, "default"),
        (None, "claude-haiku-5", "haiku"),
        ("haiku", "claude-sonnet-5", "haiku"),
        ("claude-sonnet-5", None, "default"),
        ("my-own", None, "my-own"),
    ],
)
def test_the_model_is_found_by_either_name(asked: Any, current: Any, found: str) -> None:
    choices = begin(asked, current_model=current)
    assert choices.model == found
    current_value, values = selects(choices)["model"]
    assert current_value == found
    assert current_value in values


def test_without_models_there_is_none_to_choose() -> None:
    assert list(selects(begin(models=None))) == ["mode"]
    assert begin(models=[{"displayName": "?"}, 3]).model == "default"


def test_effort_is_offered_where_the_model_has_it() -> None:
    choices = structs.replace(begin(), effort="high")
    assert selects(choices)["effort"] == ("high", ["default", "low", "high"])
    other = structs.replace(choices, effort="max")
    assert selects(other)["effort"][0] == "default"
    assert "effort" not in selects(structs.replace(choices, model="haiku"))
    assert "effort" not in selects(structs.replace(choices, model="my-own"))


def test_bypass_is_offered_only_where_it_is_allowed() -> None:
    assert BYPASS not in begin().mode_ids
    assert BYPASS in begin(may_bypass=True).mode_ids


def test_auto_needs_a_model_that_can_do_it() -> None:
    assert "auto" in begin().mode_ids
    assert "auto" not in begin("haiku").mode_ids


def test_the_mode_in_force_is_shown_even_if_it_is_not_known() -> None:
    choices = begin(current_permission_mode="later")
    state = modes(choices)
    assert state.current_mode_id == "later"
    assert [mode.name for mode in state.available_modes][-1] == "later"
    assert selects(choices)["mode"][0] == "later"


def test_commands_that_need_the_terminal_are_not_offered() -> None:
    found = commands([{"name": "clear"}, {"name": "review", "argumentHint": "[pr]"}, {"name": ""}])
    assert [msgspec.to_builtins(command) for command in found] == [
        {"name": "review", "description": "", "input": {"hint": "[pr]"}}
    ]


@pytest.mark.parametrize(
    ("name", "offered", "sent"),
    [  # the CLI takes what is sent, the plugin's name apart, which was not tried
        ("server:greet (MCP)", "mcp:server:greet", "/server:greet (MCP)"),
        ("plugin:a:b:greet (MCP)", "mcp:plugin:a:b:greet", "/plugin:a:b:greet (MCP)"),
        ("my srv:greet (MCP)", "mcp__my_srv__greet", "/mcp__my_srv__greet"),
        ("review", "review", "/review"),
    ],
)
def test_a_command_that_is_offered_can_be_typed(name: str, offered: str, sent: str) -> None:
    (command,) = commands([{"name": name}])
    assert command.name == offered
    assert to_claude([TextContent(text=f"/{offered} x")])[0]["text"] == f"{sent} x"


def test_a_command_that_cannot_be_typed_is_not_offered() -> None:
    assert commands([{"name": "srv:two words (MCP)"}, {"name": "two words (MCP)"}]) == []

from __future__ import annotations

from anyide.cli.option import add_settings, typed_settings
from anyide.cli.parser import Parser
from anyide.setting import SETTINGS


def parse(*words: str) -> dict[str, object]:
    parser = Parser(prog="anyide go", about="Go.")
    add_settings(parser)
    return typed_settings(parser.parse_args(list(words)))


def test_every_setting_is_an_option_and_not_typed_is_none() -> None:
    assert parse() == dict.fromkeys((setting.name for setting in SETTINGS), None)


def test_what_was_typed_is_given_by_the_name_of_its_setting() -> None:
    typed = parse("--port", "7", "--paused", "--deny", "a", "--deny", "b", "--dialect", "obsidian")
    assert typed["ide.port"] == "7"
    assert typed["sharing.paused"] is True
    assert typed["sharing.deny"] == ["a", "b"]
    assert typed["ide.dialect"] == "obsidian"
    assert typed["ide.name"] is None

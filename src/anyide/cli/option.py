"""Options that set a setting for one run, made from the table of settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyide.setting import BY_NAME

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable

    from anyide.cli.parser import Parser


def add_settings(parser: Parser, names: Iterable[str] = tuple(BY_NAME)) -> None:
    """Offer these settings as options."""
    for name in names:
        setting = BY_NAME[name]
        if isinstance(setting.default, bool):
            parser.add_argument(
                setting.flag, dest=name, action="store_true", default=None, help=setting.help
            )
            continue
        parser.add_argument(
            setting.flag,
            dest=name,
            action="append" if isinstance(setting.default, tuple) else "store",
            choices=setting.choices or None,
            metavar=None if setting.choices else _METAVARS.get(name, "TEXT"),
            help=setting.help,
        )


_METAVARS = {
    "ide.port": "PORT",
    "sharing.deny": "PATTERN",
    "sharing.max_selection": "COUNT",
    "claude": "FILE",
}


def typed_settings(args: Namespace) -> dict[str, object]:
    """What was typed for settings, as `config.load` takes it."""
    return {name: value for name, value in vars(args).items() if name in BY_NAME}

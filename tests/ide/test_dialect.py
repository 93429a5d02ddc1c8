from __future__ import annotations

import pytest

from anyide.editor.model import Severity
from anyide.ide.dialect import DIALECTS, JETBRAINS, OBSIDIAN, VSCODE, Dialect


def test_each_dialect_is_found_by_its_name() -> None:
    assert list(DIALECTS) == ["vscode", "jetbrains", "obsidian"]
    assert all(dialect.name == name for name, dialect in DIALECTS.items())


@pytest.mark.parametrize("dialect", DIALECTS.values())
def test_every_severity_has_a_word(dialect: Dialect) -> None:
    assert set(dialect.severities) == set(Severity)


def test_no_dialect_answers_a_diff_with_what_the_cli_takes_for_yes() -> None:
    # TAB_CLOSED is a word of `close_tab` alone; a review has other words.
    assert {VSCODE.tab_closed, OBSIDIAN.tab_closed} == {"TAB_CLOSED"}
    assert (JETBRAINS.tab_closed, JETBRAINS.tab_not_found) == ("OK", "Tab not found")

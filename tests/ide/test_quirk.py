from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyide.ide.quirk import text_to_save


def write_as_the_cli_does(text: str) -> str | None:
    """What CLI 2.1.325 does with the text of a new file; the tests with the real one prove it."""
    return None if text == "" else text.removesuffix("\n")


@given(st.text())
def test_what_was_accepted_is_what_the_cli_writes_into_a_new_file(text: str) -> None:
    sent = text_to_save(text, is_new_file=True, to_real_cli=True)
    assert write_as_the_cli_does(sent) == text


@pytest.mark.parametrize(("is_new_file", "to_real_cli"), [(True, False), (False, True)])
@given(text=st.text())
def test_nobody_else_and_no_other_file_gets_another_text(
    text: str, is_new_file: bool, to_real_cli: bool
) -> None:
    assert text_to_save(text, is_new_file=is_new_file, to_real_cli=to_real_cli) == text

from __future__ import annotations

import json
import tomllib

from hypothesis import given
from hypothesis import strategies as st

from anyide.toml import key_lines


def test_lines_are_found_in_every_form_that_toml_has() -> None:
    text = (
        "top = 1 # [not.a.table]\n\n\"quo.ted\" = '#'\n"
        "[a.b] # header\nlist = [ # [\n  \"]\", '[',\n"
        ']\nlong = """\nx = 1\n[y]\\\\"""""\nraw = \'\'\'\n"""\'\'\'\'\n'
        "last.'d o t' = {in = {side = 1}}\n[[many]]\nz = 1\n[[many]]\n"
    )
    assert key_lines(text) == {
        ("top",): 1,
        ("quo.ted",): 3,
        ("a",): 4,
        ("a", "b"): 4,
        ("a", "b", "list"): 5,
        ("a", "b", "long"): 8,
        ("a", "b", "raw"): 11,
        ("a", "b", "last"): 13,
        ("a", "b", "last", "d o t"): 13,
        ("a", "b", "last", "d o t", "in"): 13,
        ("a", "b", "last", "d o t", "in", "side"): 13,
        ("many",): 14,
        ("many", "z"): 15,
    }


keys = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8)
toml_text = st.text(st.sampled_from("ab \"'[]{}#=,.\\\n"), max_size=40)


@given(st.dictionaries(keys, toml_text, max_size=5))
def test_lines_are_found_whatever_keys_and_values_contain(document: dict[str, str]) -> None:
    lines = [
        f"{json.dumps(key, ensure_ascii=False)} = {json.dumps(text)}"
        for key, text in document.items()
    ]
    found = key_lines("\n".join(lines))
    assert found == {(key,): number for number, key in enumerate(document, 1)}


@given(st.text(st.sampled_from("ab1 \"'[]{}#=,.\\\n"), max_size=60))
def test_whatever_tomllib_accepts_gets_its_lines(text: str) -> None:
    try:
        document = tomllib.loads(text)
    except ValueError:
        return
    found = key_lines(text)
    assert {path[0] for path in found} == set(document)
    assert all(1 <= line <= text.count("\n") + 1 for line in found.values())

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyide.acp.notebook import NotebookProblem, changed, shown, source_of

Json = dict[str, Any]


def code(source: Any, **fields: Any) -> Json:
    cell = {"cell_type": "code", "metadata": {}, "source": source}
    return {**cell, "outputs": [], "execution_count": None, **fields}


def book(*cells: Json, indent: int | None = 1, minor: int = 5) -> str:
    whole = {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": minor}
    return json.dumps(whole, indent=indent, ensure_ascii=False) + "\n"


TWO = book(code(["a = 1\n", "b = 2"], id="one"), {"cell_type": "markdown", "source": "# Hi"})


def cells(text: str) -> list[Json]:
    found: list[Json] = json.loads(text)["cells"]
    return found


def test_cells_are_shown_with_ids_and_what_they_printed() -> None:
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": ["3\n", "4\n"]},
        {"output_type": "execute_result", "data": {"text/plain": "42", "text/html": "<b>"}},
        {"output_type": "display_data", "data": {"image/png": "iVBOR"}},
        {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": []},
        {"output_type": "of another kind"},
        "rubbish",
    ]
    assert shown(book(code("print(3)", id="x", outputs=outputs), {"source": "# Hi"})) == (
        '<cell id="x" type="code">\nprint(3)\n</cell>\n'
        "<output>\n3\n4\n</output>\n<output>\n42\n</output>\n<output>\n[image/png]\n</output>\n"
        "<output>\nValueError: no\n</output>\n"
        '<cell id="cell-1" type="code">\n# Hi\n</cell>'
    )


def test_a_long_output_is_cut() -> None:
    output = {"output_type": "stream", "text": "x" * 50_000}
    assert len(shown(book(code("", outputs=[output])))) < 11_000


def test_a_replaced_cell_loses_what_its_old_source_printed() -> None:
    text = book(code("1", id="x", outputs=[{"output_type": "stream"}], execution_count=7))
    (cell,) = cells(changed(text, "2\n3\n", cell_id="x"))
    assert cell == code(["2\n", "3\n"], id="x")


def test_a_cell_can_become_one_of_another_kind() -> None:
    (cell, _) = cells(changed(TWO, "# now text", cell_id="one", cell_type="markdown"))
    assert cell == {"cell_type": "markdown", "id": "one", "metadata": {}, "source": ["# now text"]}


def test_a_cell_is_inserted_after_another_or_first() -> None:
    after = cells(changed(TWO, "new", cell_id="one", cell_type="markdown", edit_mode="insert"))
    assert [cell["cell_type"] for cell in after] == ["code", "markdown", "markdown"]
    assert len(after[1]["id"]) == 8
    first = cells(changed(TWO, "new", edit_mode="insert"))
    assert first[0]["source"] == ["new"]
    assert first[0]["outputs"] == []
    old = cells(changed(book(code("1"), minor=4), "new", edit_mode="insert"))
    assert "id" not in old[0]


def test_a_cell_is_deleted_by_its_number_where_it_has_no_id() -> None:
    assert [
        cell["id"] for cell in cells(changed(TWO, "", cell_id="cell-1", edit_mode="delete"))
    ] == ["one"]


@pytest.mark.parametrize("indent", [None, 1, 2, 4])
def test_the_form_of_the_file_stays(indent: int | None) -> None:
    text = book(code(["ä = 'ü\\u2028'"], id="x"), code(["2"], id="y"), indent=indent)
    again = changed(text, "ä = 'ü\\u2028'", cell_id="x")
    if indent is None:
        assert json.loads(again) == json.loads(text)
        assert "\n" not in again.rstrip("\n")
    else:
        assert again == text


@pytest.mark.parametrize(
    ("text", "fields", "problem"),
    [
        ("{", {}, "not valid JSON"),
        ("[]", {}, "no cells"),
        ('{"cells": [3]}', {}, "a cell is no object"),
        (TWO, {}, "Give its cell_id"),
        (TWO, {"cell_id": "none"}, "no cell 'none'"),
        (TWO, {"cell_id": "one", "edit_mode": "burn"}, "no edit_mode 'burn'"),
    ],
)
def test_what_does_not_fit_is_refused(text: str, fields: Json, problem: str) -> None:
    with pytest.raises(NotebookProblem, match=problem):
        changed(text, "x", **fields)


def test_the_source_of_a_cell() -> None:
    assert source_of(TWO, "one") == "a = 1\nb = 2"
    assert source_of(TWO, "cell-1") == "# Hi"
    assert source_of(TWO, "none") is None
    assert source_of("rubbish", "one") is None


@given(st.text())
def test_a_source_comes_back_as_it_was_given(source: str) -> None:
    assert source_of(changed(TWO, source, cell_id="one"), "one") == source


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["cells", "source", "outputs", "id", "data", "text", "nbformat"]),
            inner,
            max_size=4,
        )
    ),
)


@given(json_values)
def test_rubbish_is_shown_or_refused(value: Any) -> None:
    text = json.dumps({"cells": value})
    try:
        shown(text)
        changed(text, "x", edit_mode="insert")
    except NotebookProblem:
        pass

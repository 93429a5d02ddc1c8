"""Jupyter notebooks as the model reads and changes them: cell by cell. Pure."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from typing import Any

import msgspec

from anyide.errors import AnyideError

SUFFIX = ".ipynb"
MAX_OUTPUT = 10_000

_INDENT = re.compile(r"\A\{\n(\s+)\S")

Json = dict[str, Any]


class NotebookProblem(AnyideError):
    """A text is no notebook, or a change does not fit it."""


def shown(text: str) -> str:
    """The cells, each with its id, its source and what it printed."""
    return "\n".join(_shown(cell, number) for number, cell in enumerate(_cells(_read(text))))


def source_of(text: str, cell_id: object) -> str | None:
    """The source of one cell, or None where there is no such cell."""
    try:
        cells = _cells(_read(text))
        return _source(cells[_find(cells, cell_id)])
    except NotebookProblem:
        return None


def before(text: str, given: Mapping[str, Any]) -> str | None:
    """What a call starts from: the text of its file, or of a notebook the source of its cell."""
    return source_of(text, given.get("cell_id")) if "notebook_path" in given else text


def changed(
    text: str,
    new_source: str,
    *,
    cell_id: str | None = None,
    cell_type: str | None = None,
    edit_mode: str = "replace",
) -> str:
    """The notebook with one cell replaced, inserted after another, or deleted."""
    notebook = _read(text)
    cells = _cells(notebook)
    if edit_mode == "insert":
        at = 0 if cell_id is None else _find(cells, cell_id) + 1
        cells.insert(at, _new_cell(notebook, cell_type or "code", new_source))
    elif edit_mode == "delete":
        del cells[_find(cells, cell_id)]
    elif edit_mode == "replace":
        _replace(cells[_find(cells, cell_id)], cell_type, new_source)
    else:
        raise NotebookProblem(f"There is no edit_mode {edit_mode!r}.")
    return _written(notebook, like=text)


def _read(text: str) -> Json:
    try:
        notebook = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise NotebookProblem(f"The notebook is not valid JSON: {error}.") from error
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise NotebookProblem("This is no notebook: it has no cells.")
    return notebook


def _cells(notebook: Json) -> list[Json]:
    cells: list[Json] = notebook["cells"]
    if not all(isinstance(cell, dict) for cell in cells):
        raise NotebookProblem("This is no notebook: a cell is no object.")
    return cells


def _find(cells: list[Json], cell_id: object) -> int:
    """Where a cell is: by its id, or by its number as `cell-3` where it has none."""
    for number, cell in enumerate(cells):
        if _identity(cell, number) == cell_id:
            return number
    raise NotebookProblem(
        f"The notebook has no cell {cell_id!r}." if cell_id else "Which cell? Give its cell_id."
    )


def _identity(cell: Json, number: int) -> str:
    return str(cell.get("id") or f"cell-{number}")


def _source(cell: Json) -> str:
    return _joined(cell.get("source"))


def _joined(text: Any) -> str:
    return "".join(map(str, text)) if isinstance(text, list) else str(text or "")


def _new_cell(notebook: Json, kind: str, source: str) -> Json:
    cell: Json = {"cell_type": kind, "metadata": {}, "source": _lines(source)}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    if _has_ids(notebook):
        cell = {"id": uuid.uuid4().hex[:8], **cell}
    return cell


def _has_ids(notebook: Json) -> bool:
    version = notebook.get("nbformat"), notebook.get("nbformat_minor")
    return all(isinstance(number, int) for number in version) and version >= (4, 5)


def _replace(cell: Json, kind: str | None, source: str) -> None:
    cell["source"] = _lines(source)
    if kind is not None:
        cell["cell_type"] = kind
    if cell.get("cell_type") == "code":  # what it printed belongs to the old source
        cell |= {"execution_count": None, "outputs": []}
    else:
        cell.pop("execution_count", None)
        cell.pop("outputs", None)


def _lines(source: str) -> list[str]:
    """As Jupyter stores a source: lines with their ends; only `\\n` ends one."""
    return re.findall(r"[^\n]*\n|[^\n]+", source)


def _written(notebook: Json, *, like: str) -> str:
    """The JSON, in the form in which it was."""
    found = _INDENT.match(like)
    text = msgspec.json.encode(notebook)
    if found:
        text = msgspec.json.format(text, indent=len(found[1]))
    return text.decode() + ("\n" if like.endswith("\n") else "")


def _shown(cell: Json, number: int) -> str:
    kind = str(cell.get("cell_type") or "code")
    lines = [f'<cell id="{_identity(cell, number)}" type="{kind}">', _source(cell), "</cell>"]
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else []:
        if text := _printed(output):
            lines += ["<output>", _short(text), "</output>"]
    return "\n".join(lines)


def _printed(output: Any) -> str:
    match output:
        case {"output_type": "stream", "text": text}:
            return _joined(text).rstrip("\n")
        case {"output_type": "error", "ename": name, "evalue": value}:
            return f"{name}: {value}"
        case {"data": {"text/plain": text}}:
            return _joined(text)
        case {"data": {**kinds}} if kinds:
            return f"[{', '.join(map(str, kinds))}]"
        case _:
            return ""


def _short(text: str) -> str:
    return text if len(text) <= MAX_OUTPUT else f"{text[:MAX_OUTPUT]}\n… cut …"

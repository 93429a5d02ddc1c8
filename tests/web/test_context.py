from __future__ import annotations

from pathlib import Path

import pytest

from anyide.editor.model import Mention, Position, Range, Selection
from tests.web.conftest import Start


async def test_files_of_several_folders_are_found_even_if_they_are_called_the_same(
    start: Start, tmp_path: Path
) -> None:
    folders = [tmp_path / "one" / "app", tmp_path / "two" / "app", tmp_path / "other"]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "main.py").write_text("")
    site = await start(*folders)
    window = await site.window()
    assert window.welcome["folders"] == [str(folder) for folder in folders]
    found = (await window.ask("find", query="main", limit=10))["paths"]
    assert sorted(found) == sorted(str(folder / "main.py") for folder in folders)
    assert (await window.ask("find", query="other/main", limit=1))["paths"] == [
        str(folders[2] / "main.py")
    ]


@pytest.mark.parametrize(
    ("start_line", "end", "lines"),
    [(0, (0, 0), 0), (0, (0, 5), 1), (2, (3, 1), 2), (2, (3, 0), 1), (0, (9, 9), 10)],
)
async def test_the_lines_that_are_shared_are_counted_as_people_count(
    start: Start, project: Path, start_line: int, end: tuple[int, int], lines: int
) -> None:
    site = await start()
    place = Range(Position(start_line, 0), Position(*end))
    site.context.selection_changed(Selection(str(project / "src/a.py"), "x", place))
    sharing = site.context.sharing()
    assert (sharing.lines, sharing.path, sharing.is_denied) == (
        lines,
        str(project / "src/a.py"),
        False,
    )


async def test_what_is_untitled_is_never_denied_and_a_mention_tells_pages_nothing(
    start: Start,
) -> None:
    site = await start()
    window = await site.window()
    assert not site.context.is_denied("untitled:Untitled-1")
    site.context.mentioned(Mention("/x"), None)
    await window.ask("reviews")
    assert window.told == []

"""What pages are told of documents and their files, without a socket."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from anyide.editor.model import TextSearch
from anyide.web.desk import PageDesk
from anyide.web.messages import DiskChanged, Reloaded, Reveal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Desk(PageDesk):
    """A desk with a page that keeps what it is told."""

    def __init__(self, folder: Path) -> None:
        super().__init__([str(folder)])
        self.told: list[msgspec.Struct] = []
        self.pages.join(self, lambda method, params: self.told.append(params))

    def heard(self, kind: type[msgspec.Struct]) -> list[msgspec.Struct]:
        return [params for params in self.told if isinstance(params, kind)]


@pytest.fixture
async def desk(tmp_path: Path) -> Desk:
    (tmp_path / "a").write_text("one two\n")
    return Desk(tmp_path)


@pytest.fixture
def path(desk: Desk, tmp_path: Path) -> Iterator[str]:
    yield str(tmp_path / "a")
    desk.close()


async def open_file(desk: Desk, path: str, *, focus: bool, word: str | None = None) -> None:
    select = None if word is None else TextSearch(word, word)
    await desk.open_file(path, preview=False, focus=focus, select=select)


@pytest.mark.parametrize(
    ("focus", "word", "place"),
    [(True, None, (0, 0)), (True, "two", (4, 7)), (False, "two", (4, 7))],
)
async def test_what_the_cli_opens_is_shown_in_every_page(
    desk: Desk, path: str, focus: bool, word: str | None, place: tuple[int, int]
) -> None:
    await open_file(desk, path, focus=focus, word=word)
    assert desk.heard(Reveal) == [Reveal(path, *place, focus=focus)]


async def test_what_the_cli_opens_behind_is_not(desk: Desk, path: str) -> None:
    await open_file(desk, path, focus=False)
    assert desk.heard(Reveal) == []


async def test_a_text_follows_its_file(desk: Desk, path: str, tmp_path: Path) -> None:
    await open_file(desk, path, focus=True)
    (tmp_path / "a").write_text("of another length\n")
    await desk.look_at_disk(path)
    (reloaded,) = desk.heard(Reloaded)
    assert isinstance(reloaded, Reloaded)
    assert reloaded.text == "of another length\n"
    assert desk.heard(DiskChanged) == []


async def test_a_file_in_the_way_of_unsaved_text_is_told_once(
    desk: Desk, path: str, tmp_path: Path
) -> None:
    await open_file(desk, path, focus=True)
    desk.edit(path, "mine\n")
    (tmp_path / "a").write_text("of another length\n")
    for _ in range(2):
        await desk.look_at_disk(path)
    assert desk.heard(DiskChanged) == [DiskChanged(path, deleted=False)]
    document = await desk.document(path)
    assert document is not None
    assert document.text == "mine\n"


async def test_a_file_that_is_gone_is_told_and_its_text_stays(
    desk: Desk, path: str, tmp_path: Path
) -> None:
    await open_file(desk, path, focus=True)
    (tmp_path / "a").unlink()
    await desk.look_at_disk(path)
    assert desk.heard(DiskChanged) == [DiskChanged(path, deleted=True)]
    document = await desk.document(path)
    assert document is not None
    assert document.text == "one two\n"

"""The documents as pages change them, without a socket: what holds whatever is typed."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anyide.errors import InvalidParams, RpcError
from anyide.web.change import apply
from anyide.web.documents import Documents
from anyide.web.messages import Changed, ChangeText, Reloaded


class View:
    """A window that replays what it is told."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self.text = ""
        self.version = 0
        documents.pages.join(self, self.tell)

    async def open(self, path: str) -> None:
        document = await self._documents.open_in_page(path, preview=True, focus=False)
        self.text, self.version = document.text, document.version

    def tell(self, method: str, params: msgspec.Struct) -> None:
        if isinstance(params, Changed):
            assert params.version == self.version + 1
            self.text, self.version = apply(self.text, params.changes), params.version
        elif isinstance(params, Reloaded):
            assert params.version >= self.version
            self.text, self.version = params.text, params.version

    def type(self, path: str, changes: tuple[Any, ...]) -> None:
        asked = ChangeText(path, self.version, changes)
        version = self._documents.change(asked, page=self)
        assert version == self.version + 1
        self.text, self.version = apply(self.text, changes), version


TEXTS = st.text(alphabet=st.sampled_from("ab\r\n😀é"), max_size=6)
KEYS = st.tuples(st.integers(0, 1), st.integers(0, 40), st.integers(0, 5), TEXTS)


@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(start=TEXTS, keys=st.lists(KEYS, max_size=15))
def test_two_windows_show_what_the_server_has_whatever_is_typed(
    tmp_path: Path, start: str, keys: list[tuple[int, int, int, str]]
) -> None:
    async def play() -> None:
        path = str(tmp_path / "a.txt")
        await asyncio.to_thread(Path(path).write_bytes, start.encode())
        documents = Documents([str(tmp_path)])
        views = [View(documents), View(documents)]
        for view in views:
            await view.open(path)
        for who, place, length, text in keys:
            data = views[who].text.encode("utf-16-le")
            first = min(place, len(data) // 2)
            last = min(first + length, len(data) // 2)
            with suppress(InvalidParams):  # an offset inside a character
                views[who].type(path, ((first, last, text),))
            document = await documents.document(path)
            assert document is not None
            assert [view.text for view in views] == [document.text] * 2
            assert views[0].version == views[1].version
        document = await documents.document(path)
        assert document is not None
        await documents.save_in_page(path, overwrite=False)
        assert Path(path).read_bytes() == document.text.encode()
        documents.close()

    asyncio.run(play())


async def test_the_version_of_a_document_that_is_opened_again_is_another_one(
    tmp_path: Path,
) -> None:
    (tmp_path / "a").write_text("x")
    documents = Documents([str(tmp_path)])
    first = await documents.open_in_page("a", preview=False, focus=True)
    await documents.close_in_page("a", discard=False)
    second = await documents.open_in_page("a", preview=False, focus=True)
    assert second.version > first.version
    with pytest.raises(RpcError):
        documents.change(ChangeText(first.path, first.version, ((0, 0, "y"),)))
    documents.close()


async def test_what_one_page_opens_is_not_shown_in_the_others(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    documents = Documents([str(tmp_path)])
    told: list[str] = []
    documents.pages.join("another page", lambda method, params: told.append(method))
    await documents.open_in_page("a", preview=False, focus=True)
    await asyncio.sleep(0)  # the tabs are told in the next round of the loop
    assert told == ["tabs"]
    documents.close()


async def test_a_cursor_in_a_big_text_is_looked_at_when_it_rests(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("line\n" * 300_000)
    documents = Documents([str(tmp_path)])
    document = await documents.open_in_page("a", preview=False, focus=True)
    for place in range(5, 50, 5):
        documents.select_in_page("a", place, place)
    assert (await documents.selection()).range.start.line == 0  # type: ignore[union-attr]
    async with asyncio.timeout(5):
        while True:
            selection = await documents.selection()
            assert selection is not None
            if selection.range.start.line == 9:
                break
            assert selection.range.start.line == 0
            await asyncio.sleep(0.01)
    assert document.kind == "text"
    documents.close()

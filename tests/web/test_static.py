from __future__ import annotations

from pathlib import Path

import pytest

from anyide.web.app import PAGE
from anyide.web.static import Static


@pytest.fixture
def static(tmp_path: Path) -> Static:
    folder = tmp_path / "page"
    (folder / "inner").mkdir(parents=True)
    (folder / "app.js").write_text("1")
    (folder / "inner" / "x.css").write_text("2")
    (folder / "secret.py").write_text("3")
    (tmp_path / "outside.js").write_text("4")
    return Static(folder)


def test_files_are_served_with_the_type_that_browsers_want(static: Static) -> None:
    answer = static.answer("app.js")
    assert (answer.status_code, answer.body) == (200, b"1")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert static.answer("inner/x.css").headers["content-type"].startswith("text/css")


@pytest.mark.parametrize("name", ["secret.py", "../outside.js", "inner", "", "inner/../app.js"])
def test_nothing_else_has_a_name(static: Static, name: str) -> None:
    assert static.answer(name).status_code == 404


def test_what_a_browser_knows_is_not_sent_again(static: Static, tmp_path: Path) -> None:
    tag = static.answer("app.js").headers["etag"]
    assert static.answer("app.js", tag).status_code == 304
    (tmp_path / "page" / "app.js").write_text("changed")
    assert static.answer("app.js", tag).body == b"changed"
    (tmp_path / "page" / "app.js").unlink()
    assert static.answer("app.js").status_code == 404


def test_every_file_that_the_page_asks_for_is_there() -> None:
    static = Static(PAGE)
    index = bytes(static.answer("index.html").body).decode()
    names = [part.partition('"')[0] for part in index.split('"/page/')[1:]]
    assert names
    assert [name for name in names if static.answer(name).status_code != 200] == []

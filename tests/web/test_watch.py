from __future__ import annotations

import asyncio
from pathlib import Path

from tests.web.conftest import Site, Start


async def test_what_git_ignores_is_not_told_but_an_open_file_there_is_followed(
    start: Start, project: Path
) -> None:
    (project / ".gitignore").write_text("build/\n")
    (project / "build").mkdir()
    (project / "build/out.txt").write_text("1")
    site = await start()
    window = await site.window()
    document = await window.ask("open", path=str(project / "build/out.txt"))
    assert document["text"] == "1"
    (project / "build/other.txt").write_text("")
    await asyncio.to_thread((project / "build/out.txt").write_text, "22")
    assert (await window.until("reloaded"))["text"] == "22"
    assert "treeChanged" not in [method for method, _ in window.told]


async def test_a_changed_gitignore_is_told(site: Site, project: Path) -> None:
    window = await site.window()
    await asyncio.to_thread((project / ".gitignore").write_text, "*.py\n")
    await window.until("treeChanged", lambda told: told["paths"] == [str(project)])
    entries = (await window.ask("tree", path=str(project / "src")))["entries"]
    assert [entry["isIgnored"] for entry in entries] == [True]


async def test_a_file_behind_a_link_is_followed(site: Site, project: Path) -> None:
    (project / "alias.py").symlink_to("src/a.py")
    window = await site.window()
    document = await window.ask("open", path=str(project / "alias.py"))
    await asyncio.to_thread((project / "src/a.py").write_text, "through")
    reloaded = await window.until("reloaded")
    assert (reloaded["path"], reloaded["text"]) == (document["path"], "through")


async def test_a_touch_or_a_save_elsewhere_of_the_same_text_asks_nothing(
    site: Site, project: Path
) -> None:
    window = await site.window()
    document = await window.ask("open", path=str(project / "src/a.py"))
    changes = [[0, 3, "ONE"]]
    await window.ask("change", path=document["path"], version=document["version"], changes=changes)
    await window.until("documentState", lambda told: told["isDirty"])
    await asyncio.to_thread((project / "src/a.py").write_text, "one\ntwo\nthree\n")
    await window.until("documentState", lambda told: told["isDirty"] and not told["diskChanged"])
    await asyncio.to_thread((project / "src/a.py").write_text, "ONE\ntwo\nthree\n")
    await window.until("documentState", lambda told: not told["isDirty"])
    assert "diskChanged" not in [method for method, _ in window.told]


async def test_a_file_replaced_by_a_rename_is_followed(site: Site, project: Path) -> None:
    window = await site.window()
    await window.ask("open", path=str(project / "src/a.py"))
    (project / "src/fresh").write_text("renamed")
    await asyncio.to_thread((project / "src/fresh").replace, project / "src/a.py")
    assert (await window.until("reloaded"))["text"] == "renamed"

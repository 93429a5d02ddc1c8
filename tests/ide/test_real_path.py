from __future__ import annotations

import os
from pathlib import Path

from anyide.ide.real_path import MAX_REMEMBERED, real_path


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to("file")
    assert real_path(str(tmp_path / "link")) == os.path.realpath(tmp_path / "file")


def test_a_link_that_leads_elsewhere_is_seen_at_once(tmp_path: Path) -> None:
    link, shown, secret = tmp_path / "link", tmp_path / "shown", tmp_path / ".env"
    shown.write_text("")
    link.symlink_to(shown)
    assert real_path(str(link)).endswith("shown")
    link.unlink()
    shown.unlink()
    secret.write_text("")  # it may well get the very inode of the file before
    link.symlink_to(secret)
    assert real_path(str(link)).endswith(".env")


def test_a_folder_on_the_way_that_becomes_a_link_is_seen_at_once(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "a").write_text(folder.name)
    assert real_path(str(inside / "a")) == str(inside.resolve() / "a")
    inside.rename(tmp_path / "away")
    inside.symlink_to(outside)
    assert real_path(str(inside / "a")) == str(outside.resolve() / "a")


def test_what_does_not_exist_has_a_path_all_the_same(tmp_path: Path) -> None:
    assert real_path(str(tmp_path / "nothing")) == str(tmp_path.resolve() / "nothing")


def test_only_so_many_are_remembered(tmp_path: Path) -> None:
    for number in range(MAX_REMEMBERED + 10):
        assert real_path(f"{tmp_path}/{'./' * (number % 50)}{'../' + tmp_path.name + '/'}.")

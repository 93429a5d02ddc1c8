from __future__ import annotations

from pathlib import Path

import pytest

from anyide.state.endpoint import Endpoint, PageEndpoint
from anyide.state.store import State

FOLDER = Path("/project")


def test_an_endpoint_is_remembered_for_the_next_run(path: Path) -> None:
    with State.open(path) as state:
        state.endpoints.remember([FOLDER], 4321, "token")
    with State.open(path) as state:
        assert state.endpoints.recall([FOLDER]) == Endpoint(4321, "token")
        assert state.damaged is None


def test_the_last_endpoint_of_a_folder_counts(path: Path) -> None:
    with State.open(path) as state:
        state.endpoints.remember([FOLDER], 1, "a")
        state.endpoints.remember([FOLDER], 2, "b")
        assert state.endpoints.recall([FOLDER]) == Endpoint(2, "b")


def test_endpoints_belong_to_a_set_of_folders(path: Path, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "one")
    one, two, link = tmp_path / "one", tmp_path / "two", tmp_path / "link"
    with State.open(path) as state:
        state.endpoints.remember([one, two], 1, "token")
        assert state.endpoints.recall([two, link, one / ".." / "two"]) == Endpoint(1, "token")
        assert state.endpoints.recall([one]) is None
        assert state.endpoints.recall([]) is None


@pytest.mark.parametrize(("age", "known"), [(0, True), (599, True), (601, False), (-60, True)])
def test_an_endpoint_is_forgotten_after_ten_minutes(path: Path, age: int, *, known: bool) -> None:
    with State.open(path, now=lambda: 10_000.0) as state:
        state.endpoints.remember([FOLDER], 1, "token")
    with State.open(path, now=lambda: 10_000.0 + age) as state:
        assert (state.endpoints.recall([FOLDER]) is not None) is known


def test_an_old_token_is_wiped_from_the_disk(path: Path) -> None:
    with State.open(path, now=lambda: 0.0) as state:
        state.endpoints.remember([FOLDER], 1, "an-old-token")
    assert b"an-old-token" in path.read_bytes()
    with State.open(path, now=lambda: 10_000.0) as state:
        state.endpoints.remember([FOLDER / "other"], 2, "a-new-token")
    assert b"an-old-token" not in path.read_bytes()


def test_a_token_is_not_shown() -> None:
    assert "hush" not in repr(Endpoint(1, "hush"))


def test_a_page_is_found_again_and_its_secrets_are_never_shown(path: Path) -> None:
    page = PageEndpoint(4321, "the-cookie", "the-control")
    with State.open(path) as state:
        assert state.pages.recall([FOLDER]) is None
        state.pages.remember([FOLDER], page)
    with State.open(path) as state:
        assert state.pages.recall([FOLDER]) == page
        assert state.pages.recall([FOLDER, Path("/other")]) is None
    assert repr(page) == "PageEndpoint(port=4321)"

from __future__ import annotations

from anyide.web.find import find

PATHS = [
    "src/server.py",
    "src/web/server.py",
    "docs/serving.md",
    "tests/test_server.py",
    "setup.cfg",
]


def test_a_file_name_that_begins_so_comes_first() -> None:
    assert find("server", PATHS, 10)[:2] == ["src/server.py", "src/web/server.py"]


def test_letters_in_order_are_enough() -> None:
    assert find("wsrv", PATHS, 10) == ["src/web/server.py"]
    assert find("Doc Serv", PATHS, 10) == ["docs/serving.md"]
    assert find("zzz", PATHS, 10) == []


def test_no_letters_give_the_first_files() -> None:
    assert find(" ", PATHS, 2) == PATHS[:2]


def test_a_limit_is_kept() -> None:
    assert len(find("s", PATHS, 3)) == 3


def test_no_query_takes_for_ever() -> None:
    path = "a" * 250
    assert find("a" * 60 + "b", [path] * 100, 5) == []
    assert find("a" * 1000, [path], 5) == [path]

"""The rooms of DESIGN.md, enforced: imports go down, pure modules do no I/O, there are no cycles.

Every import counts, also one inside a function or under TYPE_CHECKING: a room that knows another's
types depends on it. Two exceptions: importing a package's submodule does not count as importing the
package's `__init__`, and anyone may take `__version__` from `anyide`.
"""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(__file__).parents[1] / "src" / "anyide"

# From the top to the bottom. Rooms of one level do not know each other. "" is `anyide` itself.
LEVELS = (
    ("__main__",),
    ("cli",),
    ("",),
    ("check", "trace", "testing"),
    ("web",),
    ("lsp",),
    ("acp",),
    ("headless",),
    ("language",),
    ("ide",),
    ("editor",),
    ("rpc",),
    ("log",),
    ("state",),
    ("config",),
    ("setting", "toml"),
    ("errors",),
)
LEVEL_OF = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}

# fmt: off
# Beside every `messages`.
PURE = frozenset({
    "errors", "rpc.message", "rpc.framing", "rpc.peer", "editor.review", "editor.model",
    "editor.position", "ide.dialect", "ide.paths", "ide.policy", "ide.quirk", "rpc.params",
    "headless.control", "headless.decode", "headless.events", "headless.hook", "headless.notice",
    "headless.permission", "headless.reply", "headless.report", "headless.secret",
    "headless.tolerant", "headless.tool_function", "acp.call", "acp.edit", "acp.failure",
    "acp.loose", "acp.notebook", "acp.option", "acp.permission",
    "acp.plan", "acp.prompt", "acp.question", "acp.read", "acp.rule", "acp.tool_call",
    "acp.translate", "acp.wishes",
})
IMPURE_MODULES = frozenset({
    "asyncio", "concurrent", "fcntl", "fileinput", "ftplib", "getpass", "glob", "http", "io",
    "jupyter_client", "logging", "mmap", "multiprocessing", "os", "platform", "platformdirs",
    "psutil", "pty", "queue", "random", "sched", "secrets", "select", "selectors", "shutil",
    "signal", "smtplib", "socket", "socketserver", "sqlite3", "ssl", "starlette", "subprocess",
    "sys", "tempfile", "termios", "threading", "time", "urllib.request", "uvicorn", "watchfiles",
    "webbrowser", "websockets",
})
# fmt: on
# Paths that are mere names; all else in pathlib can reach the disk.
PURE_PATHS = frozenset({"PurePath", "PurePosixPath", "PureWindowsPath"})
IMPURE_CALLS = frozenset({"open", "print", "input", "__import__", "exec", "eval"})


class Import(NamedTuple):
    line: int
    module: str
    name: str | None


class Module(NamedTuple):
    """A file; its name is relative to the package, "" for the package itself."""

    name: str
    is_package: bool
    tree: ast.Module

    @property
    def room(self) -> str:
        return self.name.partition(".")[0]

    @property
    def is_pure(self) -> bool:
        return self.name in PURE or self.name.rpartition(".")[2] == "messages"


def problems(source: Path) -> list[str]:
    """Every broken rule in a tree of sources, as sentences."""
    modules = {module.name: module for module in _modules(source)}
    found = []
    for module in modules.values():
        found += [*_wrong_layers(module, modules), *_impurities(module, modules)]
    return found + list(_cycles(modules))


def _modules(source: Path) -> Iterator[Module]:
    for file in sorted(source.rglob("*.py")):
        parts = file.relative_to(source).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        yield Module(name, is_package, ast.parse(file.read_text(encoding="utf-8")))


def _imports(module: Module) -> Iterator[Import]:
    """Every import, with absolute names."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(node.lineno, alias.name, None)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield Import(node.lineno, _absolute(module, node), alias.name)


def _absolute(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = ["anyide", *filter(None, module.name.split("."))]
    up = node.level - 1 if module.is_package else node.level
    return ".".join([*parts[: len(parts) - up], *([node.module] if node.module else [])])


def _target(found: Import, modules: dict[str, Module]) -> str | None:
    """Our module that is imported, relative to the package; `None` if it is not ours."""
    if found.module != "anyide" and not found.module.startswith("anyide."):
        return None
    name = found.module.removeprefix("anyide").removeprefix(".")
    inner = f"{name}.{found.name}".removeprefix(".")
    return inner if found.name and (inner in modules or inner in LEVEL_OF) else name


def _ours(module: Module, modules: dict[str, Module]) -> Iterator[tuple[Import, str]]:
    for found in _imports(module):
        target = _target(found, modules)
        if target is not None and not (target == "" and found.name == "__version__"):
            yield found, target


def _wrong_layers(module: Module, modules: dict[str, Module]) -> Iterator[str]:
    if module.room not in LEVEL_OF:
        yield f"{module.name}: the room {module.room!r} is in no level"
        return
    for found, target in _ours(module, modules):
        room = target.partition(".")[0]
        if room not in LEVEL_OF:
            yield f"{module.name}, line {found.line}: the room {room!r} is in no level"
        elif room != module.room and LEVEL_OF[room] <= LEVEL_OF[module.room]:
            yield f"{module.name}, line {found.line}: may not import {target or 'anyide'}"


def _impurities(module: Module, modules: dict[str, Module]) -> Iterator[str]:
    if not module.is_pure:
        return
    for found in _imports(module):
        if _is_io(found):
            yield f"{module.name}, line {found.line}: is pure and may not import {found.module}"
    for found, target in _ours(module, modules):
        if target in modules and not modules[target].is_pure:
            yield f"{module.name}, line {found.line}: is pure, {target or 'anyide'} is not"
    for node in ast.walk(module.tree):
        call = node.func if isinstance(node, ast.Call) else None
        if isinstance(call, ast.Name) and call.id in IMPURE_CALLS:
            yield f"{module.name}, line {call.lineno}: is pure and may not {call.id}()"


def _is_io(found: Import) -> bool:
    if found.module == "pathlib":
        return found.name not in PURE_PATHS
    whole = f"{found.module}.{found.name}"
    return any(
        name == module or name.startswith(f"{module}.")
        for module in IMPURE_MODULES
        for name in (found.module, whole)
    )


def _cycles(modules: dict[str, Module]) -> Iterator[str]:
    graph = {
        name: {target for _, target in _ours(module, modules) if target in modules} - {name}
        for name, module in modules.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        yield "cycle: " + " <- ".join(name or "anyide" for name in error.args[1])


def test_the_sources_keep_the_rules() -> None:
    assert problems(SOURCE) == []


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small package that keeps the rules."""
    write(tmp_path, "__init__.py", "__version__ = '1'\nfrom anyide.ide.server import Server\n")
    write(tmp_path, "__main__.py", "from anyide.cli.main import entry\n")
    write(tmp_path, "errors.py", "")
    write(
        tmp_path, "cli/main.py", "from anyide import __version__\nfrom anyide.ide import server\n"
    )
    write(tmp_path, "ide/__init__.py", "from .server import Server\n")
    write(tmp_path, "ide/server.py", "import asyncio\nfrom anyide import __version__, rpc\n")
    write(tmp_path, "ide/paths.py", "from pathlib import PurePosixPath\nimport urllib.parse\n")
    write(tmp_path, "rpc/__init__.py", "")
    write(tmp_path, "rpc/messages.py", "import msgspec\nfrom ..errors import AnyideError\n")
    write(tmp_path, "rpc/peer.py", "from anyide.rpc import messages\n")
    return tmp_path


def write(tree: Path, name: str, text: str) -> None:
    (tree / name).parent.mkdir(exist_ok=True)
    (tree / name).write_text(text)


def test_a_tree_that_keeps_the_rules_has_no_problem(tree: Path) -> None:
    assert problems(tree) == []


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("rpc/up.py", "from anyide.ide.server import Server", "rpc.up, line 1: may not import"),
        ("rpc/up.py", "import anyide.ide.server", "may not import ide.server"),
        ("rpc/up.py", "from anyide import ide", "may not import ide"),
        ("rpc/up.py", "from ..ide import server", "may not import ide.server"),
        ("rpc/up.py", "from .. import ide", "may not import ide"),
        ("rpc/up.py", "from anyide import web", "may not import web"),
        ("rpc/up.py", "from anyide import Server", "may not import anyide"),
        ("rpc/up.py", "import anyide", "may not import anyide"),
        ("rpc/up.py", "def f():\n    import anyide.cli.main", "rpc.up, line 2: may not import"),
        ("rpc/up.py", "if TYPE_CHECKING:\n    from anyide.ide import x", "line 2: may not import"),
        ("check/side.py", "import anyide.trace.recorder", "may not import trace.recorder"),
        ("config.py", "import anyide.state", "may not import state"),
        ("utils/thing.py", "", "the room 'utils' is in no level"),
        ("ide/x.py", "from anyide.utils import x", "the room 'utils' is in no level"),
    ],
)
def test_an_import_that_goes_up_or_sideways_is_found(
    tree: Path, name: str, text: str, problem: str
) -> None:
    write(tree, name, text)
    assert [found for found in problems(tree) if problem in found]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rpc/framing.py", "import asyncio"),
        ("rpc/framing.py", "import os.path"),
        ("rpc/framing.py", "from os import path"),
        ("rpc/framing.py", "import concurrent.futures"),
        ("ide/messages.py", "def f():\n    import time"),
        ("web/messages.py", "if TYPE_CHECKING:\n    from socket import socket"),
        ("ide/paths.py", "from pathlib import Path"),
        ("ide/paths.py", "import pathlib"),
        ("ide/dialect.py", "import urllib.request"),
        ("ide/dialect.py", "from urllib import request"),
        ("editor/review.py", "import logging"),
        ("editor/model.py", "def f(name):\n    return open(name)"),
        ("acp/translate.py", "from anyide.ide.server import Server"),
        ("errors.py", "import sys"),
    ],
)
def test_io_in_a_pure_module_is_found(tree: Path, name: str, text: str) -> None:
    write(tree, name, text)
    (problem,) = problems(tree)
    assert "is pure" in problem


def test_io_elsewhere_is_fine(tree: Path) -> None:
    write(tree, "rpc/connection.py", "import asyncio, os, socket\nfrom pathlib import Path\n")
    assert problems(tree) == []


@pytest.mark.parametrize(
    "files",
    [
        {"ide/a.py": "import anyide.ide.b", "ide/b.py": "import anyide.ide.a"},
        {"ide/a.py": "from .b import x", "ide/b.py": "def f():\n    from . import a"},
        {"ide/a.py": "from anyide.ide import Server", "ide/server.py": "from . import a"},
    ],
)
def test_a_cycle_is_found(tree: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        write(tree, name, text)
    (problem,) = problems(tree)
    assert problem.startswith("cycle: ")
    assert "ide.a" in problem


def test_a_cycle_through_the_package_itself_is_found(tree: Path) -> None:
    write(tree, "ide/a.py", "from anyide.ide import Server")
    write(tree, "ide/__init__.py", "from .a import x")
    assert [found for found in problems(tree) if found.startswith("cycle: ")]

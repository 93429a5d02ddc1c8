"""What the README shows works: each Python example is run as it stands."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from anyide.editor.memory import MemoryEditor
from anyide.ide.client import IdeClient
from anyide.ide.server import IdeServer
from tests.real.claude import Home
from tests.real.model import StandInModel

README = Path(__file__).parent.parent / "README.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
PATIENCE = 20.0


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / ".claude"))


def example(containing: str) -> Any:
    (source,) = [text for text in EXAMPLES if containing in text]
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(source, str(README), "exec"), names)
    return names["main"]


async def test_the_editor_of_the_readme_serves_and_accepts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    async with asyncio.timeout(PATIENCE):
        serving = asyncio.create_task(example("MemoryEditor")(str(project)))
        while not list((tmp_path / ".claude").glob("ide/*.lock")):  # noqa: ASYNC110 - no event for a file
            await asyncio.sleep(0.01)
        async with IdeClient.for_folder(project) as ide:
            result = await ide.call(
                "openDiff",
                old_file_path=str(project / "a.py"),
                new_file_contents="one\n",
                tab_name="a.py",
            )
        assert result.texts == ("FILE_SAVED", "one\n")
        await serving
    assert "Claude Code can connect now" in capsys.readouterr().out


async def test_the_client_of_the_readme_lists_tools(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    async with asyncio.timeout(PATIENCE), IdeServer(MemoryEditor([str(project)]), [project]):
        await example("IdeClient")(str(project))
    assert "openFile - " in capsys.readouterr().out


async def test_the_program_of_the_readme_talks_with_the_real_cli(
    project: Path,
    home: Home,
    model: StandInModel,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    home.trust(project)
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    for name, value in home.environment(model).items():
        monkeypatch.setenv(name, value)
    async with asyncio.timeout(3 * PATIENCE):
        await example("anyide.headless")(str(project))
    assert "You said: Say hello\nYou said: Say goodbye" in capsys.readouterr().out


def test_every_python_example_is_run_by_a_test() -> None:
    assert len(EXAMPLES) == 3

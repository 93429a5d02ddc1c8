from __future__ import annotations

from pathlib import Path

import pytest

from anyide.config import Sharing
from anyide.ide.sharing import MAX_IGNORE_BYTES, policy_for

SHARING = Sharing(deny=(".env*",), max_selection=100, paused=False)


def test_a_project_adds_patterns_in_its_ignore_file(tmp_path: Path) -> None:
    (tmp_path / ".anyideignore").write_text("# secrets\nprivate/\n!.env\n")
    policy = policy_for([tmp_path], SHARING)
    assert policy.allows(str(tmp_path / "a.py"))
    assert not policy.allows(str(tmp_path / "private" / "a.py"))
    assert not policy.allows(str(tmp_path / ".env"))


DEFAULTS = Sharing(deny=(".env*",), max_selection=1000, paused=False)


def test_the_ignore_file_of_one_folder_does_not_reach_into_another(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    (one / ".anyideignore").write_text("*.py\n")
    policy = policy_for([one, other], SHARING)
    assert not policy.allows(str(one / "a.py"))
    assert policy.allows(str(other / "a.py"))


def test_what_is_configured_holds(tmp_path: Path) -> None:
    assert not policy_for([tmp_path], SHARING._replace(paused=True)).allows(str(tmp_path / "a"))
    assert policy_for([tmp_path], SHARING).max_selection == 100


@pytest.mark.parametrize("kind", ["folder", "too big"])
def test_an_ignore_file_that_cannot_be_read_denies_everything(
    tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / ".anyideignore"
    if kind == "folder":
        file.mkdir()
    else:
        file.write_text("#" * (MAX_IGNORE_BYTES + 1))
    assert not policy_for([tmp_path], SHARING).allows(str(tmp_path / "a.py"))
    assert "nothing is shared" in caplog.text

from __future__ import annotations

import msgspec
import pytest

from anyide.headless import notice
from anyide.headless.notice import NOTICES, HookResponse, Init, Notice


def test_every_class_of_notice_has_one_subtype() -> None:
    kinds = [
        kind
        for kind in vars(notice).values()
        if isinstance(kind, type) and issubclass(kind, Notice) and kind is not Notice
    ]
    assert sorted(kind.__name__ for kind in NOTICES.values()) == sorted(
        kind.__name__ for kind in kinds
    )


@pytest.mark.parametrize("subtype", sorted(NOTICES))
def test_a_class_is_named_after_its_subtype(subtype: str) -> None:
    assert NOTICES[subtype].__name__ == subtype.title().replace("_", "")


@pytest.mark.parametrize("subtype", sorted(NOTICES))
def test_no_field_of_a_notice_is_needed(subtype: str) -> None:
    kind = NOTICES[subtype]
    assert msgspec.convert({"type": "system", "subtype": subtype}, kind) == kind(subtype=subtype)


def test_init_is_read_by_the_names_of_the_wire() -> None:
    said = {"type": "system", "permissionMode": "plan", "apiKeySource": "none", "cwd": "/w"}
    init = msgspec.convert(said, Init)
    assert (init.permission_mode, init.api_key_source, init.cwd) == ("plan", "none", "/w")


def test_the_end_of_a_hook_has_what_its_beginning_and_progress_have() -> None:
    said = {"type": "system", "hook_id": "h", "stdout": "out", "exit_code": 2, "outcome": "error"}
    ended = msgspec.convert(said, HookResponse)
    assert (ended.hook_id, ended.stdout, ended.exit_code, ended.outcome) == ("h", "out", 2, "error")

from __future__ import annotations

import secrets

import pytest

from tools import fuzz


def test_a_short_run_finds_nothing() -> None:
    seed = secrets.randbits(32)
    print(f"seed {seed}")  # pytest shows it when the run fails
    assert fuzz.run(2000, seed) < fuzz.MAX_GROWTH_BYTES


@pytest.mark.parametrize("data", fuzz.SEEDS)
def test_the_messages_it_starts_from_agree_with_the_reference(data: bytes) -> None:
    fuzz.check_message(data)


def test_the_reference_asks_for_the_codes_of_the_specification() -> None:
    assert fuzz.expect_all(b"{") == [(-32700, None)]
    assert fuzz.expect_all(b"[]") == [(-32600, None)]
    assert fuzz.expect_all(b"[1,2]") == [(-32600, None)] * 2
    assert fuzz.expect_all(b'{"jsonrpc":"2.0","id":1,"method":"a"}') == []
    assert fuzz.expect_all(b'{"jsonrpc":"1.0","id":1,"method":"a"}') == [(-32600, 1)]

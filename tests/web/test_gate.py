from __future__ import annotations

from anyide.web.gate import MAX_KEYS, Gate, Keys, prove


def test_a_key_opens_once() -> None:
    keys = Keys()
    key = keys.issue()
    assert not keys.take("")
    assert not keys.take(key[:-1])
    assert keys.take(key)
    assert not keys.take(key)


def test_the_oldest_unused_key_gives_way() -> None:
    keys = Keys()
    first, *others = [keys.issue() for _ in range(MAX_KEYS + 1)]
    assert not keys.take(first)
    assert all(keys.take(key) for key in others)


def test_the_cookie_is_found_among_others_and_by_its_port() -> None:
    gate = Gate(4321, "value", "control")
    assert gate.cookie == ("anyide_4321", "value")
    assert gate.has_cookie(["a=b; anyide_4321=value; c=d"])
    assert gate.has_cookie(["a=b", "anyide_4321=value"])
    for header in (
        "",
        "anyide_4321=other",
        "anyide_1=value",
        "anyide_4321=",
        "\0;=",
        "anyide_4321",
    ):
        assert not gate.has_cookie([header])


def test_a_proof_is_good_for_one_port_and_one_message() -> None:
    gate = Gate(4321, "value", "control")
    assert gate.is_proof("nonce", prove("control", 4321, "nonce"))
    assert not gate.is_proof("nonce", prove("control", 4322, "nonce"))
    assert not gate.is_proof("other", prove("control", 4321, "nonce"))
    assert not gate.is_proof("", prove("control", 4321, ""))
    assert not gate.is_proof("nonce", "")


def test_an_origin_is_ours_only_with_the_very_host_and_scheme() -> None:
    gate = Gate(80, "value", "control")
    assert gate.allows_origin("http://localhost:80", "localhost:80")
    assert not gate.allows_origin("https://localhost:80", "localhost:80")
    assert not gate.allows_origin("http://127.0.0.1:80", "localhost:80")
    assert not gate.allows_origin("http://localhost:80.evil", "localhost:80")

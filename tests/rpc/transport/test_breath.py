from __future__ import annotations

from anyide.rpc.transport.breath import QUICK_SECONDS, SMALL_BYTES, TIMES, Breath

QUICK = QUICK_SECONDS / 2


def after(breath: Breath, pieces: int, *, size: int = 100, gap: float = QUICK) -> list[bool]:
    """Whether a pause is due after each piece."""
    return [breath.is_due(size, 1.0 + number * gap) for number in range(pieces)]


def test_a_stream_of_small_pieces_is_let_gather() -> None:
    found = after(Breath(), TIMES + 4)
    assert found == [False] * (TIMES + 1) + [True] * 3


def test_large_pieces_and_slow_ones_are_read_at_once() -> None:
    assert not any(after(Breath(), 50, size=SMALL_BYTES))
    assert not any(after(Breath(), 50, gap=QUICK_SECONDS * 2))


def test_who_answers_each_piece_gets_the_next_at_once() -> None:
    breath = Breath()
    for number in range(50):
        assert not breath.is_due(100, 1.0 + number * QUICK)
        breath.sent()

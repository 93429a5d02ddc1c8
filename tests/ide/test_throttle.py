from __future__ import annotations

import asyncio

from anyide.ide.throttle import MAX_KEYS, Throttle

INTERVAL = 0.02


class Sent:
    """What a throttle sent, and a way to wait for it."""

    def __init__(self) -> None:
        self.values: list[object] = []
        self._more = asyncio.Event()

    def __call__(self, value: object) -> None:
        self.values.append(value)
        self._more.set()

    async def reaches(self, value: object) -> None:
        async with asyncio.timeout(5):
            while not self.values or self.values[-1] != value:
                self._more.clear()
                await self._more.wait()


async def test_the_first_is_sent_at_once_and_the_last_when_it_is_time() -> None:
    sent = Sent()
    throttle = Throttle(sent, interval=INTERVAL)
    for number in range(100):
        throttle.offer(number)
    assert sent.values == [0]
    await sent.reaches(99)
    assert sent.values == [0, 99]


async def test_each_key_has_its_own_time() -> None:
    sent = Sent()
    throttle = Throttle(sent, interval=60)
    throttle.offer("a", "one")
    throttle.offer("b", "two")
    throttle.offer("c", "two")
    assert sent.values == ["a", "b"]
    throttle.close()


async def test_an_equal_value_is_not_sent_again_unless_forgotten() -> None:
    sent = Sent()
    throttle = Throttle(sent, interval=INTERVAL)
    throttle.offer("a")
    throttle.offer("b")
    throttle.offer("a")
    await asyncio.sleep(INTERVAL * 3)
    throttle.offer("a")
    assert sent.values == ["a"]
    throttle.forget()
    throttle.offer("a")
    assert sent.values == ["a", "a"]


async def test_with_repeats_an_equal_value_counts_again_after_the_interval() -> None:
    sent = Sent()
    throttle = Throttle(sent, interval=INTERVAL, repeats=True)
    throttle.offer("a")
    throttle.offer("a")
    await asyncio.sleep(INTERVAL * 3)
    assert sent.values == ["a"]
    throttle.offer("a")
    assert sent.values == ["a", "a"]


async def test_while_held_only_the_latest_of_each_key_is_kept() -> None:
    sent = Sent()
    throttle = Throttle(sent, interval=INTERVAL)
    throttle.offer(0, "a")
    throttle.offer(1, "a")
    throttle.hold(held=True)
    throttle.offer(2, "b")
    throttle.offer(3, "b")
    await asyncio.sleep(INTERVAL * 3)
    assert sent.values == [0]
    throttle.hold(held=True)
    throttle.hold(held=False)
    assert sent.values == [0, 1, 3]


async def test_what_is_discarded_is_not_sent() -> None:
    sent = Sent()
    throttle = Throttle(sent, interval=INTERVAL)
    throttle.offer(0)
    throttle.offer(1)
    throttle.discard()
    await asyncio.sleep(INTERVAL * 3)
    throttle.offer(2)
    assert sent.values == [0, 2]


async def test_a_closed_one_sends_nothing_more() -> None:
    sent = Sent()
    throttle = Throttle(sent, interval=INTERVAL)
    throttle.offer(0)
    throttle.offer(1)
    throttle.close()
    throttle.offer(2, "other")
    await asyncio.sleep(INTERVAL * 3)
    assert sent.values == [0]


async def test_the_oldest_keys_go_when_there_are_too_many() -> None:
    sent = Sent()
    throttle = Throttle(sent, interval=INTERVAL)
    throttle.hold(held=True)
    for number in range(MAX_KEYS + 10):
        throttle.offer(number, str(number))
    throttle.hold(held=False)
    assert sent.values == list(range(10, MAX_KEYS + 10))
    throttle.close()

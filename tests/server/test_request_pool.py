from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from threading import Event, Semaphore

import pytest

from redraft.check.stale import Stale
from redraft.server.request_pool import OverloadedError, RequestPool


def test_more_requests_than_the_limit_are_refused_at_once() -> None:
    async def ask() -> None:
        pool = RequestPool(limit=2)
        release = Event()

        def wait(is_stale: Callable[[], bool]) -> bool:
            return release.wait(30)

        waiting = [asyncio.create_task(pool.run(wait)) for _ in range(2)]
        await asyncio.sleep(0)
        assert pool.length == 2
        with pytest.raises(OverloadedError):
            await pool.run(lambda is_stale: None)
        with pytest.raises(OverloadedError):
            await anext(pool.stream(lambda is_stale: iter(())))
        release.set()
        assert await asyncio.gather(*waiting) == [True, True]
        assert pool.length == 0
        assert await pool.run(lambda is_stale: "room again") == "room again"
        pool.close()

    asyncio.run(ask())


def test_few_large_texts_are_worked_on_at_once_and_small_ones_do_not_wait_for_them() -> None:
    async def ask() -> None:
        pool = RequestPool(limit=20)
        release, begun = Event(), Semaphore(0)

        def wait(is_stale: Callable[[], bool]) -> bool:
            begun.release()
            return release.wait(30)

        waiting = [asyncio.create_task(pool.run(wait, 100_000)) for _ in range(6)]
        leaving = asyncio.create_task(pool.run(wait, 100_000))
        for _ in range(4):
            assert await asyncio.to_thread(begun.acquire, timeout=30)
        assert await pool.run(lambda is_stale: "small", 1000) == "small"
        assert not begun.acquire(blocking=False)
        leaving.cancel()
        release.set()
        assert await asyncio.gather(*waiting) == [True] * 6
        assert [begun.acquire(blocking=False) for _ in range(3)] == [True, True, False]
        assert pool.length == 0
        pool.close()

    asyncio.run(ask())


def test_a_small_request_does_not_wait_for_threads_that_others_have() -> None:
    async def go() -> None:
        pool, free = RequestPool(100), Event()
        others = [asyncio.ensure_future(pool.run(lambda gone: free.wait(30), 5000)) for _ in range(40)]
        while pool.length < len(others):
            await asyncio.sleep(0)
        assert await asyncio.wait_for(pool.run(lambda gone: "small", 200), 20) == "small"
        assert not any(other.done() for other in others)
        free.set()
        assert all(await asyncio.gather(*others))
        pool.close()

    asyncio.run(go())


def test_a_stop_ends_large_texts_that_wait_too() -> None:
    async def ask() -> None:
        pool = RequestPool(limit=20)

        def wait(is_stale: Callable[[], bool]) -> None:
            while not is_stale():
                Event().wait(0.001)

        waiting = [asyncio.create_task(pool.run(wait, 100_000)) for _ in range(6)]
        await asyncio.sleep(0)
        pool.stop()
        assert [type(one) for one in await asyncio.gather(*waiting, return_exceptions=True)] == [Stale] * 6
        with pytest.raises(Stale):
            await pool.run(wait)
        pool.close()

    asyncio.run(ask())


def test_a_cancelled_request_learns_that_nobody_waits() -> None:
    async def ask() -> None:
        pool = RequestPool(limit=2)
        begun, learnt = Event(), Event()

        def work(is_stale: Callable[[], bool]) -> None:
            begun.set()
            while not is_stale():
                Event().wait(0.001)
            learnt.set()

        task = asyncio.create_task(pool.run(work))
        assert await asyncio.to_thread(begun.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(learnt.wait, 30)
        assert pool.length == 0
        pool.close()

    asyncio.run(ask())


def test_a_stream_gives_each_item_when_it_is_there_and_stops_when_nobody_asks() -> None:
    async def ask() -> None:
        pool = RequestPool(limit=1)
        go_on, ended = Event(), Event()

        def work(is_stale: Callable[[], bool]) -> Iterator[int]:
            try:
                yield 1
                assert go_on.wait(30)
                yield 2
                while not is_stale():
                    Event().wait(0.001)
                raise Stale
            finally:
                ended.set()

        items = pool.stream(work)
        assert await anext(items) == 1
        go_on.set()
        assert await anext(items) == 2
        await items.aclose()
        assert await asyncio.to_thread(ended.wait, 30)
        assert pool.length == 0
        pool.close()

    asyncio.run(ask())


def test_a_stream_of_what_is_there_already_lets_others_have_their_turn() -> None:
    async def ask() -> list[int]:
        pool = RequestPool(limit=1)
        turns = 0

        async def take_turns() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        other = asyncio.create_task(take_turns())
        seen = [turns async for _ in pool.stream(lambda is_stale: iter(range(50)))]
        other.cancel()
        pool.close()
        return seen

    seen = asyncio.run(ask())
    assert len(set(seen)) == len(seen) == 50


def test_a_stream_that_fails_says_so() -> None:
    async def ask() -> None:
        pool = RequestPool(limit=1)

        def work(is_stale: Callable[[], bool]) -> Iterator[int]:
            yield 1
            raise ValueError("no more")

        items = pool.stream(work)
        assert await anext(items) == 1
        with pytest.raises(ValueError, match="no more"):
            await anext(items)
        assert pool.length == 0
        pool.close()

    asyncio.run(ask())

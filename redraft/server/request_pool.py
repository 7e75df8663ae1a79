"""The threads in which the requests of a server are worked on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event
from typing import TypeVar

from redraft.check.stale import Stale

_THREADS = 32
"""Requests that are worked on at once; further ones wait for a thread."""
_SMALL_THREADS = 64
"""As many small requests have threads of their own, so that the sentences of all of them can share batches."""
_SMALL = 1000
"""Characters of a small request: as long as only few requests are small, none of them waits for a thread."""
_LARGE = 20_000
_LARGE_AT_ONCE = 4
"""Texts of more than `_LARGE` characters that are worked on at once: they take memory in proportion to their length."""
_T = TypeVar("_T")


class OverloadedError(Exception):
    """As many requests as the server takes are waiting already."""


class RequestPool:
    """Runs the requests of an event loop in threads, up to a limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._small_threads = ThreadPoolExecutor(_SMALL_THREADS, thread_name_prefix="redraft-small-request")
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="redraft-request")
        self._large = asyncio.Semaphore(_LARGE_AT_ONCE)
        self._running: dict[Event, Callable[[], object]] = {}
        """For each request, how to end the wait for its thread."""
        self._stopped = False

    @property
    def length(self) -> int:
        """Number of requests that wait or are being worked on."""
        return len(self._running)

    async def run(self, job: Callable[[Callable[[], bool]], _T], size: int = 0) -> _T:
        """Runs a job in a thread. Its argument tells it whether this call was cancelled, so that it can give up.

        `size` is the number of characters that it works on.
        """
        gone = self._enter()
        try:
            working = await self._start(lambda: job(gone.is_set), size)
            self._running[gone] = working.cancel
            return await working
        except asyncio.CancelledError:
            if self._stopped:
                raise Stale from None
            raise
        finally:
            self._leave(gone)

    async def stream(
        self, job: Callable[[Callable[[], bool]], Iterator[_T]], size: int = 0
    ) -> AsyncGenerator[_T, None]:
        """Passes on what a job yields, item by item."""
        loop = asyncio.get_running_loop()
        arrived: asyncio.Queue[_T | Stale | None] = asyncio.Queue()
        gone = self._enter()

        def work() -> None:
            try:
                for item in job(gone.is_set):
                    loop.call_soon_threadsafe(arrived.put_nowait, item)
            finally:
                loop.call_soon_threadsafe(arrived.put_nowait, None)

        working: asyncio.Future[None] | None = None
        try:
            working = await self._start(work, size)
            self._running[gone] = lambda: arrived.put_nowait(Stale())
            while (item := await arrived.get()) is not None:
                if isinstance(item, Stale):
                    raise item
                yield item
                # Items that wait already would come without a pause in which the event loop serves others.
                await asyncio.sleep(0)
            await working
        finally:
            if working:
                working.cancel()
            self._leave(gone)

    def stop(self) -> None:
        """Ends all requests with `Stale`, at once; their threads give up when they can."""
        self._stopped = True
        for gone, end in list(self._running.items()):
            gone.set()
            end()

    def close(self) -> None:
        """Waits for the threads. Call it when no request runs."""
        for threads in (self._small_threads, self._threads):
            threads.shutdown(wait=True, cancel_futures=True)

    async def _start(self, work: Callable[[], _T], size: int) -> asyncio.Future[_T]:
        """Starts work in a thread; a large text waits until few others are worked on."""
        if size <= _LARGE:
            threads = self._small_threads if size <= _SMALL else self._threads
            return asyncio.wrap_future(threads.submit(work))
        loop = asyncio.get_running_loop()
        await self._large.acquire()
        if self._stopped:
            self._large.release()
            raise Stale

        def release(_: object) -> None:
            with suppress(RuntimeError):  # the event loop is closed
                loop.call_soon_threadsafe(self._large.release)

        submitted = self._threads.submit(work)
        submitted.add_done_callback(release)  # when the thread is done, not when its caller has left
        return asyncio.wrap_future(submitted)

    def _enter(self) -> Event:
        if self._stopped:
            raise Stale
        if len(self._running) >= self._limit:
            raise OverloadedError
        gone = Event()
        self._running[gone] = gone.set
        return gone

    def _leave(self, gone: Event) -> None:
        gone.set()
        del self._running[gone]

"""How a server bears many clients at once: sentences a second, waiting times, errors, memory."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from ipaddress import ip_address
from itertools import count
from typing import Any
from urllib.parse import urlsplit

from redraft.errors import InputError

CLIENTS = (1, 8, 64)
REQUESTS = 1000
_MEMORY, _PROCESSOR = "process_resident_memory_bytes", "process_cpu_seconds_total"
_DECODED, _REMEMBERED = 'redraft_sentences_total{by="model"}', 'redraft_sentences_total{by="cache"}'
_NUMBERS = 1000
"""Those of four digits, all of like length."""
_PATIENCE = 120.0
"""Seconds after which an answer counts as lost."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: bytes


@dataclass(slots=True)
class Line:
    """One connection to the server, kept open. Small on purpose: the client must not take the server's time."""

    host: str
    port: int
    _streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = field(default=None, repr=False)

    async def ask(self, method: str, path: str, body: bytes = b"") -> Answer:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self.host, self.port)
        reader, writer = self._streams
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        first, *headers = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().split("\r\n")
        lengths = [line.partition(":")[2] for line in headers if line.startswith("content-length:")]
        answer = Answer(int(first.split()[1]), await reader.readexactly(int(lengths[0])))
        if "connection: close" in headers:
            self.close()
        return answer

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


@dataclass(frozen=True, slots=True)
class Level:
    """What so many clients at once, each asking again as soon as it is answered, saw of the server."""

    clients: int
    requests: int
    errors: int
    seconds: float
    sentences_per_second: float
    median_milliseconds: float
    slowest_percent_milliseconds: float
    """The 99th percentile."""
    longest_milliseconds: float
    processor_milliseconds: float
    """What the server computed for a request; unlike the others, hardly moved by what else the machine does."""
    remembered: int
    """Sentences that the server had decoded before: none, or the figures flatter it."""
    megabytes: float
    """Memory of the server afterwards."""


@dataclass(frozen=True, slots=True)
class LoadReport:
    megabytes: float
    """Memory of the server before."""
    levels: tuple[Level, ...]

    @property
    def errors(self) -> int:
        return sum(level.errors for level in self.levels)

    def to_mapping(self) -> dict[str, Any]:
        return asdict(self)


def run(
    url: str,
    sentences: Sequence[str],
    advance: Callable[[], None],
    clients: Sequence[int] = CLIENTS,
    requests: int = REQUESTS,
) -> LoadReport:
    """Asks for one sentence at a time, each a little different, so that the server cannot remember it."""
    host, port = _local(url)
    if not sentences:
        raise InputError("there is no sentence to send: give a file with one a line")
    return asyncio.run(_run(host, port, list(dict.fromkeys(sentences)), advance, clients, requests))


async def _run(
    host: str, port: int, sentences: Sequence[str], advance: Callable[[], None], clients: Sequence[int], requests: int
) -> LoadReport:
    try:
        before = await _figures(host, port)
    except OSError as error:
        raise InputError(f"no server answers at {host}:{port}: {error.strerror}; start one: redraft serve") from None
    # Numbers tell sentences apart; another run on the same server begins with others.
    first = _NUMBERS + before.decoded % (9 * _NUMBERS)
    fresh = (f"{sentence.rstrip('.!?')} {number}." for number in count(first) for sentence in sentences)
    levels = [await _measure(host, port, fresh, advance, number, requests) for number in clients]
    return LoadReport(before.megabytes, tuple(levels))


async def _measure(
    host: str, port: int, fresh: Iterator[str], advance: Callable[[], None], clients: int, requests: int
) -> Level:
    waited: list[float] = []
    errors = 0
    left = iter(range(requests))

    async def ask_again() -> None:
        nonlocal errors
        line = Line(host, port)
        for _ in left:
            body = json.dumps({"text": next(fresh)}).encode()
            start = time.perf_counter()
            try:
                answer = await asyncio.wait_for(line.ask("POST", "/v1/check", body), _PATIENCE)
                errors += answer.status != 200
            except (OSError, TimeoutError, asyncio.IncompleteReadError):
                errors += 1
                line.close()
            waited.append((time.perf_counter() - start) * 1000)
            advance()
        line.close()

    before = await _figures(host, port)
    start = time.perf_counter()
    await asyncio.gather(*(ask_again() for _ in range(clients)))
    seconds = time.perf_counter() - start
    after = await _figures(host, port)
    waited.sort()
    return Level(
        clients,
        requests,
        errors,
        round(seconds, 2),
        round((requests - errors) / seconds, 1),
        round(waited[len(waited) // 2], 1),
        round(waited[len(waited) * 99 // 100], 1),
        round(waited[-1], 1),
        round((after.processor_seconds - before.processor_seconds) / requests * 1000, 1),
        after.remembered - before.remembered,
        after.megabytes,
    )


@dataclass(frozen=True, slots=True)
class _Figures:
    megabytes: float
    processor_seconds: float
    decoded: int
    remembered: int


async def _figures(host: str, port: int) -> _Figures:
    line = Line(host, port)
    answer = await line.ask("GET", "/metrics")
    line.close()
    rows = (row.rpartition(" ") for row in answer.body.decode().splitlines() if not row.startswith("#"))
    figures = {name: float(value) for name, _, value in rows}
    memory, processor, decoded, remembered = (
        figures.get(name, 0.0) for name in (_MEMORY, _PROCESSOR, _DECODED, _REMEMBERED)
    )
    return _Figures(round(memory / 2**20, 1), processor, int(decoded), int(remembered))


def _local(url: str) -> tuple[str, int]:
    host, port = "", 0
    try:
        parts = urlsplit(url if "//" in url else f"//{url}")
        host, port = parts.hostname or "", parts.port or 80
        local = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        local = False
    if not local:
        raise InputError(f"{url}: only a server on this machine is put under load, such as http://127.0.0.1:8081")
    return host, port

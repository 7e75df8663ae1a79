"""Load test of a running server: throughput, latency, errors and memory by the number of concurrent clients."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from ipaddress import ip_address
from itertools import count, islice
from typing import Any
from urllib.parse import urlencode, urlsplit

from redraft.errors import InputError

CLIENTS = (1, 8, 64)
REQUESTS = 1000
_MEMORY, _PROCESSOR = "process_resident_memory_bytes", "process_cpu_seconds_total"
_DECODED, _CACHED = 'redraft_sentences_total{by="model"}', 'redraft_sentences_total{by="cache"}'
_OWN, _LANGUAGETOOL = "/v1/check", "/v2/check"
_THRESHOLD_STEP = 1e-12
"""Difference of the thresholds of two rounds. The server caches by sentence and threshold; the answers are the same."""
_BULK_SENTENCES = 20
"""Sentences in each text of a client that sends texts in bulk."""
_TIMEOUT = 120.0
"""Seconds to wait for an answer before it counts as an error."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Request:
    text: str
    threshold: float

    def to_json(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    def to_form(self) -> bytes:
        """For LanguageTool's API, which has no threshold."""
        return urlencode({"language": "auto", "text": self.text}).encode()


@dataclass(slots=True)
class Connection:
    """A persistent HTTP connection, minimal so that the client takes little of the machine's time."""

    host: str
    port: int
    _streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = field(default=None, repr=False)

    async def ask(self, method: str, path: str, body: bytes = b"") -> Answer:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self.host, self.port)
        reader, writer = self._streams
        kind = "application/x-www-form-urlencoded" if path == _LANGUAGETOOL else "application/json"
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
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
class PipeSpeed:
    """All sentences, each once, through `Corrector.pipe`, which has no HTTP and all of them at hand."""

    sentences_per_second: float
    processor_milliseconds: float
    """Processor time for a sentence."""


Pipe = Callable[[Sequence[str]], object]
"""Corrects sentences without a cache."""


@dataclass(frozen=True, slots=True)
class Level:
    """Results with one number of clients, each of which sends its next request as soon as it has its answer."""

    clients: int
    requests: int
    errors: int
    seconds: float
    sentences_per_second: float
    median_milliseconds: float
    p99_milliseconds: float
    max_milliseconds: float
    processor_milliseconds: float
    """Processor time of the server for a request; other programs hardly affect it."""
    cached: int
    """Sentences answered from the server's cache; the figures are too good unless it is 0."""
    megabytes: float
    """Memory of the server after the requests."""
    bulk_clients: int = 0
    """Other clients that sent long texts all the while. They count in nothing but `processor_milliseconds`."""
    pipe: PipeSpeed | None = None
    """That of the library, right after the requests; None if it was not measured."""


@dataclass(frozen=True, slots=True)
class LoadReport:
    megabytes: float
    """Memory of the server before all requests."""
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
    bulk_clients: int = 0,
    pipe: Pipe | None = None,
    languagetool: bool = False,
) -> LoadReport:
    """Sends one sentence a request, and in each round another threshold, so that none is in the server's cache.

    With `languagetool`, to LanguageTool's API, which has no threshold: then no sentence is sent twice.

    With `bulk_clients`, every number of clients is measured twice: alone, and beside these clients. With `pipe`, the
    library corrects the sentences after each of them.
    """
    host, port = _local_address(url)
    if not sentences:
        raise InputError("no sentence to send; use a file with one sentence a line")
    sentences = list(dict.fromkeys(sentences))
    if languagetool and (bulk_clients or len(clients) * requests > len(sentences)):
        raise InputError(
            f"LanguageTool's API is measured without bulk clients and needs a new sentence for each request: "
            f"{len(clients) * requests:,}, not {len(sentences):,}; use fewer requests"
        )
    path = _LANGUAGETOOL if languagetool else _OWN
    return asyncio.run(_run(host, port, path, sentences, advance, clients, requests, bulk_clients, pipe))


async def _run(
    host: str,
    port: int,
    path: str,
    sentences: Sequence[str],
    advance: Callable[[], None],
    clients: Sequence[int],
    requests: int,
    bulk_clients: int,
    pipe: Pipe | None,
) -> LoadReport:
    try:
        before = await _read_metrics(host, port)
    except OSError as error:
        raise InputError(f"no server answers at {host}:{port}: {error.strerror}; start one: redraft serve") from None
    threshold = await _read_threshold(host, port)
    step = _THRESHOLD_STEP if threshold < 0.5 else -_THRESHOLD_STEP
    # Another run on the same server begins with another threshold.
    fresh = (Request(sentence, threshold + step * number) for number in count(before.decoded) for sentence in sentences)
    levels = []
    for number in clients:
        level = await _measure(host, port, path, fresh, advance, number, requests)
        levels.append(replace(level, pipe=_time_pipe(pipe, sentences)) if pipe else level)
        if bulk_clients:
            bulk = [asyncio.create_task(_send_in_bulk(host, port, fresh)) for _ in range(bulk_clients)]
            await asyncio.sleep(0)
            level = await _measure(host, port, path, fresh, advance, number, requests)
            levels.append(replace(level, bulk_clients=bulk_clients))
            for task in bulk:
                task.cancel()
            await asyncio.gather(*bulk, return_exceptions=True)
    return LoadReport(before.megabytes, tuple(levels))


def _time_pipe(pipe: Pipe, sentences: Sequence[str]) -> PipeSpeed:
    start, processor = time.perf_counter(), time.process_time()
    pipe(sentences)
    seconds, processor = time.perf_counter() - start, time.process_time() - processor
    return PipeSpeed(round(len(sentences) / seconds, 1), round(processor / len(sentences) * 1000, 1))


async def _send_in_bulk(host: str, port: int, fresh: Iterator[Request]) -> None:
    """Sends one long text after another until it is cancelled."""
    connection = Connection(host, port)
    try:
        while True:
            some = list(islice(fresh, _BULK_SENTENCES))
            text = " ".join(request.text for request in some)
            await connection.ask("POST", _OWN, replace(some[0], text=text).to_json())
    finally:
        connection.close()


async def _measure(
    host: str, port: int, path: str, fresh: Iterator[Request], advance: Callable[[], None], clients: int, requests: int
) -> Level:
    latencies: list[float] = []
    errors = 0
    left = iter(range(requests))

    async def send_requests() -> None:
        nonlocal errors
        connection = Connection(host, port)
        for _ in left:
            request = next(fresh)
            body = request.to_form() if path == _LANGUAGETOOL else request.to_json()
            start = time.perf_counter()
            try:
                answer = await asyncio.wait_for(connection.ask("POST", path, body), _TIMEOUT)
                errors += answer.status != 200
            except (OSError, TimeoutError, asyncio.IncompleteReadError):
                errors += 1
                connection.close()
            latencies.append((time.perf_counter() - start) * 1000)
            advance()
        connection.close()

    before = await _read_metrics(host, port)
    start = time.perf_counter()
    await asyncio.gather(*(send_requests() for _ in range(clients)))
    seconds = time.perf_counter() - start
    after = await _read_metrics(host, port)
    latencies.sort()
    return Level(
        clients,
        requests,
        errors,
        round(seconds, 2),
        round((requests - errors) / seconds, 1),
        round(latencies[len(latencies) // 2], 1),
        round(latencies[len(latencies) * 99 // 100], 1),
        round(latencies[-1], 1),
        round((after.processor_seconds - before.processor_seconds) / requests * 1000, 1),
        after.cached - before.cached,
        after.megabytes,
    )


@dataclass(frozen=True, slots=True)
class _Metrics:
    megabytes: float
    processor_seconds: float
    decoded: int
    cached: int


async def _get(host: str, port: int, path: str) -> bytes:
    connection = Connection(host, port)
    answer = await connection.ask("GET", path)
    connection.close()
    return answer.body


async def _read_threshold(host: str, port: int) -> float:
    return float(json.loads(await _get(host, port, "/v1/info"))["threshold"])


async def _read_metrics(host: str, port: int) -> _Metrics:
    body = await _get(host, port, "/metrics")
    rows = (row.rpartition(" ") for row in body.decode().splitlines() if not row.startswith("#"))
    figures = {name: float(value) for name, _, value in rows}
    memory, processor, decoded, cached = (figures.get(name, 0.0) for name in (_MEMORY, _PROCESSOR, _DECODED, _CACHED))
    return _Metrics(round(memory / 2**20, 1), processor, int(decoded), int(cached))


def _local_address(url: str) -> tuple[str, int]:
    host, port = "", 0
    try:
        parts = urlsplit(url if "//" in url else f"//{url}")
        host, port = parts.hostname or "", parts.port or 80
        local = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        local = False
    if not local:
        raise InputError(f"{url}: not a server on this machine; use an address such as http://127.0.0.1:8081")
    return host, port

"""Metrics for Prometheus. Labels come from fixed lists, so that no text of a user becomes one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from redraft.edits.edit import Edit

_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_SENTENCES = (1, 2, 4, 8, 16, 32, 64, 128)


class Metrics:
    """The metrics of one server, in a registry of its own."""

    def __init__(self, queue_length: Callable[[], int]) -> None:
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        self._requests = Counter("redraft_requests", "Responses", ["path", "method", "status"], registry=registry)
        self._seconds = Histogram(
            "redraft_request_seconds", "Response time", ["path"], registry=registry, buckets=_SECONDS
        )
        self._sentences = Counter("redraft_sentences", "Sentences by source: model or cache", ["by"], registry=registry)
        self._batch = Histogram(
            "redraft_batch_sentences", "Sentences decoded together", registry=registry, buckets=_SENTENCES
        )
        self._edits = Counter("redraft_edits", "Suggested edits", ["kind"], registry=registry)
        queue = Gauge("redraft_queue_length", "Requests waiting or in progress", registry=registry)
        queue.set_function(queue_length)

    def decoded(self, sentences: int, known: int) -> None:
        self._sentences.labels("cache").inc(known)
        self._sentences.labels("model").inc(sentences - known)
        if sentences > known:
            self._batch.observe(sentences)

    def count_response(self, path: str, method: str, status: int, seconds: float) -> None:
        self._requests.labels(path, method if method in _METHODS else "other", str(status)).inc()
        self._seconds.labels(path).observe(seconds)

    def count_edits(self, edits: Iterable[Edit]) -> None:
        for edit in edits:
            self._edits.labels(edit.kind.value).inc()

    def response(self) -> Response:
        return Response(generate_latest(self._registry), media_type=CONTENT_TYPE_LATEST)


class MetricsMiddleware:
    """Counts responses and their time by route, never by requested path, which may contain text."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 499  # nginx's status for a client that closed the connection before the response

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        start = time.perf_counter()
        try:
            await self._app(scope, receive, watch)
        finally:
            path = getattr(scope.get("route"), "path", "other")
            self._metrics.count_response(path, scope["method"], status, time.perf_counter() - start)

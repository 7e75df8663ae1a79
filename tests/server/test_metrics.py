from __future__ import annotations

import asyncio

from starlette.types import Message, Receive, Scope, Send

from redraft.edits.edit import Edit, Kind
from redraft.server.metrics import Metrics, MetricsMiddleware
from redraft.text.span import Span


def text_of(metrics: Metrics) -> str:
    return bytes(metrics.response().body).decode()


def test_metrics_are_counted() -> None:
    metrics = Metrics(lambda: 3)
    metrics.decoded(5, known=2)
    metrics.count_response("/v1/check", "POST", 200, 0.01)
    metrics.count_edits([Edit(Span(0, 2), "go", "goes", Kind.AGREEMENT)])
    shown = text_of(metrics)
    assert "redraft_queue_length 3.0" in shown
    assert 'redraft_sentences_total{by="model"} 3.0' in shown
    assert 'redraft_sentences_total{by="cache"} 2.0' in shown
    assert "redraft_batch_sentences_sum 5.0" in shown
    assert 'redraft_edits_total{kind="agreement"} 1.0' in shown
    assert 'redraft_request_seconds_bucket{le="0.025",path="/v1/check"} 1.0' in shown


def test_two_servers_do_not_share_metrics() -> None:
    first, second = Metrics(lambda: 0), Metrics(lambda: 0)
    first.decoded(1, known=0)
    assert 'redraft_sentences_total{by="model"}' not in text_of(second)


def test_unknown_paths_and_methods_are_no_labels() -> None:
    metrics = Metrics(lambda: 0)

    async def vanish(scope: Scope, receive: Receive, send: Send) -> None:
        """Ends without an answer, as when the client has gone."""

    async def ask() -> None:
        async def receive() -> Message:
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            raise AssertionError

        await MetricsMiddleware(vanish, metrics)(
            {"type": "http", "path": "/my secret", "method": "MYSECRET"}, receive, send
        )

    asyncio.run(ask())
    assert 'redraft_requests_total{method="other",path="other",status="499"} 1.0' in text_of(metrics)
    assert "secret" not in text_of(metrics).lower()

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from served import PAIRS, gated, live, make_app, scripted_corrector

from redraft.errors import InputError
from redraft.lab.bench.server_load import run


def test_every_request_is_counted(tmp_path: Path) -> None:
    corrector = scripted_corrector()
    steps: list[None] = []
    with live(make_app(tmp_path, corrector)) as port:
        report = run(f"http://127.0.0.1:{port}", list(PAIRS), lambda: steps.append(None), clients=(1, 4), requests=12)
    assert [(level.clients, level.requests, level.errors) for level in report.levels] == [(1, 12, 0), (4, 12, 0)]
    assert report.errors == 0
    assert len(steps) == 24
    assert sum(gated(corrector).batches) == 48  # every sentence is corrected and then read again
    assert all(level.median_milliseconds <= level.max_milliseconds for level in report.levels)
    assert report.to_mapping()["levels"][1]["clients"] == 4


def test_every_level_is_measured_alone_and_beside_clients_that_send_long_texts(tmp_path: Path) -> None:
    corrector = scripted_corrector()
    with live(make_app(tmp_path, corrector)) as port:
        report = run(f"http://127.0.0.1:{port}", list(PAIRS), lambda: None, (1,), 8, bulk_clients=2)
    assert [(level.clients, level.bulk_clients, level.errors) for level in report.levels] == [(1, 0, 0), (1, 2, 0)]
    assert max(gated(corrector).batches) > 1
    assert sum(gated(corrector).batches) > 16


def test_no_run_sends_a_sentence_that_the_server_has_cached(tmp_path: Path) -> None:
    corrector = scripted_corrector()
    twice = [*PAIRS, *PAIRS]
    with live(make_app(tmp_path, corrector)) as port:
        url = f"http://127.0.0.1:{port}"
        reports = [run(url, twice, lambda: None, clients=(2,), requests=40) for _ in range(2)]
        # The server does count cached sentences.
        for _ in range(2):
            httpx.post(f"{url}/v1/check", json={"text": "The same."})
        figures = httpx.get(f"{url}/metrics").text
    assert [level.cached for report in reports for level in report.levels] == [0, 0]
    assert 'redraft_sentences_total{by="cache"} 1.0' in figures


def test_refusals_are_errors(tmp_path: Path) -> None:
    with live(make_app(tmp_path, max_text=5)) as port:
        report = run(f"127.0.0.1:{port}", list(PAIRS), lambda: None, clients=(2,), requests=6)
    assert report.errors == 6


@pytest.mark.parametrize("url", ["http://example.org:8081", "http://192.168.0.1", "http://[::1"])
def test_only_a_server_on_this_machine_is_tested(url: str) -> None:
    with pytest.raises(InputError, match="not a server on this machine"):
        run(url, ["Hi."], lambda: None)


def test_a_missing_sentence_or_server_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no sentence"):
        run("http://localhost:1", [], lambda: None)
    with pytest.raises(InputError, match="no server answers"):
        run("http://127.0.0.1:1", ["Hi."], lambda: None)

from __future__ import annotations

from collections.abc import Sequence
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


def test_the_library_corrects_all_sentences_after_each_level(tmp_path: Path) -> None:
    corrected: list[list[str]] = []

    def pipe(sentences: Sequence[str]) -> None:
        corrected.append([result.text for result in scripted_corrector().pipe(sentences)])

    with live(make_app(tmp_path)) as port:
        url = f"http://127.0.0.1:{port}"
        report = run(url, [*PAIRS, *PAIRS], lambda: None, (1, 2), 4, bulk_clients=1, pipe=pipe)
    assert corrected == [list(PAIRS.values())] * 2
    assert [(level.clients, level.bulk_clients, level.pipe is None) for level in report.levels] == [
        *((1, 0, False), (1, 1, True)),
        *((2, 0, False), (2, 1, True)),
    ]
    first = report.levels[0].pipe
    assert first and first.sentences_per_second > 0


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


def test_requests_to_the_api_of_languagetool_have_a_new_sentence_each(tmp_path: Path) -> None:
    sentences = [f"Number {number}." for number in range(8)]
    with live(make_app(tmp_path)) as port:
        url = f"http://127.0.0.1:{port}"
        report = run(url, sentences, lambda: None, clients=(1, 2), requests=4, languagetool=True)
        figures = httpx.get(f"{url}/metrics").text
        with pytest.raises(InputError, match="8, not 7; use fewer requests"):
            run(url, sentences[1:], lambda: None, clients=(1, 2), requests=4, languagetool=True)
    assert [(level.errors, level.cached) for level in report.levels] == [(0, 0), (0, 0)]
    assert 'redraft_requests_total{method="POST",path="/v2/check",status="200"} 8.0' in figures


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

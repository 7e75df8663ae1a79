from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from served import WRONG, gated, live, make_app, scripted_corrector


@pytest.mark.parametrize("streams", [False, True])
def test_requests_that_are_not_finished_in_time_are_refused_without_noise(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, streams: bool
) -> None:
    corrector = scripted_corrector(batch_tokens=16)
    engine = gated(corrector)
    engine.gate.clear()

    def ask(port: int) -> httpx.Response:
        headers = {"accept": "application/x-ndjson"} if streams else {}
        try:
            return httpx.post(f"http://127.0.0.1:{port}/v1/check", json={"text": WRONG}, headers=headers, timeout=60)
        finally:
            engine.gate.set()  # the server ends when its engine does

    with ThreadPoolExecutor() as threads:
        with live(make_app(tmp_path, corrector, stop_seconds=0)) as port:
            asking = [threads.submit(ask, port) for _ in range(2)]
            assert engine.asked.wait(30)
            while httpx.get(f"http://127.0.0.1:{port}/metrics").text.count("redraft_queue_length 2.0") == 0:
                pass
        answers = [one.result() for one in asking]
    assert [answer.status_code for answer in answers] == [503, 503]
    assert {answer.json()["error"] for answer in answers} == {"the server is being stopped"}
    assert caplog.text == ""


def test_a_stream_that_is_not_finished_in_time_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    corrector = scripted_corrector(batch_tokens=16)
    engine = gated(corrector)
    text = "\n\n".join(f"This is paragraph number {number}." for number in range(500))
    with ThreadPoolExecutor() as threads:
        with live(make_app(tmp_path, corrector, stop_seconds=0)) as port:
            url, accept = f"http://127.0.0.1:{port}/v1/check", {"accept": "application/x-ndjson"}
            streaming = httpx.stream("POST", url, json={"text": text}, headers=accept, timeout=60)
            response = streaming.__enter__()
            lines = response.iter_lines()
            assert json.loads(next(lines))["sentence"]["start"] == 0
            engine.gate.clear()
            rest = threads.submit(list, lines)
            rest.add_done_callback(lambda _: engine.gate.set())
        last = json.loads(rest.result()[-1])
        streaming.__exit__(None, None, None)
    assert (last["done"], last["error"]) == (False, "the server is being stopped")
    assert caplog.text == ""

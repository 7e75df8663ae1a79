from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest
from scripted import ScriptedEngine
from served import BOLD, FACE, PAIRS, WRONG, converse, gated, live, make_app, scripted_corrector, tokenizer

import redraft

ESSAY = f"{FACE} Look. {WRONG} I saw a {BOLD} cat."
Ask = Callable[..., httpx.Response]


@pytest.mark.parametrize(
    ("unit", "codec", "width"), [("utf-16", "utf-16-le", 2), ("utf-8", "utf-8", 1), ("code-points", "utf-32-le", 4)]
)
def test_a_check_reports_edits_with_offsets_in_the_requested_unit(ask: Ask, unit: str, codec: str, width: int) -> None:
    reply = ask("POST", "/v1/check", json={"text": ESSAY, "offsets": unit}).json()
    encoded = ESSAY.encode(codec)
    for edit in reply["edits"]:
        assert encoded[width * edit["start"] : width * edit["end"]].decode(codec) == edit["source"]
    assert [(edit["source"], edit["replacement"]) for edit in reply["edits"]] == [
        ("go", "goes"),
        ("days", "day"),
        (BOLD, "bad"),
    ]
    assert set(reply["edits"][0]) == {
        *("start", "end", "source", "replacement", "kind", "rule", "confidence", "explanation"),
    }
    assert [sentence["text"] for sentence in reply["sentences"]] == ["Look.", WRONG, f"I saw a {BOLD} cat."]
    assert reply["language"] == "en"
    assert reply["calls"] >= 3
    assert "trace" not in reply


def test_options_of_a_check(ask: Ask) -> None:
    def kinds(**options: Any) -> list[str]:
        response = ask("POST", "/v1/check", json={"text": WRONG, **options})
        return [edit["kind"] for edit in response.json()["edits"]]

    assert kinds() == ["agreement", "noun-number"]
    assert kinds(kinds=["agreement"]) == ["agreement"]
    assert kinds(ignored_kinds=["agreement"]) == ["noun-number"]
    assert kinds(threshold=1) == ["agreement", "noun-number"]
    assert kinds(language="en-GB") == ["agreement", "noun-number"]


def test_sentences_that_no_model_reads_are_reported_as_unchecked(ask: Ask) -> None:
    russian = "Она идёт в школу."
    text = f"{FACE} {WRONG} {russian} Look."
    reply = ask("POST", "/v1/check", json={"text": text}).json()
    (unchecked,) = reply["unchecked"]
    assert unchecked["reason"] == "other-language"
    assert unchecked["message"] == "Cyrillic text, but only English is checked"
    encoded = text.encode("utf-16-le")
    assert encoded[2 * unchecked["start"] : 2 * unchecked["end"]].decode("utf-16-le").strip() == russian
    streamed = ask("POST", "/v1/check", json={"text": text}, headers={"accept": "application/x-ndjson"})
    steps = [json.loads(line) for line in streamed.text.splitlines()][:-1]
    assert [step.get("unchecked") for step in steps] == [None, unchecked, None]
    assert ask("POST", "/v1/check", json={"text": f"{WRONG} 12345."}).json()["unchecked"] == []


def test_alternatives_are_reported_when_asked_for(ask: Ask) -> None:
    plain = ask("POST", "/v1/check", json={"text": WRONG}).json()["edits"]
    reply = ask("POST", "/v1/check", json={"text": WRONG, "alternatives": True}).json()
    first, second = ([one["replacement"] for one in edit["alternatives"]] for edit in reply["edits"])
    assert (first, second) == (["goes", "is"], ["day"])
    for edit in reply["edits"]:
        own = edit["alternatives"][0]
        assert (own["replacement"], own["confidence"]) == (edit["replacement"], edit["confidence"])
        del edit["alternatives"]
    assert reply["edits"] == plain
    stream = {"headers": {"accept": "application/x-ndjson"}, "json": {"text": WRONG, "alternatives": True}}
    line = json.loads(ask("POST", "/v1/check", **stream).text.splitlines()[0])
    assert [len(edit["alternatives"]) for edit in line["edits"]] == [2, 1]


def test_markup_is_not_touched(ask: Ask) -> None:
    source = f"# Title\n\n- `She go` is code, [this](http://example.org/freind) a link. {WRONG}\n"
    reply = ask("POST", "/v1/correct", json={"text": source, "format": "markdown"}).json()
    assert reply["text"] == source.replace(WRONG, PAIRS[WRONG])


def test_a_correction_has_the_corrected_text(ask: Ask) -> None:
    reply = ask("POST", "/v1/correct", json={"text": " ".join(PAIRS)}).json()
    assert reply["text"] == " ".join(PAIRS.values())
    assert len(reply["edits"]) == 10


def test_a_check_with_a_trace(ask: Ask) -> None:
    reply = ask("POST", "/v1/check", json={"text": WRONG, "trace": True}).json()
    (trace,) = reply["trace"]
    assert trace["source"] == WRONG
    assert trace["target"] == PAIRS[WRONG]
    assert trace["calls"] == len(trace["blocks"])
    (repeat,) = trace["repeats"]
    assert (repeat["source"], repeat["target"]) == (PAIRS[WRONG], PAIRS[WRONG])
    assert reply["calls"] == trace["calls"] + repeat["calls"]


def test_a_stream_has_a_line_for_each_sentence(tmp_path: Path) -> None:
    async def talk(client: httpx.AsyncClient) -> list[Any]:
        headers = {"accept": "application/x-ndjson"}
        async with client.stream("POST", "/v1/check", json={"text": ESSAY}, headers=headers) as response:
            assert response.headers["content-type"] == "application/x-ndjson"
            return [json.loads(line) async for line in response.aiter_lines()]

    *steps, last = converse(tmp_path, talk)
    whole = converse(tmp_path, lambda client: client.post("/v1/check", json={"text": ESSAY})).json()
    assert [edit for step in steps for edit in step["edits"]] == whole["edits"]
    assert [step["sentence"] for step in steps] == whole["sentences"]
    assert last["done"] is True
    assert last["calls"] == whole["calls"]
    assert set(last) == {"done", "milliseconds", "calls"}


def test_a_stream_that_cannot_begin_has_a_status(ask: Ask) -> None:
    headers = {"accept": "application/x-ndjson"}
    refused = ask("POST", "/v1/check", json={"text": "x" * 9}, headers=headers, settings={"max_text": 8})
    assert refused.status_code == 413
    empty = ask("POST", "/v1/check", json={"text": ""}, headers=headers)
    assert [json.loads(line)["done"] for line in empty.text.splitlines()] == [True]


def test_a_stream_that_fails_midway_ends_with_an_error(tmp_path: Path) -> None:
    corrector = scripted_corrector()
    engine = gated(corrector)
    decode = engine.start

    def fail_at_the_end(sources: Any) -> Any:
        if tokenizer().encode(WRONG) in sources:
            raise RuntimeError(WRONG)
        return decode(sources)

    engine.start = fail_at_the_end  # type: ignore[method-assign]
    text = "\n\n".join([*(f"This is paragraph number {number}." for number in range(40)), WRONG])
    request: dict[str, Any] = {"json": {"text": text}, "headers": {"accept": "application/x-ndjson"}}
    response = converse(tmp_path, lambda client: client.post("/v1/check", **request), corrector)
    *steps, last = [json.loads(line) for line in response.text.splitlines()]
    assert [step["sentence"]["start"] for step in steps][:1] == [0]
    assert last["done"] is False
    assert last["error"] == "the server failed; its log says where"


def test_a_trace_of_several_policies(ask: Ask) -> None:
    reply = ask("POST", "/v1/trace", json={"sentence": WRONG}).json()
    assert {"none", "suffix", "refine"} <= set(reply)
    assert {trace["target"] for trace in reply.values()} == {PAIRS[WRONG]}
    assert reply["none"]["calls"] == reply["none"]["tokens"] > reply["refine"]["calls"]
    assert {"text", "drafted", "agreed", "rejected", "parallel"} <= set(reply["none"]["blocks"][0])
    assert list(ask("POST", "/v1/trace", json={"sentence": WRONG, "policies": ["none"]}).json()) == ["none"]
    assert ask("POST", "/v1/trace", json={"sentence": WRONG, "policies": ["wild"]}).status_code == 400
    assert ask("POST", "/v1/trace", json={"sentence": " "}).status_code == 422


def test_info_health_and_readiness(ask: Ask) -> None:
    info = ask("GET", "/v1/info", settings={"max_text": 99}).json()
    assert info["model"] == {"name": "scripted", "language": "en", "parameters": 7}
    assert info["limits"]["text"] == 99
    article = next(kind for kind in info["kinds"] if kind["id"] == "article")
    assert (article["name"], article["rule"]) == ("Article", "REDRAFT_ARTICLE")
    assert article["names"] == {"en": "Article", "zh": "冠词", "zh-Hant": "冠詞"}
    assert "markdown" in info["formats"]
    assert "refine" in info["policies"]
    assert info["threshold"] == 0
    assert info["thresholds"] == {"en": 0}
    assert ask("GET", "/health").json() == {"status": "ok"}
    assert ask("GET", "/ready").json() == {"status": "ready"}


def test_ignores_have_a_longest_length(ask: Ask) -> None:
    once = {"ignore": "once", "source": "\U0001f600" * 400, "replacement": "y" * 400, "sentence": "z" * 20_000}
    assert ask("POST", "/v1/ignores", json=once).json() == {"changed": True}
    (entry,) = ask("GET", "/v1/ignores").json()["ignores"]
    for name in ("source", "replacement", "sentence"):
        refused = ask("POST", "/v1/ignores", json={**once, name: f"{once[name]}x"})
        assert (refused.status_code, refused.json()["error"].split(":")[0]) == (422, f"once.{name}")
    assert ask("POST", "/v1/ignores", json={"ignore": "word", "word": "x" * 101}).status_code == 422
    assert ask("DELETE", "/v1/ignores", params={"entry": entry}).json() == {"changed": True}
    assert ask("GET", "/v1/ignores").json() == {"ignores": []}


def test_words_and_ignores(ask: Ask) -> None:
    def count(text: str) -> int:
        return len(ask("POST", "/v1/check", json={"text": text}).json()["edits"])

    assert ask("POST", "/v1/words", json={"word": "freind"}).json() == {"changed": True}
    assert ask("GET", "/v1/words", params={"scope": "user"}).json() == {"words": ["freind"]}
    assert count("My freind likes tea.") == 0
    assert ask("DELETE", "/v1/words", params={"word": "freind"}).json() == {"changed": True}
    assert count("My freind likes tea.") == 1
    assert ask("POST", "/v1/ignores", json={"ignore": "kind", "kind": "spelling"}).json() == {"changed": True}
    assert ask("GET", "/v1/ignores").json() == {"ignores": ["kind spelling"]}
    assert count("My freind likes tea.") == 0
    assert ask("DELETE", "/v1/ignores", params={"entry": "kind spelling"}).json() == {"changed": True}
    once = {"ignore": "once", "source": "go", "replacement": "goes", "sentence": WRONG}
    assert ask("POST", "/v1/ignores", json=once).json() == {"changed": True}
    assert ask("POST", "/v1/ignores", json={"ignore": "word", "word": "days"}).json() == {"changed": True}
    assert count(WRONG) == 0
    assert ask("POST", "/v1/words", json={"word": "x", "scope": "project"}).status_code == 400


def test_a_lone_surrogate_is_kept(ask: Ask) -> None:
    body = b'{"text": "\\ud83d Look. My freind likes tea."}'
    response = ask("POST", "/v1/correct", content=body, headers={"content-type": "application/json"})
    assert response.json()["text"] == "\ud83d Look. My friend likes tea."


def test_deep_markdown_is_answered(ask: Ask) -> None:
    text = "> " * 20_000 + "My freind likes tea.\n" + "[" * 20_000
    assert ask("POST", "/v1/check", json={"text": text, "format": "markdown"}).status_code == 200


def test_a_full_queue_is_reported_at_once(tmp_path: Path) -> None:
    corrector = scripted_corrector()
    engine = gated(corrector)
    engine.gate.clear()

    async def talk(client: httpx.AsyncClient) -> None:
        first = asyncio.create_task(client.post("/v1/check", json={"text": WRONG}))
        assert await asyncio.to_thread(engine.asked.wait, 30)
        requests: list[tuple[str, dict[str, Any]]] = [
            ("/v1/check", {"json": {"text": WRONG}}),
            ("/v1/check", {"json": {"text": WRONG}, "headers": {"accept": "application/x-ndjson"}}),
            ("/v2/check", {"data": {"text": WRONG, "language": "en"}}),
        ]
        for path, request in requests:
            refused = await client.post(path, **request)
            assert refused.status_code == 503
            assert refused.headers["retry-after"] == "1"
        assert (await client.get("/ready")).status_code == 503
        assert (await client.get("/health")).status_code == 200
        assert "redraft_queue_length 1.0" in (await client.get("/metrics")).text
        engine.gate.set()
        assert (await first).status_code == 200
        assert (await client.get("/ready")).status_code == 200

    converse(tmp_path, talk, corrector, queue=1)


def test_a_check_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    corrector = scripted_corrector()
    engine = gated(corrector)
    engine.gate.clear()

    async def talk(client: httpx.AsyncClient) -> None:
        for headers in ({}, {"accept": "application/x-ndjson"}):
            slow = await client.post("/v1/check", json={"text": WRONG}, headers=headers)
            assert slow.status_code == 504
        assert (await client.get("/ready")).status_code == 200
        engine.gate.set()

    converse(tmp_path, talk, corrector, request_seconds=0.05)


def test_a_client_that_disconnects_stops_its_check(tmp_path: Path) -> None:
    corrector = scripted_corrector(batch_tokens=16)
    engine = gated(corrector)
    engine.gate.clear()
    app = make_app(tmp_path, corrector)
    text = "\n\n".join(f"This is paragraph number {number}." for number in range(500))
    with live(app) as port:
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"http://127.0.0.1:{port}/v1/check", json={"text": text}, timeout=httpx.Timeout(30, read=2))
        assert engine.asked.wait(30)
        while not app.state.service.is_idle:
            Event().wait(0.005)
        engine.gate.set()
        assert httpx.post(f"http://127.0.0.1:{port}/v1/check", json={"text": WRONG}).status_code == 200
        metrics = httpx.get(f"http://127.0.0.1:{port}/metrics").text
    assert sum(engine.batches) < 100
    assert 'redraft_requests_total{method="POST",path="/v1/check",status="499"} 1.0' in metrics


def test_a_client_that_leaves_a_stream_stops_its_check(tmp_path: Path) -> None:
    corrector = scripted_corrector()
    engine = gated(corrector)
    wait_and_decode = engine.start
    engine.gate.clear()

    def wait_at_the_end(sources: Any) -> Any:
        if tokenizer().encode(WRONG) in sources:
            return wait_and_decode(sources)
        return ScriptedEngine.start(engine, sources)

    engine.start = wait_at_the_end  # type: ignore[method-assign]
    app = make_app(tmp_path, corrector)
    text = "\n\n".join([*(f"This is paragraph number {number}." for number in range(40)), WRONG])
    request: dict[str, Any] = {"json": {"text": text}, "headers": {"accept": "application/x-ndjson"}}
    with live(app) as port:
        with httpx.stream("POST", f"http://127.0.0.1:{port}/v1/check", **request) as response:
            lines = response.iter_lines()
            assert json.loads(next(lines))["sentence"]["start"] == 0
            assert engine.asked.wait(30)
            assert not app.state.service.is_idle
        while not app.state.service.is_idle:
            Event().wait(0.005)
        engine.gate.set()


def test_metrics_contain_no_text(tmp_path: Path) -> None:
    async def talk(client: httpx.AsyncClient) -> str:
        for _ in range(2):
            await client.post("/v1/check", json={"text": WRONG})
        await client.get("/v2/check", params={"text": WRONG, "language": "en"})
        await client.get(f"/{WRONG}")
        await client.request("BREW", "/v1/check")
        return (await client.get("/metrics")).text

    metrics = converse(tmp_path, talk)
    assert 'redraft_requests_total{method="POST",path="/v1/check",status="200"} 2.0' in metrics
    assert 'redraft_requests_total{method="GET",path="/v2/check",status="200"} 1.0' in metrics
    assert 'redraft_requests_total{method="other"' in metrics
    assert 'redraft_sentences_total{by="model"} 1.0' in metrics
    assert 'redraft_sentences_total{by="cache"} 2.0' in metrics
    assert 'redraft_edits_total{kind="agreement"} 3.0' in metrics
    assert 'redraft_request_seconds_count{path="/v1/check"}' in metrics
    assert "school" not in metrics


def test_possible_errors_are_reported_on_request_and_not_corrected(tmp_path: Path) -> None:
    text = "She make her homework. He have two cats."

    async def talk(client: httpx.AsyncClient) -> list[Any]:
        bodies = [{"text": text}, {"text": text, "possible_errors": True}]
        checks = [(await client.post("/v1/check", json=body)).json() for body in bodies]
        return [*checks, (await client.post("/v1/correct", json=bodies[1])).json()]

    plain, asked, corrected = converse(tmp_path, talk, redraft.load("en", threads=1))
    assert [(edit["source"], edit.get("certain")) for edit in plain["edits"]] == [("have", None)]
    assert [(edit["source"], edit.get("certain")) for edit in asked["edits"]] == [("make", False), ("have", None)]
    assert corrected["text"] == "She make her homework. He has two cats."

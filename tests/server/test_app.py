from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

import httpx
import pytest
from scripted import ScriptedEngine
from served import BOLD, FACE, PAIRS, WRONG, client_of, gated, live, make_app, scripted_corrector, tokenizer

from redraft.check.corrector import Corrector
from redraft.server import app as http_api

_T = TypeVar("_T")
ESSAY = f"{FACE} Look. {WRONG} I saw a {BOLD} cat."
Talk = Callable[[httpx.AsyncClient], Awaitable[_T]]


def converse(home: Path, talk: Talk[_T], corrector: Corrector | None = None, **settings: Any) -> _T:
    async def whole() -> _T:
        async with client_of(make_app(home, corrector, **settings)) as client:
            return await talk(client)

    return asyncio.run(whole())


@pytest.fixture
def ask(tmp_path: Path) -> Callable[..., httpx.Response]:
    def ask(method: str, path: str, settings: dict[str, Any] | None = None, **request: Any) -> httpx.Response:
        return converse(tmp_path, lambda client: client.request(method, path, **request), **(settings or {}))

    return ask


Ask = Callable[..., httpx.Response]


@pytest.mark.parametrize(
    ("unit", "codec", "width"), [("utf-16", "utf-16-le", 2), ("utf-8", "utf-8", 1), ("code-points", "utf-32-le", 4)]
)
def test_a_check_tells_what_to_mend_and_where(ask: Ask, unit: str, codec: str, width: int) -> None:
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


def test_wishes_are_heard(ask: Ask) -> None:
    def kinds(**wishes: Any) -> list[str]:
        response = ask("POST", "/v1/check", json={"text": WRONG, **wishes})
        return [edit["kind"] for edit in response.json()["edits"]]

    assert kinds() == ["agreement", "noun-number"]
    assert kinds(kinds=["agreement"]) == ["agreement"]
    assert kinds(ignored_kinds=["agreement"]) == ["noun-number"]
    assert kinds(threshold=1) == ["agreement", "noun-number"]
    assert kinds(language="en-GB") == ["agreement", "noun-number"]


def test_markup_is_not_touched(ask: Ask) -> None:
    source = f"# Title\n\n- `She go` is code, [this](http://example.org/freind) a link. {WRONG}\n"
    reply = ask("POST", "/v1/correct", json={"text": source, "format": "markdown"}).json()
    assert reply["text"] == source.replace(WRONG, PAIRS[WRONG])


def test_a_correction_has_the_mended_text(ask: Ask) -> None:
    reply = ask("POST", "/v1/correct", json={"text": " ".join(PAIRS)}).json()
    assert reply["text"] == " ".join(PAIRS.values())
    assert len(reply["edits"]) == 10


def test_a_trace_of_the_check_can_be_had(ask: Ask) -> None:
    reply = ask("POST", "/v1/check", json={"text": WRONG, "trace": True}).json()
    (trace,) = reply["trace"]
    assert trace["source"] == WRONG
    assert trace["target"] == PAIRS[WRONG]
    assert trace["calls"] == reply["calls"] == len(trace["blocks"])


def test_a_stream_tells_sentence_after_sentence(tmp_path: Path) -> None:
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


def test_a_stream_that_breaks_off_says_so(tmp_path: Path) -> None:
    corrector = scripted_corrector()
    engine = gated(corrector)
    decode = engine.start

    def fail_at_the_end(sources: Any) -> Any:
        if tokenizer().encode(WRONG) in sources:
            raise RuntimeError(WRONG)
        return decode(sources)

    engine.start = fail_at_the_end  # type: ignore[method-assign]
    text = "\n\n".join([*(f"This is paragraph number {number}." for number in range(40)), WRONG])
    headers = {"accept": "application/x-ndjson"}
    request = {"json": {"text": text}, "headers": headers}
    response = converse(tmp_path, lambda client: client.post("/v1/check", **request), corrector)
    *steps, last = [json.loads(line) for line in response.text.splitlines()]
    assert [step["sentence"]["start"] for step in steps][:1] == [0]
    assert last["done"] is False
    assert last["error"] == "the server failed; its log says where"


def test_policies_are_compared(ask: Ask) -> None:
    reply = ask("POST", "/v1/trace", json={"sentence": WRONG}).json()
    assert {"none", "suffix", "refine"} <= set(reply)
    assert {trace["target"] for trace in reply.values()} == {PAIRS[WRONG]}
    assert reply["none"]["calls"] == reply["none"]["tokens"] > reply["refine"]["calls"]
    assert {"text", "drafted", "agreed", "rejected", "parallel"} <= set(reply["none"]["blocks"][0])
    assert list(ask("POST", "/v1/trace", json={"sentence": WRONG, "policies": ["none"]}).json()) == ["none"]
    assert ask("POST", "/v1/trace", json={"sentence": WRONG, "policies": ["wild"]}).status_code == 400
    assert ask("POST", "/v1/trace", json={"sentence": " "}).status_code == 422


def test_what_the_server_is(ask: Ask) -> None:
    info = ask("GET", "/v1/info", settings={"max_text": 99}).json()
    assert info["model"] == {"name": "scripted", "language": "en", "parameters": 7}
    assert info["limits"]["text"] == 99
    assert {"id": "article", "name": "Article", "rule": "REDRAFT_ARTICLE"} in info["kinds"]
    assert "markdown" in info["formats"]
    assert "refine" in info["policies"]
    assert info["threshold"] == 0
    assert info["thresholds"] == {"en": 0}
    assert ask("GET", "/health").json() == {"status": "ok"}
    assert ask("GET", "/ready").json() == {"status": "ready"}


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


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (b"{", 400, "the body is no valid JSON"),
        (b'{"text": "\xff"}', 400, "the body is no valid JSON"),
        (b"[" * 200_000, 400, "the body is no valid JSON"),
        (b"{}", 422, "text: Field required"),
        (b'{"text": 1}', 422, "text: must be a string"),
        (b'{"text": "a", "txet": "b"}', 422, "txet: Extra inputs are not permitted"),
        (b'{"text": "a", "format": "docx"}', 422, "format: must be one of"),
        (b'{"text": "a", "kinds": ["nonsense"]}', 422, "kinds"),
        (b'{"text": "a", "threshold": 2}', 422, "threshold"),
        (b'{"text": "a", "language": "tlh"}', 400, "'tlh' is not a language code known here; there are auto, en"),
        (b'"text"', 422, "send a JSON object"),
    ],
)
def test_mistakes_are_one_line_of_json(ask: Ask, body: bytes, status: int, says: str) -> None:
    response = ask("POST", "/v1/check", content=body, headers={"content-type": "application/json"})
    assert response.status_code == status
    (message,) = response.json().values()
    assert message.startswith(says)
    assert "\n" not in message


def test_a_form_is_told_to_be_json(ask: Ask) -> None:
    response = ask("POST", "/v1/check", content=b'{"text": "a"}', headers={"content-type": "text/plain"})
    assert response.status_code == 422
    assert "Content-Type: application/json" in response.json()["error"]


def test_mistakes_do_not_repeat_the_text(ask: Ask) -> None:
    response = ask("POST", "/v1/check", json={"text": [WRONG], "format": WRONG})
    assert response.status_code == 422
    assert WRONG not in response.text


def test_a_lone_surrogate_comes_back(ask: Ask) -> None:
    body = b'{"text": "\\ud83d Look. My freind likes tea."}'
    response = ask("POST", "/v1/correct", content=body, headers={"content-type": "application/json"})
    assert response.json()["text"] == "\ud83d Look. My friend likes tea."


def test_deep_markdown_is_answered(ask: Ask) -> None:
    text = "> " * 20_000 + "My freind likes tea.\n" + "[" * 20_000
    assert ask("POST", "/v1/check", json={"text": text, "format": "markdown"}).status_code == 200


def test_unknown_paths_and_methods(ask: Ask) -> None:
    assert ask("GET", "/v1/nothing").json() == {"error": "there is nothing at this path"}
    wrong = ask("GET", "/v1/check")
    assert wrong.status_code == 405
    assert wrong.headers["allow"] == "POST"
    assert ask("GET", "/docs").status_code == 404


def test_a_full_queue_is_told_at_once(tmp_path: Path) -> None:
    corrector = scripted_corrector()
    engine = gated(corrector)
    engine.gate.clear()

    async def talk(client: httpx.AsyncClient) -> None:
        first = asyncio.create_task(client.post("/v1/check", json={"text": WRONG}))
        assert await asyncio.to_thread(engine.asked.wait, 30)
        for path, request in (
            ("/v1/check", {"json": {"text": WRONG}}),
            ("/v1/check", {"json": {"text": WRONG}, "headers": {"accept": "application/x-ndjson"}}),
            ("/v2/check", {"data": {"text": WRONG, "language": "en"}}),
        ):
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


def test_an_answer_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
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


def test_a_client_that_goes_away_frees_its_work(tmp_path: Path) -> None:
    corrector = scripted_corrector(batch_tokens=16)
    engine = gated(corrector)
    engine.gate.clear()
    app = make_app(tmp_path, corrector)
    text = "\n\n".join(f"This is paragraph number {number}." for number in range(500))
    with live(app) as port:
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"http://127.0.0.1:{port}/v1/check", json={"text": text}, timeout=httpx.Timeout(30, read=0.2))
        assert engine.asked.wait(30)
        while not app.state.service.is_idle:
            Event().wait(0.005)
        engine.gate.set()
        assert httpx.post(f"http://127.0.0.1:{port}/v1/check", json={"text": WRONG}).status_code == 200
        metrics = httpx.get(f"http://127.0.0.1:{port}/metrics").text
    assert sum(engine.batches) < 100
    assert 'redraft_requests_total{method="POST",path="/v1/check",status="499"} 1.0' in metrics


def test_a_client_that_leaves_a_stream_frees_its_work(tmp_path: Path) -> None:
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
    request = {"json": {"text": text}, "headers": {"accept": "application/x-ndjson"}}
    with live(app) as port:
        with httpx.stream("POST", f"http://127.0.0.1:{port}/v1/check", **request) as response:
            lines = response.iter_lines()
            assert json.loads(next(lines))["sentence"]["start"] == 0
            assert engine.asked.wait(30)
            assert not app.state.service.is_idle
        while not app.state.service.is_idle:
            Event().wait(0.005)
        engine.gate.set()


def test_a_failure_does_not_show_the_text(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    corrector = scripted_corrector()
    gated(corrector).error = RuntimeError(WRONG)
    response = converse(tmp_path, lambda client: client.post("/v1/check", json={"text": WRONG}), corrector)
    assert response.status_code == 500
    assert response.json() == {"error": "the server failed; its log says where"}
    assert "POST /v1/check failed: RuntimeError at" in caplog.text
    assert WRONG not in caplog.text


def test_metrics_count_and_hold_no_text(tmp_path: Path) -> None:
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


def test_the_page_is_served_under_a_strict_policy(ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_api, "WEB", tmp_path / "web")
    assert "not installed" in ask("GET", "/").text
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "index.html").write_text("<title>Redraft</title>", encoding="utf-8")
    (tmp_path / "web" / "page.js").write_text("'use strict'", encoding="utf-8")
    page = ask("GET", "/")
    assert page.text == "<title>Redraft</title>"
    assert page.headers["content-type"].startswith("text/html")
    assert ask("GET", "/page.js").headers["content-type"].startswith("text/javascript")
    assert ask("HEAD", "/").status_code == 200
    assert page.headers["content-security-policy"].startswith("default-src 'self';")
    assert ask("GET", "/../served.py").status_code == 404
    assert ask("GET", "/v1/info").status_code == 200

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from served import WRONG, converse, gated, scripted_corrector

Ask = Callable[..., httpx.Response]


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (b"{", 400, "the body is not valid JSON"),
        (b'{"text": "\xff"}', 400, "the body is not valid JSON"),
        (b"[" * 200_000, 400, "the body is not valid JSON"),
        (b"{}", 422, "text: Field required"),
        (b'{"text": 1}', 422, "text: must be a string"),
        (b'{"text": "a", "txet": "b"}', 422, "txet: Extra inputs are not permitted"),
        (b'{"text": "a", "format": "docx"}', 422, "format: must be one of"),
        (b'{"text": "a", "kinds": ["nonsense"]}', 422, "kinds"),
        (b'{"text": "a", "threshold": 2}', 422, "threshold"),
        (b'{"text": "a", "language": "tlh"}', 400, "'tlh' is not a language of this server; it has auto, en"),
        (b'"text"', 422, "send a JSON object"),
    ],
)
def test_errors_are_one_line_of_json(ask: Ask, body: bytes, status: int, says: str) -> None:
    response = ask("POST", "/v1/check", content=body, headers={"content-type": "application/json"})
    assert response.status_code == status
    (message,) = response.json().values()
    assert message.startswith(says)
    assert "\n" not in message


def test_a_form_is_refused_with_the_expected_content_type(ask: Ask) -> None:
    response = ask("POST", "/v1/check", content=b'{"text": "a"}', headers={"content-type": "text/plain"})
    assert response.status_code == 422
    assert "Content-Type: application/json" in response.json()["error"]


def test_errors_do_not_repeat_the_text(ask: Ask) -> None:
    response = ask("POST", "/v1/check", json={"text": [WRONG], "format": WRONG})
    assert response.status_code == 422
    assert WRONG not in response.text


def test_unknown_paths_and_methods(ask: Ask) -> None:
    assert ask("GET", "/v1/nothing").json() == {"error": "path not found"}
    wrong = ask("GET", "/v1/check")
    assert wrong.status_code == 405
    assert wrong.headers["allow"] == "POST"
    assert ask("GET", "/docs").status_code == 404


def test_a_failure_does_not_show_the_text(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    corrector = scripted_corrector()
    gated(corrector).error = RuntimeError(WRONG)
    response = converse(tmp_path, lambda client: client.post("/v1/check", json={"text": WRONG}), corrector)
    assert response.status_code == 500
    assert response.json() == {"error": "the server failed; its log says where"}
    assert "POST /v1/check failed: RuntimeError at" in caplog.text
    assert WRONG not in caplog.text

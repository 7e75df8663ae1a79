from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    path = tmp_path / "wrong.txt"
    path.write_text("\ufeffI agree with you.\r\nHe have two cat.\r\n", encoding="utf-8", newline="")
    return path


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    path = tmp_path / "clean.txt"
    path.write_text("I agree with you.\n", encoding="utf-8")
    return path


def test_findings_have_their_place_and_reason(redraft: Run, wrong: Path, clean: Path) -> None:
    outcome = redraft("check", clean, wrong)
    assert outcome.code == 1
    first, second = outcome.text.splitlines()
    assert first.startswith(f"{wrong}:2:4: agreement: “have” → “has”. ")
    assert second.startswith(f"{wrong}:2:13: ")
    assert "“cat” → “cats”" in second


def test_a_clean_file_has_no_findings(redraft: Run, clean: Path) -> None:
    outcome = redraft("check", clean)
    assert (outcome.code, outcome.out, outcome.err) == (0, b"", "")


def test_json_slices_back(redraft: Run, wrong: Path) -> None:
    outcome = redraft("check", "--format", "json", wrong)
    assert outcome.code == 1
    (file,) = json.loads(outcome.out)["files"]
    text = wrong.read_bytes().decode("utf-8-sig")
    assert file["file"] == str(wrong)
    assert [text[finding["start"] : finding["end"]] for finding in file["findings"]] == ["have", "cat"]


def test_stdin_is_a_file_called_dash(redraft: Run) -> None:
    outcome = redraft("check", "-", stdin=b"He have two cat.")
    assert outcome.code == 1
    assert outcome.text.startswith("<stdin>:1:4: ")


def test_a_failure_counts_more_than_findings(redraft: Run, wrong: Path, tmp_path: Path) -> None:
    outcome = redraft("check", tmp_path / "missing.txt", wrong)
    assert outcome.code == 2
    assert "there is no file" in outcome.err
    assert "wrong.txt:2:4" in outcome.text


def test_an_unknown_format_names_the_known_ones(redraft: Run, clean: Path) -> None:
    outcome = redraft("check", clean, "--format", "xml")
    assert outcome.code == 2
    assert outcome.err == "redraft: no format is called 'xml'; there are text, json\n"


def test_no_file_is_a_mistake(redraft: Run) -> None:
    outcome = redraft("check")
    assert outcome.code == 2
    assert "FILE" in outcome.err

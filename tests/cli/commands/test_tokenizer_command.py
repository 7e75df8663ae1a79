from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from redraft.lab.data.source_record import SourceRecord
from redraft.lab.data.tokenizer_training import SIZE
from redraft.tokens.tokenizer import Tokenizer

Run = Callable[..., Any]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("The harbour is quiet in winter.\n" * 3)
    return path


def test_a_tokenizer_is_written(run: Run, text: Path, tmp_path: Path) -> None:
    output = tmp_path / "tokenizer.json"
    outcome = run("tokenizer", text, "--output", output, "--size", 270)
    assert (outcome.code, outcome.text, outcome.err) == (0, f"270 tokens in {output}\n", "")
    assert Tokenizer.load(output).size == 270


def test_too_little_text_is_remarked(run: Run, text: Path, tmp_path: Path) -> None:
    outcome = run("tokenizer", text, "-o", tmp_path / "tokenizer.json", "--kind", "characters")
    assert outcome.code == 0
    assert f"{SIZE:,} tokens" in outcome.err


def test_the_help_names_the_size_of_the_default(run: Run) -> None:
    assert f"{SIZE:,}" in run("tokenizer", "--help").text


@pytest.mark.parametrize(
    ("options", "message"), [(("--kind", "words"), "--kind must be one of"), (("--size", 9), "needs more than")]
)
def test_a_mistake_is_named(run: Run, text: Path, tmp_path: Path, options: tuple[object, ...], message: str) -> None:
    outcome = run("tokenizer", text, "-o", tmp_path / "tokenizer.json", *options)
    assert outcome.code == 2
    assert message in outcome.err


def test_a_source_list_refuses_other_text(run: Run, text: Path, tmp_path: Path) -> None:
    output = tmp_path / "tokenizer.json"
    outcome = run("tokenizer", text, "-o", output, "--size", 270, "--source-list", "open")
    assert outcome.code == 2 and "it is not known what this file was made from" in outcome.err
    assert not output.exists()
    allowed = text.rename(tmp_path / "wikinews.txt")
    assert run("tokenizer", allowed, "-o", output, "--size", 270, "--source-list", "open").code == 0
    assert SourceRecord.read(output) == SourceRecord(frozenset({"wikinews"}))

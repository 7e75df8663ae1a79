from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from redraft.errors import ConfigError, InputError
from redraft.model.folder import ModelFolder

Invoke = Callable[..., Result]


def test_synthesize_says_what_is_wrong(invoke: Invoke, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("All is well.\n")
    with pytest.raises(InputError, match="error-table"):
        invoke("synthesize", text, "--error-table", tmp_path / "none", "-o", tmp_path / "out.tsv")
    with pytest.raises(ConfigError, match="--engine"):
        invoke("synthesize", text, "--error-table", tmp_path / "none", "-o", tmp_path / "out.tsv", "--engine", "magic")
    with pytest.raises(ConfigError, match="--compare"):
        invoke("synthesize", text, "--error-table", tmp_path / "none", "-o", tmp_path / "out.tsv", "--plot", "x.png")


def test_synthesize_takes_errors_from_a_table_or_from_a_model(invoke: Invoke, tmp_path: Path) -> None:
    text, both = tmp_path / "text.txt", ("--error-table", tmp_path / "none", "--model", tmp_path)
    text.write_text("All is well.\n")
    for options, message in (
        ((), "give one of --error-table FILE and --model FOLDER"),
        (both, "give one of --error-table FILE and --model FOLDER"),
        ((*both[2:], "--mean", "0.1"), "--mean is only for --error-table"),
        ((*both[:2], "--temperature", "0.5"), "--temperature is only for --model"),
    ):
        with pytest.raises(ConfigError, match=message):
            invoke("synthesize", text, "-o", tmp_path / "out.tsv", *options)


def test_a_model_writes_the_errors(
    invoke: Invoke, tiny_model: ModelFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("redraft.lab.train.bulk_teacher.count_workers", lambda: 0)
    text, left_out = tmp_path / "text.txt", tmp_path / "left_out.txt"
    text.write_text("He have two cat.\nI am agree with you.\n")
    left_out.write_text("I am agree with you.\n")
    options = ("--model", tiny_model.path, "--temperature", "0.01", "--device", "cpu", "--exclude", left_out)
    done = invoke("synthesize", text, "-o", tmp_path / "out.tsv", *options)
    assert (tmp_path / "out.tsv").read_text() == "He has two cats.\tHe have two cat.\n"
    assert "1 pairs in" in done.output


def test_synthesize_takes_any_rate(invoke: Invoke, table_file: Path, tmp_path: Path) -> None:
    (tmp_path / "clean.txt").write_text("The cats went to the house.\n" * 30)
    rates = ("--rate", "fragments=1", "--rate", "tokenized=0")
    invoke("synthesize", tmp_path / "clean.txt", "--error-table", table_file, "-o", tmp_path / "out.tsv", *rates)
    targets = {line.partition("\t")[2] for line in (tmp_path / "out.tsv").read_text().splitlines()}
    assert not any(target.endswith(".") for target in targets)

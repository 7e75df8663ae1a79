from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from redraft.errors import ConfigError, InputError

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


def test_synthesize_takes_any_rate(invoke: Invoke, table_file: Path, tmp_path: Path) -> None:
    (tmp_path / "clean.txt").write_text("The cats went to the house.\n" * 30)
    rates = ("--rate", "fragments=1", "--rate", "tokenized=0")
    invoke("synthesize", tmp_path / "clean.txt", "--error-table", table_file, "-o", tmp_path / "out.tsv", *rates)
    targets = {line.partition("\t")[2] for line in (tmp_path / "out.tsv").read_text().splitlines()}
    assert not any(target.endswith(".") for target in targets)

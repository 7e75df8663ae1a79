from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from english_folder import lay_out
from typer.testing import Result

from redraft.errors import ConfigError, InputError
from redraft.lab.data.noise_rates import SHARES
from redraft.lab.data.table import ErrorTable, Family

Invoke = Callable[..., Result]


def test_a_table_and_what_it_makes(invoke: Invoke, tmp_path: Path) -> None:
    pytest.importorskip("lemminflect")
    folder = lay_out(tmp_path / "en")
    table, out = tmp_path / "errors.json.gz", tmp_path / "made.tsv.gz"
    outcome = invoke("error-table", folder, "-o", table)
    assert outcome.exit_code == 0
    assert "errors of" in outcome.stdout
    clean = folder / "clean" / "openstax.txt.xz"
    gold = folder / "pairs" / "wi.train.raw.tsv.xz"
    outcome = invoke("synthesize", clean, "--error-table", table, "-o", out, "--clean", "0", "--compare", gold)
    assert outcome.exit_code == 0
    assert f"5 pairs in {out}" in outcome.stdout
    assert "synthetic: 5 pairs" in outcome.stdout


def test_a_table_is_copied_with_other_rates(invoke: Invoke, table_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "other.json.gz"
    invoke("error-table", table_file, "-o", out, "--rate", "chat=0.25", "--share", "spelling=0.5")
    old, new = ErrorTable.load(table_file), ErrorTable.load(out)
    assert new.rates == {"chat": 0.25}
    assert new.shares["spelling"] == 0.5
    assert new.shares["article"] == SHARES[Family.ARTICLE]
    assert new.candidates == old.candidates
    for wrong in ("chta=0.1", "chat", "chat=2"):
        with pytest.raises(ConfigError, match=r"chat|chta"):
            invoke("error-table", table_file, "-o", tmp_path / "none.json.gz", "--rate", wrong)
    assert not (tmp_path / "none.json.gz").exists()


def test_another_language_needs_pairs(invoke: Invoke, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="name a file"):
        invoke("error-table", tmp_path, "-o", tmp_path / "x", "--language", "tlh")


def test_a_table_of_any_language_comes_from_pairs(invoke: Invoke, tmp_path: Path) -> None:
    (tmp_path / "in.tsv").write_text("Він іде дому.\tВін іде додому.\n" * 3, encoding="utf-8")
    table = tmp_path / "errors.json.gz"
    invoke("error-table", tmp_path / "in.tsv", "--language", "uk", "-o", table)
    assert ErrorTable.load(table).language == "uk"
    (tmp_path / "clean.txt").write_text("Він іде додому.\n", encoding="utf-8")
    result = invoke("synthesize", tmp_path / "clean.txt", "--error-table", table, "-o", tmp_path / "made.tsv")
    assert "1 pairs" in result.stdout


def test_a_source_list_is_for_the_english_table(invoke: Invoke, pairs: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="works with the English table only"):
        invoke("error-table", pairs, "--language", "uk", "--source-list", "open", "-o", tmp_path / "t.json.gz")

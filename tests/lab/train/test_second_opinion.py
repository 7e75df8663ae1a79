from __future__ import annotations

from pathlib import Path

import pytest
from tiny import PAIRS

from redraft.lab.data.pair import Pair
from redraft.lab.train.agreement import AgreementFilter
from redraft.lab.train.second_opinion import SecondOpinion, main
from redraft.model.folder import ModelFolder

CORRECTIONS = [Pair(source, target) for source, target in PAIRS]
REVERSED = [Pair(pair.target, pair.source) for pair in CORRECTIONS]
TOO_LONG = Pair("She go to school every days. " * 60, "She goes to school every day. " * 60)


def test_corrections_that_the_model_would_make_are_confirmed_and_their_opposites_refused(
    tiny_model: ModelFolder,
) -> None:
    opinion = SecondOpinion()
    counts: list[int] = []
    unchanged = Pair("He has two cats.", "He has two cats.")
    model = AgreementFilter.open(tiny_model, "cpu")
    opinion.ask(model, [*CORRECTIONS, unchanged, TOO_LONG, *REVERSED], counts.append)
    assert opinion.confirmed == CORRECTIONS and opinion.refused == REVERSED
    assert opinion.undecided == 1, "a pair that is too long"
    assert sum(counts) == 2 * len(CORRECTIONS) + 1


def test_the_command_writes_sentences_and_pairs(
    tiny_model: ModelFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text(
        "".join(f"{one.source}\t{one.target}\n" for one in (CORRECTIONS[0], REVERSED[1])), encoding="utf-8"
    )
    refused, confirmed = tmp_path / "refused.txt", tmp_path / "confirmed.tsv"
    options = ["--refused", str(refused), "--confirmed", str(confirmed), "--device", "cpu"]
    assert main([str(tiny_model.path), str(pairs), *options]) == 0
    assert refused.read_text(encoding="utf-8") == f"{REVERSED[1].source}\n"
    assert confirmed.read_text(encoding="utf-8") == f"{CORRECTIONS[0].source}\t{CORRECTIONS[0].target}\n"
    assert capsys.readouterr().out == "2 read; 1 refused, 1 confirmed, 0 undecided\n"
    assert main([str(tiny_model.path), str(tmp_path / "missing.tsv"), *options]) == 2

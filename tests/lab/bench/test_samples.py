from __future__ import annotations

import pytest

from redraft.errors import InputError
from redraft.lab.bench.samples import BUILT_IN, read_samples, spread
from redraft.lab.data.pair import Pair


def test_built_in_sentences_are_repeated_or_spread():
    assert read_samples(None, len(BUILT_IN)) == list(BUILT_IN)
    assert read_samples(None, len(BUILT_IN) + 1)[-1] == BUILT_IN[0]
    few = read_samples(None, 4)
    assert (few[0], len(few)) == (BUILT_IN[0], 4)
    assert any(pair.source == pair.target for pair in BUILT_IN)
    assert any(pair.source != pair.target for pair in BUILT_IN)


def test_spread_is_even():
    assert spread(range(10), 5) == [0, 2, 4, 6, 8]
    assert spread(range(3), 9) == [0, 1, 2]


def test_files_of_every_layout(tmp_path):
    gold = tmp_path / "gold.m2"
    gold.write_text("S He go .\nA 1 2|||R:VERB|||goes|||REQUIRED|||-NONE-|||0\n\nS Fine .\n")
    assert read_samples(gold, 9) == [Pair("He go.", "He goes."), Pair("Fine.", "Fine.")]
    assert read_samples(gold, 9, raw=False)[0] == Pair("He go .", "He goes .")
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("He go.\tHe goes.\nFine.\tFine.\n")
    assert read_samples(pairs, 1) == [Pair("He go.", "He goes.")]
    lines = tmp_path / "lines.txt"
    lines.write_text("He go.\n\nFine.\n")
    assert read_samples(lines, 9) == [Pair("He go.", "He go."), Pair("Fine.", "Fine.")]


def test_a_missing_or_empty_file_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_samples(tmp_path / "missing.m2", 3)
    empty = tmp_path / "empty.txt"
    empty.write_text("\n")
    with pytest.raises(InputError, match="no sentence in it"):
        read_samples(empty, 3)

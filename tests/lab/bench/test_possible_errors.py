from __future__ import annotations

import json
from pathlib import Path

import pytest

from redraft.lab.bench.possible_errors import main

GOLD = """S She make her homework .
A 1 2|||R:VERB|||does|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB|||did|||REQUIRED|||-NONE-|||1

S I am here .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

"""


def test_possible_errors_are_compared_with_gold_edits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "gold.m2").write_text(GOLD, encoding="utf-8")
    (tmp_path / "right.txt").write_text("The weather was nice yesterday.\nShe make her homework.\n", encoding="utf-8")
    files = ["--m2", tmp_path / "gold.m2", "--correct", tmp_path / "right.txt", "--threads", 1, "--json"]
    assert main(list(map(str, files))) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["gold"] == {
        "sentences": 2,
        "possible_errors": 1,
        "sentences_with_some": "50.0%",
        "at_a_gold_edit": "100.0%",
        "first_replacement_right": "100.0%",
        "any_replacement_right": "100.0%",
        "edits_made_at_a_gold_edit": "none",
        "words_at_a_gold_edit": "42.9%",
    }
    assert report["right.txt"] == {"sentences": 2, "possible_errors": 1, "sentences_with_some": "50.0%"}


def test_without_files_there_is_one_line_of_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert capsys.readouterr().err.startswith("error: nothing to measure on")

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from redraft.cli.commands.score import app
from redraft.errors import InputError

GOLD = """S He have red car .
A 1 2|||R:VERB:SVA|||has|||REQUIRED|||-NONE-|||0
A 2 2|||M:DET|||a||the|||REQUIRED|||-NONE-|||0

S It rained .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "gold.m2").write_text(GOLD)
    (tmp_path / "good.txt").write_text("He has a red car .\nIt rained .\n")
    (tmp_path / "fair.txt").write_text("He has red cars .\nIt rained .\n")
    (tmp_path / "source.txt").write_text("He have red car .\nIt rained .\n")
    return tmp_path


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize("scorer", ["m2", "spans"])
def test_prints_precision_recall_f_and_signature(folder: Path, scorer: str) -> None:
    output = run(scorer, folder / "good.txt", folder / "gold.m2")
    assert "Precision  1.0000  2 right of 2 proposed" in output
    assert "Recall     1.0000  2 found of 2 gold" in output
    assert "F0.5       1.0000  95% interval" in output
    assert output.splitlines()[-1].startswith(("m2:1|beta:0.5|max_unchanged_words:2", "redraft-spans:2|beta:0.5"))


@pytest.mark.parametrize("scorer", ["m2", "spans"])
def test_compares_two_systems(folder: Path, scorer: str) -> None:
    output = run(scorer, folder / "good.txt", folder / "gold.m2", "--against", folder / "fair.txt", "--samples", 50)
    assert "Difference +0.5000 to " in output
    assert "p = " in output


def test_shows_each_sentence_and_each_kind(folder: Path) -> None:
    output = run("m2", folder / "fair.txt", folder / "gold.m2", "--verbose", "--kinds")
    assert "  right  1-2 [have] → [has]\n" in output
    assert "  wrong  3-4 [car] → [cars]\n" in output
    assert "  missed 2-2 [] → [a] or [the] M:DET\n" in output
    assert "R:VERB:SVA        1.0000        1      1\n" in output


def test_json_has_everything(folder: Path) -> None:
    arguments = ("m2", folder / "fair.txt", folder / "gold.m2", "--json", "--verbose", "--against", folder / "good.txt")
    whole = json.loads(run(*arguments, "--beta", 1, "--max-unchanged-words", 1, "--samples", 20, "--seed", 3))
    assert (whole["correct"], whole["proposed"], whole["gold"], whole["beta"]) == (1, 2, 2, 1.0)
    assert whole["recall_by_kind"]["M:DET"] == {"correct": 0, "total": 1}
    assert whole["comparison"]["difference"] == -0.5
    assert len(whole["sentences"]) == 2
    assert "max_unchanged_words:1" in whole["signature"]


def test_errant_takes_annotated_output(folder: Path) -> None:
    output = run("errant", folder / "gold.m2", folder / "gold.m2", "--kinds")
    assert "F0.5       1.0000" in output
    assert "proposed edits right" in output
    assert "errant:1|edits:annotated|beta:0.5" in output


def test_gleu_takes_several_references(folder: Path) -> None:
    common = ("--source", folder / "source.txt", "--reference", folder / "good.txt", "--reference", folder / "fair.txt")
    output = run("gleu", folder / "good.txt", *common, "--against", folder / "source.txt", "--samples", 20, "-v")
    assert "GLEU       0." in output
    assert "Difference +" in output
    assert "gleu:1|draws:500|source:" in output
    whole = json.loads(run("gleu", folder / "good.txt", *common, "--samples", 20, "--json", "--verbose"))
    assert len(whole["sentences"]) == 2
    assert len(whole["precision_by_order"]) == 4


@pytest.mark.parametrize("scorer", ["m2", "spans", "errant"])
def test_bad_input_is_an_error_that_names_file_and_line(folder: Path, scorer: str) -> None:
    short = folder / "short.txt"
    short.write_text("one\n")
    with pytest.raises(InputError, match=r"short\.txt:1: ends here, but .*gold\.m2 has 2 sentences"):
        run(scorer, short, folder / "gold.m2")
    bad = folder / "bad.m2"
    bad.write_text(GOLD.replace("A 1 2", "A 1 9"))
    with pytest.raises(InputError, match=r"bad\.m2:2: offsets 1 9"):
        run(scorer, folder / "good.txt", bad)
    with pytest.raises(InputError, match=r"missing\.txt: cannot be read"):
        run(scorer, folder / "missing.txt", folder / "gold.m2")
    empty = folder / "empty.txt"
    empty.touch()
    with pytest.raises(InputError, match=r"empty\.txt: the file is empty"):
        run(scorer, empty, folder / "gold.m2")
    with pytest.raises(InputError, match=r"empty\.txt: no sentence"):
        run(scorer, folder / "good.txt", empty)


def test_characters_against_references(tmp_path: Path) -> None:
    (tmp_path / "references.tsv").write_text("1\t他高兴的笑\t他高兴地笑\n2\t好\t没有错误\n", encoding="utf-8")
    (tmp_path / "output.txt").write_text("他高兴地笑\n好\n", encoding="utf-8")
    files = tmp_path / "output.txt", tmp_path / "references.tsv"
    report = json.loads(run("characters", *files, "--no-pinyin", "--no-simplify", "--json"))
    assert (report["correct"], report["proposed"], report["gold"]) == (1, 1, 1)
    assert report["signature"].startswith("characters:1|sounds:no|characters:as-is|beta:0.5")
    shown = run("characters", *files, "--no-pinyin", "--no-simplify", "--verbose", "--kinds")
    assert "right  3-4 [的] → [地] substitution" in shown


def test_maxmatch_on_characters(tmp_path: Path) -> None:
    gold = "S 他 高兴 的 笑\nA 2 3|||S|||地|||REQUIRED|||-NONE-|||0\n\n"
    (tmp_path / "gold.m2").write_text(gold, encoding="utf-8")
    (tmp_path / "output.txt").write_text("他高兴地笑\n", encoding="utf-8")
    shown = run("m2", tmp_path / "output.txt", tmp_path / "gold.m2", "--chars")
    assert "F0.5       1.0000" in shown
    assert "m2-chars:" in shown

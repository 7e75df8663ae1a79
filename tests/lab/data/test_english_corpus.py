from __future__ import annotations

from pathlib import Path

import pytest
from english_folder import CLEAN, PAIRS, lay_out, pack

pytest.importorskip("lemminflect")

from redraft.lab.data.english_corpus import assemble, collect_forbidden
from redraft.lab.data.readers import Faults


def test_all_files_are_made(tmp_path: Path) -> None:
    faults = Faults()
    made = assemble(lay_out(tmp_path / "en"), tmp_path / "out", faults)
    lines = {path.name: path.read_text().splitlines() for path in (tmp_path / "out").rglob("*.t*")}
    assert set(lines) == {
        *("pairs_all.tsv", "pairs_changed.tsv", "pairs_mined.tsv", "pairs_patterns.tsv", "wi_all.tsv"),
        *("pairs_llm.tsv", "pairs_published.tsv"),
        *("heldout.txt", "corrected.txt", "corrected_llm.txt", "personal.txt", "published.txt"),
    }
    assert len(lines["pairs_all.tsv"]) == made.all_pairs
    assert len(lines["pairs_changed.tsv"]) == made.changed_pairs
    assert len(lines["wi_all.tsv"]) == made.write_improve_pairs == 8, "four pairs in two spellings"
    assert not any("held out" in line for line in lines["pairs_all.tsv"]), "development sentences stay out"
    assert "He go home every days.\tHe goes home every day." in lines["pairs_changed.tsv"]
    assert "All is well.\tAll is well." not in lines["pairs_changed.tsv"]
    assert set(lines["heldout.txt"]) == set(CLEAN)
    assert set(lines["corrected.txt"]) == {target for _, target in PAIRS} - {"This one was held out."}
    assert len(lines["corrected.txt"]) == made.corrected
    assert lines["pairs_mined.tsv"] == lines["pairs_llm.tsv"] == lines["published.txt"] == []
    assert lines["pairs_patterns.tsv"] == [], "all clean sentences are held out"
    assert faults.total == 0
    assert "dropped: in a development set" in made.reports["W&I raw"]


def test_the_same_again(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "en")
    for name in ("one", "two"):
        assemble(folder, tmp_path / name, Faults())
    for path in (tmp_path / "one").rglob("*.t*"):
        assert path.read_bytes() == (tmp_path / "two" / path.relative_to(tmp_path / "one")).read_bytes()


def test_mined_pairs_come_in_both_spellings(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "en")
    (folder / "mined").mkdir()
    rows = [
        "It dont matter to the cats, realy.\tIt doesn't matter to the cats, really.\torg/docs\tSPELL",
        "He go home every days.\tHe goes home every day.\torg/docs\tINFL",
        "Same text.\tSame text.\torg/docs\tNONE",
        "All of this is new now.\tNothing remains from that sentence here.\torg/docs\tCOMB",
    ]
    pack(folder / "mined" / "git_typo_commits.tsv.xz", rows)
    pack(folder / "mined" / "git_grammar_loose.tsv.xz", ["A b.\tA c.\torg/docs\tCOMB"])
    made = assemble(folder, tmp_path / "out", Faults())
    lines = (tmp_path / "out" / "pairs_mined.tsv").read_text().splitlines()
    assert sorted(lines) == [
        "It do nt matter to the cats , realy .\tIt does n't matter to the cats , really .",
        "It dont matter to the cats, realy.\tIt doesn't matter to the cats, really.",
    ], "duplicates of annotated pairs, unchanged and rewritten ones are dropped"
    assert made.mined_pairs == 2


def test_sentences_that_an_llm_corrected(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "en")
    (folder / "llm").mkdir()
    rows = [
        "I am liking dogs.\tI like dogs.\tessays",
        "It is fine.\tIt is fine.\tessays",
        "This one is held out.\tThis one was held out.\tessays",
        "Dogs are what I am liking the most.\tNothing remains from that sentence here.\tessays",
    ]
    pack(folder / "llm" / "learners.tsv.xz", rows)
    pack(folder / "llm" / "everyday.tsv.xz", ["it dont work\tIt doesn't work\treviews"])
    pack(folder / "llm" / "published.tsv.xz", ["The cat sat.\tThe cat sat.\tweb", "The cats sits.\tThe cats sit.\tweb"])
    made = assemble(folder, tmp_path / "out", Faults())
    lines = {path.name: path.read_text().splitlines() for path in (tmp_path / "out").rglob("*.t*")}
    assert sorted(lines["pairs_llm.tsv"]) == [
        "I am liking dogs .\tI like dogs .",
        "I am liking dogs.\tI like dogs.",
        "It is fine .\tIt is fine .",
        "It is fine.\tIt is fine.",
        "it do nt work\tIt does n't work",
        "it dont work\tIt doesn't work",
    ], "in both spellings, without development sentences and rewritten ones"
    assert sorted(lines["pairs_published.tsv"]) == ["The cats sits .\tThe cats sit .", "The cats sits.\tThe cats sit."]
    assert lines["published.txt"] == ["The cat sat."]
    assert lines["corrected_llm.txt"] == ["I like dogs.", "It is fine.", "It doesn't work"]
    assert (made.llm_pairs, made.published_pairs) == (6, 2)


def test_realec_is_annotated_text(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "en")
    pack(folder / "pairs" / "realec.raw.tsv.xz", ["He depend of it.\tHe depends on it."])
    assemble(folder, tmp_path / "out", Faults())
    lines = (tmp_path / "out" / "pairs_changed.tsv").read_text().splitlines()
    assert "He depend of it .\tHe depends on it ." in lines
    assert "He depends on it." in (tmp_path / "out" / "clean" / "corrected.txt").read_text().splitlines()


def test_personal_sentences_are_chosen_from_all_clean_files(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "en")
    pack(folder / "clean" / "blogs.txt.xz", ["I like it.", "Was it there?", "It doesn't rain.", "The Irish sea."])
    assemble(folder, tmp_path / "out", Faults())
    lines = (tmp_path / "out" / "clean" / "personal.txt").read_text().splitlines()
    assert lines == ["I like it.", "Was it there?", "It doesn't rain."]


def test_patterns_put_errors_into_all_clean_files(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "en")
    pack(folder / "clean" / "blogs.txt.xz", ["You avoid paying them.", "This one was held out."])
    made = assemble(folder, tmp_path / "out", Faults())
    lines = (tmp_path / "out" / "pairs_patterns.tsv").read_text().splitlines()
    source, target, name = lines[0].replace(" .", ".").split("\t")
    assert (source, target, name) == ("You avoid to pay them.", "You avoid paying them.", "avoid -ing")
    assert made.pattern_pairs == len(lines) == 1
    assert "verb + -ing" in made.reports["patterns"]


def test_forbidden_are_sources_and_corrections(tmp_path: Path) -> None:
    forbidden = collect_forbidden(lay_out(tmp_path / "en") / "dev", Faults())
    assert forbidden.holds("This one is held out.")
    assert forbidden.holds("this one WAS held out")

from __future__ import annotations

from pathlib import Path

from english_folder import CLEAN, lay_out

from redraft.lab.data.english_corpus import assemble, collect_forbidden, respell
from redraft.lab.data.pair import Pair
from redraft.lab.data.readers import Faults


def test_all_files_are_made(tmp_path: Path) -> None:
    faults = Faults()
    made = assemble(lay_out(tmp_path / "en"), tmp_path / "out", faults)
    lines = {path.name: path.read_text().splitlines() for path in (tmp_path / "out").iterdir()}
    assert set(lines) == {"pairs_all.tsv", "pairs_changed.tsv", "wi_all.tsv", "heldout.txt"}
    assert len(lines["pairs_all.tsv"]) == made.all_pairs
    assert len(lines["pairs_changed.tsv"]) == made.changed_pairs
    assert len(lines["wi_all.tsv"]) == made.write_improve_pairs == 8, "four pairs in two spellings"
    assert not any("held out" in line for line in lines["pairs_all.tsv"]), "development sentences stay out"
    assert "He go home every days.\tHe goes home every day." in lines["pairs_changed.tsv"]
    assert "All is well.\tAll is well." not in lines["pairs_changed.tsv"]
    assert set(lines["heldout.txt"]) == set(CLEAN)
    assert faults.total == 0
    assert "dropped: in a development set" in made.reports["W&I raw"]


def test_the_same_again(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "en")
    for name in ("one", "two"):
        assemble(folder, tmp_path / name, Faults())
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_forbidden_are_sources_and_corrections(tmp_path: Path) -> None:
    forbidden = collect_forbidden(lay_out(tmp_path / "en") / "dev", Faults())
    assert forbidden.holds("This one is held out.")
    assert forbidden.holds("this one WAS held out")


def test_respelling() -> None:
    assert list(respell([Pair("He don't.", "He doesn't.")], tokenized=True)) == [Pair("He do n't .", "He does n't .")]
    assert list(respell([Pair("He do n't .", "No .")], tokenized=False)) == [Pair("He don't.", "No.")]

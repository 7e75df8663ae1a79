from __future__ import annotations

from pathlib import Path

import pytest
from english_folder import lay_out, pack

pytest.importorskip("lemminflect")

from redraft.errors import InputError
from redraft.lab.data import english_table
from redraft.lab.data.english_sources import count_words, gather
from redraft.lab.data.filters import Overlap
from redraft.lab.data.readers import Faults


def test_everything_is_gathered(tmp_path: Path) -> None:
    faults = Faults()
    sources = gather(lay_out(tmp_path / "en"), Overlap(["This one was held out."]), faults)
    assert sources.counts["the"] == 18
    assert "The" not in sources.counts, "the first word of a sentence is not counted"
    gold = list(sources.gold)
    assert len(gold) == 1 + 4, "the M2 sentence and the pairs but the excluded one"
    assert list(sources.misspellings) == [
        ("receives", "recieves", 0.5),
        ("wall", "wal", 0.5),
        ("history", "histroy", 2.0),
    ]
    assert list(sources.confusions) == [("well", "wall"), ("river", "rover"), ("rover", "river")]
    assert sources.dialects == {("color", "colour"), ("colour", "color")}
    assert sources.uncountable == {"history"}
    assert faults.total == 0


def test_corrections_of_an_llm_and_of_exams_are_gold(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "en")
    (folder / "llm").mkdir()
    pack(folder / "llm" / "learners.tsv.xz", ["It depend of you.\tIt depends on you.\tessays"])
    pack(folder / "llm" / "published.tsv.xz", ["The cats sits.\tThe cats sit.\tweb"])
    pack(folder / "pairs" / "realec.raw.tsv.xz", ["They depend of it.\tThey depend on it."])
    gold = [" ".join(sentence.tokens) for sentence in gather(folder, Overlap([]), Faults()).gold]
    assert {"It depends on you .", "They depend on it ."} <= set(gold)
    assert "The cats sit ." not in gold, "what edited text gets wrong is not what people write"


def test_lists_of_misspellings_are_read(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "en")
    rows = ["leter\tletter\tbirkbeck", "Leter\tletter\tnorvig spell-errors", "rivver\triver\tclient9/misspell", "odd"]
    pack(folder / "lexicon" / "misspellings_people.tsv.xz", rows)
    faults = Faults()
    found = list(gather(folder, Overlap([]), faults).misspellings)
    assert found[-2:] == [("letter", "leter", 1.0), ("river", "rivver", 0.5)]
    assert faults.total == 1


def test_a_table_from_a_folder(tmp_path: Path) -> None:
    table = english_table.build(gather(lay_out(tmp_path / "en"), Overlap([]), Faults()))
    assert "receives" in table.misspellings
    assert {candidate.wrong for candidate in table.candidates["the"]}


def test_a_folder_of_another_layout(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="clean/"):
        gather(tmp_path, Overlap([]), Faults())


def test_words_are_counted_as_tokens(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Oh, it's a dog, a dog.\n")
    assert count_words([tmp_path / "a.txt"], Faults()) == {"it": 1, "'s": 1, "a": 2, "dog": 2, ",": 1, ".": 1}

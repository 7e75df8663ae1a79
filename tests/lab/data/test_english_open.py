from __future__ import annotations

from pathlib import Path

import pytest
from english_folder import lay_out, pack

pytest.importorskip("lemminflect")

from redraft.errors import InputError
from redraft.lab.data import english_table
from redraft.lab.data.english_open import SHARES, assemble, gather
from redraft.lab.data.filters import Overlap
from redraft.lab.data.readers import Faults, read_lines
from redraft.lab.data.source_list import OPEN, Source, SourceList, read_source_list
from redraft.lab.data.source_record import SourceSelection
from redraft.lab.data.table import Candidate, Family

MINED = [
    "It depend of the cats.\tIt depends on the cats.\tmdn/content\tINFL",
    "We saw the the river.\tWe saw the river.\tmdn/content\tREP",
    "They was gone.\tThey were gone.\tsecret/essays\tINFL",
]


@pytest.fixture
def selection() -> SourceSelection:
    return SourceSelection(read_source_list(OPEN))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with restricted files whose words must not show up in anything."""
    folder = lay_out(tmp_path / "en")
    (folder / "mined").mkdir()
    pack(folder / "mined" / "git_typo_commits.tsv.xz", MINED)
    pack(folder / "mined" / "gmeg_wiki_dev.tok.tsv.xz", ["He sleep .\tHe sleeps ."])
    pack(folder / "mined" / "eracond.tok.tsv.xz", ["i like it\tI like it ."])
    pack(
        folder / "mined" / "git_grammar_loose.tsv.xz",
        ["It works in the cats.\tIt works on the cats.\tmdn/content\tCOMB"],
    )
    pack(folder / "clean" / "blogs_orgs.txt.xz", ["You forbidden word.", "You avoid paying any forbidden toll."])
    pack(folder / "clean" / "sotu_inaugural.txt.xz", ["I shall pay any price.", "I must avoid paying any toll."])
    tools = ["rivver\triver\tclient9/misspell", "walll\twall\tvlajos/misspell-fixer"]
    pack(folder / "lexicon" / "misspellings_misspell_tools.tsv.xz", tools)
    pack(folder / "lexicon" / "misspellings_birkbeck_norvig.tsv.xz", ["leter\tletter\tbirkbeck"])
    return folder


def test_a_table_is_gathered_from_allowed_sources_alone(folder: Path, selection: SourceSelection) -> None:
    sources = gather(folder, selection, Overlap(["This one was held out."]), Faults())
    gold = [" ".join(sentence.tokens) for sentence in sources.gold]
    assert gold == ["It depends on the cats .", "We saw the river .", "I like it ."]
    assert {right: wrong for right, wrong, _ in sources.misspellings} == {
        "receives": "recieves",
        "wall": "wal",
        "history": "histroy",
        "river": "rivver",
    }
    assert "forbidden" not in sources.counts and "price." not in sources.counts
    assert sources.counts["price"] == 1
    assert "lemminflect" in selection.record.sources
    assert not selection.record.sources & {"blogs", "gmeg"}
    assert selection.record.repositories == {"mdn/content", "client9/misspell"}
    assert selection.left_out == {"secret/essays": 1, "vlajos/misspell-fixer": 1}


def test_doubled_words_are_not_learnt_as_insertions(folder: Path, selection: SourceSelection) -> None:
    sentences = list(gather(folder, selection, Overlap([]), Faults()).gold)
    assert [len(sentence.edits) for sentence in sentences][:2] == [2, 0]


def test_spellings_of_other_dialects_are_no_errors(folder: Path, selection: SourceSelection) -> None:
    dialects = gather(folder, selection, Overlap([]), Faults()).dialects
    assert ("colour", "color") in dialects and ("cat", "cats") not in dialects


def test_the_table_has_function_words_and_its_own_shares(folder: Path, selection: SourceSelection) -> None:
    table = english_table.build(gather(folder, selection, Overlap([]), Faults()))
    assert table.shares == {family.value: share for family, share in SHARES.items()}
    assert "" in {candidate.wrong for candidate in table.candidates["the"] if candidate.family is Family.ARTICLE}
    assert "on" in {candidate.wrong for candidate in table.candidates["in"]}
    assert ("rivver", 0.5) in table.misspellings["river"]
    assert all(isinstance(candidate, Candidate) for found in table.candidates.values() for candidate in found)


def test_training_files_come_from_allowed_sources_alone(
    folder: Path, selection: SourceSelection, tmp_path: Path
) -> None:
    made = assemble(folder, selection, tmp_path / "out", Faults())
    text = {path.name.removesuffix(".xz"): [line for _, line in read_lines(path, Faults())] for path in made.files}
    assert sorted(text["pairs_mined.tsv"]) == [
        "It depend of the cats .\tIt depends on the cats .",
        "It depend of the cats.\tIt depends on the cats.",
        "We saw the the river .\tWe saw the river .",
        "We saw the the river.\tWe saw the river.",
        "i like it\tI like it .",
        "i like it\tI like it.",
    ]
    assert text["pairs_loose.tsv"] == ["It works in the cats.\tIt works on the cats."]
    targets = {line.split("\t")[1].replace(" .", ".") for line in text["pairs_patterns.tsv"]}
    assert targets == {"I must avoid paying any toll."}
    assert made.pattern_pairs == len(text["pairs_patterns.tsv"]) and "lemminflect" in selection.record.sources
    assert text["personal.txt"] == ["I shall pay any price.", "I must avoid paying any toll."]
    assert made.mined_pairs == 6 and made.loose_pairs == 1 and made.personal == 2
    assert not any("forbidden" in line or "sleep" in line for lines in text.values() for line in lines)


def test_pairs_of_further_repositories_are_read(folder: Path, selection: SourceSelection, tmp_path: Path) -> None:
    """git_more_strict and git_more_loose are read if they exist, and only the rows of listed repositories."""
    strict = [
        "The dog bark at night.\tThe dog barks at night.\tlvgl/lvgl\tagreement",
        "She walk to work.\tShe walks to work.\tsecret/essays\tagreement",
        MINED[0],
    ]
    pack(folder / "mined" / "git_more_strict.tsv.xz", strict)
    loose = "Open door of the house.\tOpen the door of the house.\trocky-linux/documentation\tarticle"
    pack(folder / "mined" / "git_more_loose.tsv.xz", [loose])
    gold = [" ".join(sentence.tokens) for sentence in gather(folder, selection, Overlap([]), Faults()).gold]
    assert gold == ["It depends on the cats .", "We saw the river .", "The dog barks at night .", "I like it ."]
    made = assemble(folder, selection, tmp_path / "out", Faults())
    mined, loose_pairs = ([line for _, line in read_lines(path, Faults())] for path in made.files[:2])
    assert "The dog bark at night.\tThe dog barks at night." in mined and len(mined) == 8
    assert sorted(loose_pairs) == [
        "It works in the cats.\tIt works on the cats.",
        "Open door of the house.\tOpen the door of the house.",
    ]
    assert {"lvgl/lvgl", "rocky-linux/documentation"} <= selection.record.repositories
    assert "secret/essays" in selection.left_out


def test_a_folder_without_allowed_text_is_refused(folder: Path) -> None:
    other = SourceSelection(SourceList("MIT", {"x": Source("X", "MIT", "Y", files=("x.txt",))}))
    with pytest.raises(InputError, match="the source list allows none of its files"):
        gather(folder, other, Overlap([]), Faults())
    (folder / "mined").rename(folder / "other")
    with pytest.raises(InputError, match="there is no mined/ in it"):
        gather(folder, other, Overlap([]), Faults())

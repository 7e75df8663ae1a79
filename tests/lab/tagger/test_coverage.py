from __future__ import annotations

from redraft.edits.m2 import M2Edit, M2Sentence, write
from redraft.lab.data.pair import Pair
from redraft.lab.tagger.coverage import main, measure
from redraft.lab.tagger.vocabulary import learn_vocabulary

SENTENCES = [
    M2Sentence(("He", "go", "home"), (M2Edit(1, 2, "R:VERB:SVA", ("goes",)),)),
    M2Sentence(("I", "like", "tea"), (M2Edit(2, 2, "M:ADJ", ("green",)), M2Edit(0, 1, "R", ("We",), annotator=1))),
    M2Sentence(("She", "sleep", "bed"), (M2Edit(1, 2, "R", ("goes",)), M2Edit(2, 2, "M:PREP", ("to",)))),
    M2Sentence(("It", "rains"), (M2Edit(-1, -1, "noop", ("",)),)),
]
VOCABULARY = learn_vocabulary(
    [Pair("go home", "goes home"), Pair("go home", "goes home"), Pair("go it", "go to it")], 9
)


def test_what_needs_two_passes_is_not_covered_by_one():
    one, two = (measure(SENTENCES, VOCABULARY, passes) for passes in (1, 2))
    assert (one.edits, one.sentences) == (2 / 4, 1 / 3)
    assert (two.edits, two.sentences) == (3 / 4, 2 / 3)


def test_edits_that_are_left_are_counted_by_kind(tmp_path, capsys):
    VOCABULARY.write(tmp_path / "tags.json")
    (tmp_path / "dev.m2").write_text("".join(write(SENTENCES)), encoding="utf-8")
    assert main([str(tmp_path / "tags.json"), str(tmp_path / "dev.m2"), "--kinds"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2:4] == ["| all | 4 | 1 |", "| M:ADJ | 1 | 1 |"]
    assert "| R:VERB:SVA | 1 | 0 |" in lines


def test_the_command_prints_a_table(tmp_path, capsys):
    VOCABULARY.write(tmp_path / "tags.json")
    (tmp_path / "dev.m2").write_text("".join(write(SENTENCES)), encoding="utf-8")
    files = [str(tmp_path / "tags.json"), str(tmp_path / "dev.m2")]
    assert main([*files, "--sizes", "4", "5", "--passes", "2"]) == 0
    assert capsys.readouterr().out.splitlines()[2:] == ["| 4 | 2 | 50.0% | 33.3% |", "| 5 | 2 | 75.0% | 66.7% |"]

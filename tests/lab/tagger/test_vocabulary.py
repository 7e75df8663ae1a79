from __future__ import annotations

import json

import pytest

from redraft.errors import InputError
from redraft.lab.data.pair import Pair
from redraft.lab.tagger.tags import DELETE, KEEP, OTHER, Action, Tag
from redraft.lab.tagger.vocabulary import TagVocabulary, learn_vocabulary, main

PAIRS = [
    *[Pair("He go to teh park", "He goes to the park")] * 3,
    *[Pair("She go home , now", "She goes home now")] * 2,
    Pair("I like tea", "I like green tea"),
]


def test_the_most_frequent_tags_are_kept():
    whole = learn_vocabulary(PAIRS, 100)
    assert set(whole.tags) == {
        *(KEEP, OTHER, DELETE, Tag(Action.REPLACE, "the"), Tag(Action.REPLACE, "goes"), Tag(Action.APPEND, " green")),
    }
    small = learn_vocabulary(PAIRS, 5)
    assert small.tags == whole.tags[:5] == whole.first(5).tags
    assert Tag(Action.APPEND, " green") not in small.tags


def test_an_error_without_a_tag_is_other():
    small = learn_vocabulary(PAIRS, 5)
    assert small.find_tags("I like tea", "I like green tea") == [KEEP, KEEP, OTHER, KEEP]


def test_more_text_gives_more_forms():
    text = ["They go and he goes."] * 2
    vocabulary = learn_vocabulary(PAIRS, 100, text)
    assert Tag(Action.FORM, "s") in vocabulary.tags
    assert vocabulary.find_tags("It go", "It goes") == [KEEP, KEEP, Tag(Action.FORM, "s")]


def test_a_vocabulary_is_read_as_it_was_written(tmp_path):
    vocabulary = learn_vocabulary(PAIRS, 100, ["They go and he goes."] * 2)
    vocabulary.write(tmp_path / "tags.json")
    found = TagVocabulary.read(tmp_path / "tags.json")
    assert found.tags == vocabulary.tags
    assert list(found.forms.paradigms) == list(vocabulary.forms.paradigms)


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"tags": ["OTHER", "KEEP", "DELETE"]},
        {"tags": ["KEEP", "OTHER", "DELETE", "DELETE"]},
        {"tags": ["KEEP", "OTHER", "DELETE", "SPLIT x"]},
        {"tags": 5},
        {"forms": [["go"]]},
        {"more": 1},
    ],
)
def test_a_damaged_vocabulary_is_refused(tmp_path, change):
    learn_vocabulary(PAIRS, 100).write(tmp_path / "tags.json")
    values = json.loads((tmp_path / "tags.json").read_text(encoding="utf-8")) | change
    (tmp_path / "tags.json").write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(InputError, match=r"tags\.json"):
        TagVocabulary.read(tmp_path / "tags.json")


def test_the_command_learns_from_files(tmp_path, capsys):
    lines = [f"{pair.source}\t{pair.target}\n" for pair in PAIRS]
    (tmp_path / "pairs.tsv").write_text("".join(lines), encoding="utf-8")
    output = tmp_path / "made" / "tags.json"
    assert main([str(tmp_path / "pairs.tsv"), "--size", "5", "--output", str(output)]) == 0
    assert TagVocabulary.read(output).tags == learn_vocabulary(PAIRS, 5).tags
    assert "5 tags" in capsys.readouterr().out
    assert main([str(tmp_path / "none.tsv"), "--output", str(output)]) == 2

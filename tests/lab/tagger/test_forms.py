from __future__ import annotations

from redraft.lab.tagger.forms import learn_forms

COUNTS = {"go": 9, "goes": 5, "went": 5, "gone": 3, "going": 4, "child": 4, "children": 6, "big": 3, "bigger": 2}
RARE = {"leaf": 1, "leaves": 1}


def test_forms_are_those_of_the_text():
    table = learn_forms({**COUNTS, **RARE})
    assert table.find("go", "s") == "goes" and table.find("went", "participle") == "gone"
    assert table.find("going", "base") == "go" and table.find("children", "base") == "child"
    assert table.find("child", "s") == "children" and table.find("big", "comparative") == "bigger"
    assert table.find("leaf", "s") is None, "it is too rare"
    assert table.find("go", "superlative") is None and table.find("unknown", "s") is None


def test_the_more_frequent_base_counts():
    counts = {"found": 3, "founded": 2, "find": 9, "finds": 2, "leave": 9, "left": 9, "lefts": 2, "leaves": 3}
    table = learn_forms(counts)
    assert table.find("found", "base") == "find" and table.find("left", "s") == "leaves"
    assert table.find("found", "past") == "founded", "a form that the first base has not comes from the next one"

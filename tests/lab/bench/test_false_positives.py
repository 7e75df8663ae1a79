from __future__ import annotations

import pytest

import redraft
from redraft.lab.bench.false_positives import run, share_a_stem
from redraft.lab.train.correct_sentences import CorrectSentence


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ("goes", "go", True),
        ("freind", "friend", True),
        ("running", "run", True),
        ("went", "go", False),
        ("inheriting", "organizing", False),
        ("contamination", "pollution", False),
    ],
)
def test_words_of_one_stem_are_recognized(one, other, shared):
    assert share_a_stem(one, other) is shared


def test_changes_to_correct_text_are_counted(tiny_model):
    corrector = redraft.load(tiny_model.path, threshold=0.0)
    wrong, right = "She go to school every days.", "She goes to school every day."
    probes = [CorrectSentence("He have two cat.", ("have", "two")), CorrectSentence(right, ("school",))]
    seen = []
    report = run(corrector, [right, wrong], probes, lambda: seen.append(1))
    figures = report.to_mapping()
    assert (figures["sentences"], figures["changed"]) == (2, 0.5) and len(seen) == 4
    assert [change["source"] for change in figures["changes"]] == [wrong]
    assert figures["strings"] == 3 and [line.partition(":")[0] for line in figures["altered"]] == ["have"]
    assert sum(figures["kinds"].values()) == 2

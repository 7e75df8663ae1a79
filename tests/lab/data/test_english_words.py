from __future__ import annotations

from redraft.lab.data.english_words import CONFUSIONS, CONTEXTS, FUNCTION_WORDS, SPELLING_RULES, neighbours


def test_neighbours_are_mutual() -> None:
    near = neighbours()
    assert set("qwasz") - {"q"} <= set(near["a"] + "a")
    assert all(letter in near[other] for letter, others in near.items() for other in others)
    assert len(near) == 26


def test_no_confusion_of_a_word_with_itself() -> None:
    assert all(wrong not in {"", right} for right, wrongs in CONFUSIONS.items() for wrong in wrongs.split("|"))


def test_spelling_rules_change_something() -> None:
    assert all(right and right != wrong for right, wrong in SPELLING_RULES)


def test_classes_are_single_letters() -> None:
    assert all(len(letter) == 1 and letter.isalpha() for letter in CONTEXTS.values())
    assert "the" in FUNCTION_WORDS

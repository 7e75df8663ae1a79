from __future__ import annotations

import pytest

pytest.importorskip("lemminflect")

from redraft.lab.data.english_forms import change, find_lemma, inflect


@pytest.mark.parametrize(
    ("word", "tag", "lemma"),
    [
        ("going", "VBG", "go"), ("went", "VBD", "go"), ("worked", "VBN", "work"), ("cities", "NNS", "city"),
        ("harder", "JJR", "hard"), ("evening", "VBG", None), ("nothing", "VBG", None), ("city", "NNS", None),
        ("the", "NN", None), ("xyzzy", "VB", None),
    ],
)  # fmt: skip
def test_lemmas(word: str, tag: str, lemma: str | None) -> None:
    assert find_lemma(word, tag) == lemma


def test_forms() -> None:
    assert inflect("take", "VBN") == "taken"
    assert inflect("work", "VBN") == "worked"
    assert inflect("child", "NNS") == "children"


@pytest.mark.parametrize(
    ("word", "found", "wanted", "written"),
    [
        ("going", "VBG", "VB", "go"), ("left", None, "VB", "leave"), ("me", None, "subject", "I"),
        ("She", None, "object", "her"), ("We", None, "be", "are"), ("I", None, "was", "was"),
        ("it", None, "have", "has"), ("They", None, "reflexive", "themselves"), ("Life", None, "lower", "life"),
        ("xyzzy", "VBG", "VB", None),
    ],
)  # fmt: skip
def test_changed_words(word: str, found: str | None, wanted: str, written: str | None) -> None:
    assert change(word, found, wanted) == written

"""How sure a model must be of an edit."""

from __future__ import annotations

import pytest

from redraft.edits.caution import CONTENT_ROOT, required_root
from redraft.edits.edit import Kind


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        (Kind.WORD_CHOICE, "then", "than"),
        (Kind.WORD_CHOICE, " Much", "Many"),
        (Kind.AGREEMENT, "go", "goes"),
        (Kind.SPELLING, "freind", "friend"),
        (Kind.ARTICLE, "", "the "),
        (Kind.PUNCTUATION, "", ","),
    ],
)
def test_forms_and_confused_words_need_the_threshold(kind: Kind, old: str, new: str) -> None:
    assert required_root(kind, old, new) == 1


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        (Kind.WORD_CHOICE, "big", "large"),
        (Kind.WORD_CHOICE, "than", "from"),
        (Kind.MISSING_WORD, "", "then "),
        (Kind.REDUNDANCY, " really", ""),
        (Kind.WORD_ORDER, "always was", "was always"),
    ],
)
def test_other_words_need_most(kind: Kind, old: str, new: str) -> None:
    assert required_root(kind, old, new) == CONTENT_ROOT


@pytest.mark.parametrize("kind", [Kind.PREPOSITION, Kind.PRONOUN, Kind.VERB_FORM])
def test_function_words_and_tenses_are_in_between(kind: Kind) -> None:
    assert 1 < required_root(kind, "in", "at") < CONTENT_ROOT

"""How sure a model must be of an edit."""

from __future__ import annotations

import pytest

from redraft.edits.caution import CONTENT_ROOT, is_sure_alone, required_root
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


@pytest.mark.parametrize(
    ("kind", "old", "new", "least"),
    [
        (Kind.ARTICLE, "", "the ", 0.8 ** (1 / 2)),
        (Kind.PREPOSITION, "in", "on", 0.8 ** (1 / 4)),
        (Kind.WORD_CHOICE, "big", "large", 0.8 ** (1 / 20)),
        (Kind.WORD_FORM, "managers", "manager's own", 0.8 ** (1 / 2)),
        (Kind.SPELLING, "freind", "friend", 0.0),
        (Kind.AGREEMENT, "go", "goes", 0.0),
        (Kind.PUNCTUATION, "managers", "manager's", 0.0),
        (Kind.PUNCTUATION, "", "’", 0.0),
        (Kind.PUNCTUATION, "hander 's", "handers", 0.0),
    ],
)
def test_alone_an_edit_needs_the_square_root(kind: Kind, old: str, new: str, least: float) -> None:
    assert is_sure_alone(kind, old, new, least + 1e-6, 0.8)
    assert not least or not is_sure_alone(kind, old, new, least - 1e-6, 0.8)
    assert is_sure_alone(kind, old, new, 0.0, 0.0), "without a threshold all edits are sure"


@pytest.mark.parametrize(("old", "new"), [("it", "them"), ("He", "She"), (" him", " her"), ("They", "It")])
def test_what_a_pronoun_refers_to_is_not_sure_alone(old: str, new: str) -> None:
    assert not is_sure_alone(Kind.PRONOUN, old, new, 1.0, 0.8)
    assert is_sure_alone(Kind.PRONOUN, old, new, 0.0, 0.0), "without a threshold all edits are sure"


@pytest.mark.parametrize(("old", "new"), [("you", "your"), ("they", "them"), ("He", "Him"), ("it", "")])
def test_other_pronouns_can_be_sure_alone(old: str, new: str) -> None:
    assert is_sure_alone(Kind.PRONOUN, old, new, 1.0, 0.8)

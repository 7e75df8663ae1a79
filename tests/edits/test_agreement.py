from __future__ import annotations

import pytest

from redraft.edits.agreement import correct_agreement, correct_question, exchanges_subject


@pytest.mark.parametrize(
    ("earlier", "pronoun", "verb", "expected"),
    [
        ("", "They", "was", "were"),
        ("I know that ", "they", "was", "were"),
        ("I think ", "she", "don't", "doesn't"),
        ("", "She", "were", "was"),
        ("He was tired because ", "he", "have", "has"),
        ("She left when ", "it", "were", "was"),
        ("", "I", "has", "have"),
        ("", "You", "wasn't", "weren't"),
        ("We waited, but ", "it", "do", "does"),
        ("“", "It", "don't", "doesn't"),
        ("We asked, and ", "it", "don't", "doesn't"),
        ("We asked, and ", "they", "was", "were"),
    ],
)
def test_verbs_that_do_not_agree_are_corrected(earlier: str, pronoun: str, verb: str, expected: str) -> None:
    assert correct_agreement(earlier, pronoun, verb) == expected


@pytest.mark.parametrize(
    ("earlier", "pronoun", "verb"),
    [
        ("", "They", "were"),
        ("", "I", "was"),
        ("I wish ", "she", "were"),  # subjunctives and questions
        ("If ", "it", "were"),
        ("It is vital that ", "he", "have"),
        ("Where did ", "he", "do"),
        ("She and ", "he", "have"),  # two subjects
        ("You and ", "they", "has"),
        ("If he came, and ", "she", "were"),
        ("What I gave ", "you", "was"),  # objects
        ("The people who know ", "it", "are"),
        ("World War ", "I", "has"),  # a number and a name
        ("The snake ", "We", "was"),
        ("The pronoun ", "they", "has"),  # words about words
        ("As a pronoun, ", "they", "has"),
    ],
)
def test_other_verbs_stay(earlier: str, pronoun: str, verb: str) -> None:
    assert correct_agreement(earlier, pronoun, verb) is None


@pytest.mark.parametrize(
    ("before", "verb", "pronoun", "opens", "expected"),
    [
        ("", "does", "they", True, "do"),
        ("", "don't", "she", True, "doesn't"),
        ("where", "do", "he", False, "does"),
        ("", "was", "we", True, "were"),
        ("", "do", "it", True, None),  # “Do it now!”
        ("", "were", "he", True, None),  # “Were he here”
        ("problem", "is", "we", False, None),  # “The problem is we left”
        ("what", "is", "they", False, None),  # “What is they do?”, rather another word
        ("", "do", "they", True, None),
    ],
)
def test_questions(before: str, verb: str, pronoun: str, opens: bool, expected: str | None) -> None:
    assert correct_question(before, verb, pronoun, opens=opens) == expected


@pytest.mark.parametrize(
    ("old", "new", "behind", "expected"),
    [
        ("They", "It", " was late.", True),
        ("he", "they", " don’t know.", True),
        ("They", "It", " were late.", False),  # it does not agree afterwards
        ("They", "It", " late.", False),
        ("They", "The", " was late.", False),
        ("They", "Them", " was late.", False),
    ],
)
def test_a_subject_is_not_exchanged_to_agree_with_its_verb(old: str, new: str, behind: str, expected: bool) -> None:
    assert exchanges_subject(old, new, behind) == expected

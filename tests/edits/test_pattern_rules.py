from __future__ import annotations

import pytest

from redraft.edits.edit import Kind, apply
from redraft.edits.lexicon import ACCENTS
from redraft.edits.pattern import find_all
from redraft.edits.pattern_rules import PATTERN_RULES
from redraft.edits.rules import find_errors


def corrected(sentence: str) -> str:
    return apply(sentence, [match.edit for match in find_errors(sentence)])


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        # the pronoun
        ("At the end of the day i go home.", "At the end of the day I go home."),
        ("i think that i should wait, and i’m sure.", "I think that I should wait, and I’m sure."),
        ("When i went there (i was six), i didnt like it.", "When I went there (I was six), I didn't like it."),
        # accents
        ("I don´t know, it`s late and she won‘t come.", "I don't know, it's late and she won't come."),
        ("It’s my brother´s dog.", "It’s my brother’s dog."),
        ("Yes, i´m here and you`re not.", "Yes, I'm here and you're not."),
        # commas
        ("I have no time ,but I will try.", "I have no time, but I will try."),
        ("He is here ,i think.", "He is here, I think."),
        # their
        ("Their is a problem here.", "There is a problem here."),
        ("Overall their are more of them.", "Overall there are more of them."),
        ("I think their was a mistake. Their were two.", "I think there was a mistake. There were two."),
    ],
)
def test_patterns_are_corrected(sentence: str, expected: str):
    assert corrected(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "The loop ends while i is less than j, and for each i we add one.",
        "It is the sum of i and j, or of the element i has.",
        "Rodrigo Llançol i de Borja was the son of a cardinal.",
        "There are points (i) and (ii), and a step i) too.",
        "Use `Array`s and `i am` for the code of the page.",
        "They are ´´quoted´´ and it has the letters `s and `t.",
        "This is the tokenized text , with spaces and 1 ,2 , 3 .",
        "It was against their will, and their will was strong.",
        "Their is an adjective, and although their is gender neutral, it is there.",
        "I saw the house their was built by then.",
        "L´ami de ma mère n´est pas là.",
    ],
)
def test_correct_text_is_left_alone(sentence: str):
    assert corrected(sentence) == sentence


def test_matches_have_a_kind_and_the_words_that_decided():
    sentence = "When i was there ,their were two, and i´m sure."
    found = sorted(find_all(PATTERN_RULES, sentence, ()), key=lambda match: match.span)
    assert [(match.span.of(sentence), match.replacement, match.kind) for match in found] == [
        ("i", "I", Kind.CASING),
        (" ,", ", ", Kind.SPACING),
        ("i´m", "I'm", Kind.PUNCTUATION),
    ]
    assert [match.evidence.of(sentence) for match in found] == ["i", "re ,t", "i´m"]


@pytest.mark.parametrize(
    ("sentence", "explanation"),
    [
        ("Then i am late.", "The pronoun “I” is always written with a capital letter."),
        ("They don´t know.", "“don't” is written with an apostrophe, not with “´”."),
        ("We are late ,but happy.", "The space goes behind the comma."),
    ],
)
def test_explanations(sentence: str, explanation: str):
    assert [match.edit.explanation for match in find_errors(sentence)] == [explanation]


def test_accents_between_letters_take_linear_time():
    """A long run of letters is not searched again from each of them."""
    assert not list(find_all(PATTERN_RULES, "a" * 200_000 + f" {ACCENTS} " + "a´" * 50_000, ()))

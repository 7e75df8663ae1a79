from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redraft.edits.align import Change, align
from redraft.edits.classify import classify
from redraft.edits.edit import Kind
from redraft.edits.m2 import M2Sentence, read
from redraft.text.span import Span

# Each line: the sentence, and what it should be.
EXAMPLES = {
    Kind.SPELLING: [
        "I recieved it.|I received it.",
        "The goverment fell.|The government fell.",
        "Привит всем|Привет всем",
    ],
    Kind.CASING: ["we met anna.|we met Anna.", "It is Important.|It is important.", "the usa won|the USA won"],
    Kind.PUNCTUATION: [
        "However I left.|However, I left.",
        "I left, now.|I left now.",
        "I came, we left.|I came. We left.",
        "I dont know.|I don't know.",
        "a well known man|a well-known man",
    ],
    Kind.SPACING: ["every day life|everyday life", "alot of it|a lot of it", "two  spaces|two spaces", "so ,he|so, he"],
    Kind.ARTICLE: ["I saw cat.|I saw a cat.", "I like the music.|I like music.", "a apple|an apple", "a sun|the sun"],
    Kind.PREPOSITION: [
        "I live at Rome.|I live in Rome.",
        "discuss about it|discuss it",
        "listen music|listen to music",
    ],
    Kind.PRONOUN: [
        "Me left.|I left.",
        "Ann she left.|Ann left.",
        "Is raining.|It is raining.",
        "he lost her hat|he lost his hat",
    ],
    Kind.AGREEMENT: [
        "He go home.|He goes home.",
        "They was here.|They were here.",
        "He have it.|He has it.",
        "I like this books.|I like these books.",
        "He don't care.|He doesn't care.",
        "The men works hard.|The men work hard.",
    ],
    Kind.VERB_FORM: [
        "I goed home.|I went home.",
        "He can goes home.|He can go home.",
        "I enjoy to swim.|I enjoy swimming.",
        "I want go.|I want to go.",
        "He eating now.|He is eating now.",
        "I have see it.|I have seen it.",
        "He will came.|He will come.",
        "I seen it.|I have seen it.",
    ],
    Kind.NOUN_NUMBER: [
        "two cat|two cats",
        "much informations|much information",
        "the childs|the children",
        "a cats|a cat",
    ],
    Kind.WORD_FORM: [
        "She sings beautiful.|She sings beautifully.",
        "I need advise.|I need advice.",
        "He is more tall.|He is taller.",
        "I am interesting in it.|I am interested in it.",
        "my friend car|my friend's car",
    ],
    Kind.WORD_ORDER: ["He always is late.|He is always late.", "a car red|a red car"],
    Kind.WORD_CHOICE: [
        "He said me it.|He told me it.",
        "better then this|better than this",
        "I lost you're pen|I lost your pen",
    ],
    Kind.MISSING_WORD: ["He very tall.|He is very tall.", "I know you came|I know that you came", "我吃|我很吃"],
    Kind.REDUNDANCY: ["I went to to Rome.|I went to Rome.", "return back home|return home", "I am agree.|I agree."],
    Kind.OTHER: ["good 👍|good 👎"],
}


def kinds(source: str, target: str) -> set[Kind]:
    return {classify(source, target, change) for change in align(source, target)}


@pytest.mark.parametrize(
    ("kind", "example"),
    [(kind, line) for kind, lines in EXAMPLES.items() for line in lines],
)
def test_kinds(kind: Kind, example: str):
    source, target = example.split("|")
    assert kinds(source, target) == {kind}


def test_typographic_apostrophes_are_apostrophes():
    assert kinds("He don’t care.", "He doesn’t care.") == {Kind.AGREEMENT}


def test_a_lost_accent_is_a_misspelling():
    assert kinds("a cafe there", "a café there") == {Kind.SPELLING}
    assert kinds("a cafe there", "a cafe\u0301 there") == {Kind.SPELLING}


@settings(deadline=None)
@given(st.text(), st.text())
def test_every_change_has_a_kind(source: str, target: str):
    assert all(isinstance(classify(source, target, change), Kind) for change in align(source, target))


# ERRANT's categories and the kind that each comes closest to; the others follow the operation.
CATEGORIES = {
    "PUNCT": Kind.PUNCTUATION,
    "DET": Kind.ARTICLE,
    "PREP": Kind.PREPOSITION,
    "PART": Kind.PREPOSITION,
    "PRON": Kind.PRONOUN,
    "VERB:TENSE": Kind.VERB_FORM,
    "VERB:FORM": Kind.VERB_FORM,
    "VERB:INFL": Kind.VERB_FORM,
    "VERB:SVA": Kind.AGREEMENT,
    "NOUN:NUM": Kind.NOUN_NUMBER,
    "NOUN:INFL": Kind.NOUN_NUMBER,
    "NOUN:POSS": Kind.WORD_FORM,
    "MORPH": Kind.WORD_FORM,
    "ADJ:FORM": Kind.WORD_FORM,
    "CONTR": Kind.WORD_FORM,
    "WO": Kind.WORD_ORDER,
    "SPELL": Kind.SPELLING,
}
OPERATIONS = {"M": Kind.MISSING_WORD, "U": Kind.REDUNDANCY, "R": Kind.WORD_CHOICE}


def place(tokens: tuple[str, ...], start: int, end: int) -> Span:
    before = sum(len(token) + 1 for token in tokens[:start])
    return Span(before, before + len(" ".join(tokens[start:end])))


def gold_kinds(sentence: M2Sentence) -> list[tuple[Kind, Kind]]:
    """What is found and what the annotation says, for each edit of the first annotator."""
    pairs = []
    source, target = " ".join(sentence.tokens), " ".join(sentence.corrected())
    grown = 0
    for edit in sorted(sentence.annotations.get(0, ()), key=lambda edit: (edit.start, edit.end)):
        new = edit.corrections[0].split()
        start = edit.start + grown
        grown += len(new) - (edit.end - edit.start)
        operation, _, category = edit.kind.partition(":")
        if not category or tuple(new) == sentence.tokens[edit.start : edit.end] or category == "ORTH":
            continue
        change = Change(
            place(sentence.tokens, edit.start, edit.end), place(sentence.corrected(), start, start + len(new))
        )
        if change.target.end > len(target):
            continue
        pairs.append((classify(source, target, change), CATEGORIES.get(category, OPERATIONS[operation])))
    return pairs


def test_agrees_with_annotated_categories(shared_data: Path):
    pairs = [
        pair
        for level in "ABC"
        for sentence in islice(read(shared_data / "en" / "pairs" / f"wi.{level}.train.m2.xz"), 0, 4000, 10)
        for pair in gold_kinds(sentence)
    ]
    assert len(pairs) > 1000
    assert sum(found == said for found, said in pairs) / len(pairs) > 0.85

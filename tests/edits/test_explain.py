from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redraft.edits.edit import Kind
from redraft.edits.explain import explain


@pytest.mark.parametrize(
    ("kind", "source", "replacement", "expected"),
    [
        (Kind.AGREEMENT, "go", "goes", "Use “goes” with a singular subject such as he, she or it."),
        (Kind.AGREEMENT, "goes", "go", "Use “go” with I, you, we, they or a plural subject."),
        (Kind.AGREEMENT, "is", "are", "Use “are” with you, we, they or a plural subject."),
        (Kind.AGREEMENT, "don't", "doesn't", "Use “doesn't” with a singular subject such as he, she or it."),
        (Kind.AGREEMENT, "this", "these", "Use “these” with a plural noun."),
        (
            Kind.NOUN_NUMBER,
            "informations",
            "information",
            "“informations” is not used in the plural: write “information”.",
        ),
        (Kind.NOUN_NUMBER, "childs", "children", "The plural of “child” is “children”."),
        (Kind.NOUN_NUMBER, "peoples", "people", "“people” is a plural without “-s”."),
        (Kind.NOUN_NUMBER, "cat", "cats", "Use the plural “cats” here."),
        (Kind.NOUN_NUMBER, "cats", "cat", "Use the singular “cat” here."),
        (Kind.PUNCTUATION, "", ",", "A comma is needed here."),
        (Kind.PUNCTUATION, ", ", "", "No comma is needed here."),
        (Kind.PUNCTUATION, ",", ";", "Use a semicolon here instead of a comma."),
        (Kind.PUNCTUATION, ", we", ". We", "End the sentence here with a full stop and begin a new one."),
        (Kind.PUNCTUATION, "dont", "don’t", "“don’t” is written with an apostrophe here."),
        (Kind.PUNCTUATION, "well known", "well-known", "“well-known” is written with a hyphen here."),
        (Kind.ARTICLE, "", "the ", "The article “the” is needed here."),
        (Kind.ARTICLE, "a", "an", "Use “an” before a vowel sound."),
        (Kind.ARTICLE, "the ", "", "No article is needed here: leave out “the”."),
        (Kind.PREPOSITION, "at", "in", "The right preposition here is “in”, not “at”."),
        (Kind.PREPOSITION, "about ", "", "No preposition is needed here: leave out “about”."),
        (Kind.VERB_FORM, "goed", "went", "The verb “go” is irregular: write “went”, not “goed”."),
        (Kind.VERB_FORM, "meet", "meeting", "Use the -ing form “meeting” here."),
        (Kind.VERB_FORM, "went", "gone", "Use the past participle “gone” here."),
        (Kind.VERB_FORM, "walk", "walked", "Use the past form “walked” here."),
        (Kind.VERB_FORM, "", "have ", "The verb is not complete without “have”."),
        (Kind.WORD_FORM, "quick", "quickly", "Use the adverb “quickly” here."),
        (Kind.WORD_FORM, "friend", "friendly", "The right form of the word here is “friendly”, not “friend”."),
        (Kind.WORD_FORM, "more tall", "taller", "Use the comparative “taller” here."),
        (
            Kind.WORD_FORM,
            "boring",
            "bored",
            "“bored” says how someone feels; “boring” says what causes the feeling.",
        ),
        (Kind.WORD_CHOICE, "then", "than", "“than” is used to compare; “then” means “at that time” or “next”."),
        (Kind.WORD_CHOICE, "say", "tell", "“tell” fits better here than “say”."),
        (Kind.DIALECT, "color", "colour", "American spelling; British English writes “colour”."),
        (Kind.DIALECT, "Organised", "Organized", "British spelling; American English writes “Organized”."),
        (Kind.CASING, "i", "I", "The pronoun “I” is always written with a capital letter."),
        (Kind.CASING, "monday", "Monday", "Days and months begin with a capital letter: “Monday”."),
        (Kind.CASING, "Important", "important", "“important” is written in small letters here."),
        (Kind.SPACING, "every day", "everyday", "“everyday” is written as one word here."),
        (Kind.SPACING, "alot", "a lot", "“a lot” is written with a space here."),
        (Kind.SPACING, " ", "", "Remove the space here."),
        (Kind.SPACING, "", " ", "Add a space here."),
        (Kind.SPELLING, "recieve", "receive", "The correct spelling here is “receive”, not “recieve”."),
        (Kind.MISSING_WORD, "", " is", "A word is missing here: add “is”."),
        (Kind.REDUNDANCY, "back ", "", "“back” is not needed here."),
        (Kind.WORD_ORDER, "always is", "is always", "The usual word order here is “is always”."),
    ],
)
def test_explanations(kind: Kind, source: str, replacement: str, expected: str):
    assert explain(kind, source, replacement) == expected


WORDS = st.text() | st.sampled_from(
    ["a", "an", "the", "go", "goes", "its", "it's", " in", ", ", ". We", "I", "childs", " \n"]
)


@settings(deadline=None)
@given(st.sampled_from(Kind), WORDS, WORDS)
def test_an_explanation_is_one_line_and_a_sentence(kind: Kind, source: str, replacement: str):
    text = explain(kind, source, replacement)
    assert text.endswith(".")
    assert len(text.splitlines()) == 1
    assert text[0] == "“" or text[0].isupper()
    assert len(text) < 250


def test_a_long_quotation_is_cut():
    assert "…”" in explain(Kind.WORD_CHOICE, "word " * 100, "other")

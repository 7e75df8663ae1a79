from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redraft.edits.align import align
from redraft.edits.classify import classify
from redraft.edits.edit import Kind
from redraft.edits.explain import explain
from redraft.text.words import word_set


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


# Words that are spelt correctly, for the sentences below.
REAL_WORDS = word_set("word new news requests specially extend price prize besides sometime breath compared")


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        # an article that is added before a word whose capital changes
        ("Third day was fun.", "The third day was fun.", "The article “The” is needed here."),
        ("The soccer is fun.", "Soccer is fun.", "No article is needed here: leave out “The”."),
        # "a" before a quantity says nothing about countable nouns
        ("I know lot of people.", "I know a lot of people.", "The article “a” is needed here."),
        ("I saw cat.", "I saw a cat.", "A singular countable noun usually needs an article: add “a”."),
        # a compound is a word of its own
        (
            "From a physical standpoint it is",
            "From a physical point it is",
            "“point” fits better here than “standpoint”.",
        ),
        # nouns that end in -s without being plurals
        ("She told her the new.", "She told her the news.", "Use the form “news” here, with “-s”."),
        # an infinitive behind the subject of a question
        ("Would you pleased return it?", "Would you please return it?", "Use the base form “please” here."),
        # real words are not misspelt
        ("I have never seen it, never.", "I have never seen it, ever.", "“ever” fits better here than “never”."),
        ("I travel around the word.", "I travel around the world.", "“world” fits better here than “word”."),
        ("I answer your requests.", "I answer your questions.", "“questions” fits better here than “requests”."),
        ("It is fun, specially now.", "It is fun, especially now.", "“especially” fits better here than “specially”."),
        ("if you compared that", "if you compare it that", "“compare it” fits better here than “compared”."),
        ("There were not problems.", "There were no problems.", "“no” fits better here than “not”."),
        ("this days trip", "this 3-day trip", "“3-day” fits better here than “days”."),
        # misspelt forms of words
        (
            "At the begining I left.",
            "At the beginning I left.",
            "The correct spelling here is “beginning”, not “begining”.",
        ),
        ("my two hobbys", "my two hobbies", "The correct spelling here is “hobbies”, not “hobbys”."),
        ("It was delaied.", "It was delayed.", "The correct spelling here is “delayed”, not “delaied”."),
        ("Nowaday we fly.", "Nowadays we fly.", "The correct spelling here is “Nowadays”, not “Nowaday”."),
        ("Thoes men left.", "Those men left.", "The correct spelling here is “Those”, not “Thoes”."),
        (
            "Everythings went wrong.",
            "Everything went wrong.",
            "The correct spelling here is “Everything”, not “Everythings”.",
        ),
        ("It will bi good.", "It will be good.", "The correct spelling here is “be”, not “bi”."),
        ("They creat it.", "They create it.", "The correct spelling here is “create”, not “creat”."),
        # words that may be a noun or a verb
        ("No one attack them.", "No one attacks them.", "Use “attacks” with a singular subject such as he, she or it."),
        (
            "The pictures below shows that.",
            "The pictures below show that.",
            "Use “show” with I, you, we, they or a plural subject.",
        ),
        (
            "Our basketball match are long.",
            "Our basketball matches are long.",
            "Use the form “matches” here, with “-s”.",
        ),
        ("We both works there.", "We both work there.", "Use “work” with I, you, we, they or a plural subject."),
        ("X denote the set.", "X denotes the set.", "Use “denotes” with a singular subject such as he, she or it."),
        ("two match", "two matches", "Use the plural “matches” here."),
        ("I give you gift.", "I give you gifts.", "Use the plural “gifts” here."),
        # forms of verbs
        ("I didn't went there.", "I didn't go there.", "Use the base form “go” here."),
        ("It made me felt good.", "It made me feel good.", "Use the base form “feel” here."),
        ("What they did now is run.", "What they do now is run.", "Use the present tense “do” here."),
        ("types of exercising", "types of exercise", "The right form here is “exercise”, not “exercising”."),
        ("They were allow to go.", "They were allowed to go.", "Use the past participle “allowed” here."),
        ("It made me feel relax.", "It made me feel relaxed.", "Use the -ed form “relaxed” here."),
        ("they annoying me", "they annoyed me", "The right form of the word here is “annoyed”, not “annoying”."),
        ("If I was rich", "If I were rich", "Use “were” for something that is not real."),
        ("They wasn't here.", "They weren't here.", "Use “weren't” with you, we, they or a plural subject."),
        ("He is a work.", "He is a worker.", "The right form of the word here is “worker”, not “work”."),
        ("It is going well.", "It is not going well.", "A word is missing here: add “not”."),
        # words that are not what their kind says
        ("Are three men.", "There are three men.", "A word is missing here: add “There”."),
        ("I said they she left.", "I said that she left.", "“that” fits better here than “they”."),
        ("You are right because rain.", "You are right for rain.", "The right word here is “for”, not “because”."),
        ("I saw this.", "I saw any.", "The right word here is “any”, not “this”."),
        ("I need exercise.", "I need to exercise.", "The word “to” is needed here."),
        ("It moves from place.", "It moves from one place.", "A word is missing here: add “one”."),
        (
            "It is profitability.",
            "It is profitable.",
            "The right form of the word here is “profitable”, not “profitability”.",
        ),
        ("It is the the best.", "It is the best.", "“the” is repeated here."),
        ("I do not know.", "I don't know.", "“don't” is short for “do not”."),
        # marks and words together
        ("if it rains is fun", "if it rains, it is fun", "Add “, it” here."),
        (
            "we left is fun",
            "we left. It is fun",
            "End the sentence here with a full stop and begin a new one with “It”.",
        ),
        ("about my self im old", "about myself I'm old", "Write “myself I'm” here, not “my self im”."),
        ("He has Alzheimer disease.", "He has Alzheimer's disease.", "The ending “'s” is needed here: “Alzheimer's”."),
    ],
)
def test_explanations_in_context(source: str, target: str, expected: str):
    change = align(source, target)[0]
    kind = classify(source, target, change, "en", REAL_WORDS.__contains__)
    old, new = change.source.of(source).strip(), change.target.of(target).strip()
    assert explain(kind, old, new, "en", target[: change.target.start], target[change.target.end :]) == expected


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

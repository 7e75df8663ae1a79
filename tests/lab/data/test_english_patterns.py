from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("lemminflect")

from redraft.lab.data.english_pattern import Entry, Pattern, PatternIndex, expand, read_entries
from redraft.lab.data.english_patterns import load_index, load_patterns, write_error

ENTRIES = read_entries()
EXAMPLES = {name: entry for name, entry in ENTRIES.items() if entry.right}
PHRASES = {name: entry for name, entry in ENTRIES.items() if not entry.right}
PATTERNS = {pattern.name: pattern for pattern in load_patterns()}


def write_all(name: str, sentence: str) -> set[str]:
    edits = PATTERNS[name].find_all(sentence)
    return {sentence[: edit.start] + edit.text + sentence[edit.end :] for edit in edits}


def test_there_are_many_patterns_in_many_groups() -> None:
    assert len(EXAMPLES) >= 120
    assert len({entry.group for entry in ENTRIES.values()}) >= 15


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_of_a_pattern(name: str) -> None:
    entry = EXAMPLES[name]
    assert entry.wrong in write_all(name, entry.right)
    assert entry.right not in write_all(name, entry.right)
    assert PATTERNS[name] in load_index().candidates(entry.right)


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_a_pattern_leaves_alone(name: str) -> None:
    entry = EXAMPLES[name]
    assert len(entry.never) > 5
    assert write_all(name, entry.never) == set()


@pytest.mark.parametrize("name", PHRASES)
def test_a_phrase_gets_each_of_its_wrong_prepositions(name: str) -> None:
    entry = PHRASES[name]
    sentence = f"They were {name} them."
    assert PATTERNS[name] in load_index().candidates(sentence)
    written = write_all(name, sentence)
    assert len(written) == len(entry.write)
    head = name.rpartition(" ")[0]
    assert all(wrong.startswith(f"They were {head} ") for wrong in written)
    assert write_all(name, f"They were {head}.") == set()


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("We spent two hours washing it.", "We spent two hours to wash it."),
        ("She didn't call him either.", "She didn't call him too."),
        ("Let me know when the meeting starts.", "Let me know when does the meeting start."),
        ("We have worked on this for three months.", "We have worked on this since three months."),
        ("She suggested taking a rest.", "She suggested me to take a rest."),
        ("I look forward to hearing from you.", "I look forward to hear from you."),
        ("They discussed the proposal.", "They discussed about the proposal."),
        ("I don't know where he is.", "I don't know where is he."),
        ("He explained the rule to me.", "He explained me the rule."),
        ("I have lived here since 2010.", "I live here since 2010."),
        ("There are many people here.", "There is many people here."),
        ("Most people like it.", "The most of people like it."),
        ("I like it very much.", "I like very much it."),
        ("If I had known, I would have come.", "If I would have known, I would have come."),
        ("I am 20 years old.", "I have 20 years."),
        ("This is harder than that.", "This is more harder than that."),
        ("Although it was late, he went out.", "Although it was late, but he went out."),
        ("I like the way we work.", "I like the way how we work."),
        ("It is raining, so we stay.", "Is raining, so we stay."),
    ],
)
def test_errors_that_learners_make(right: str, wrong: str) -> None:
    assert wrong in {written for name in PATTERNS for written in write_all(name, right)}


@pytest.mark.parametrize(
    "sentence",
    [
        "He stopped to smoke.",
        "This rule is considered to be important.",
        "She was used to make tea.",
        "It happened and is now over.",
        "He lives near.",
        "What do you usually like?",
        "Do what you like; take it if you must.",
        "We talk about day-to-day work.",
    ],
)
def test_no_pattern_fits_where_the_result_could_be_right(sentence: str) -> None:
    assert {name for name in PATTERNS if write_all(name, sentence)} == set()


@given(st.text(max_size=60))
def test_any_string_is_read(text: str) -> None:
    rng = random.Random(0)
    for pattern in load_index().candidates(text):
        wrong = write_error(text, pattern, rng)
        assert wrong is None or wrong.source != text


def test_no_pattern_fits_an_empty_string() -> None:
    assert all(pattern.find_all("") == [] for pattern in PATTERNS.values())
    assert load_index().candidates("") == []


words = sorted({word for entry in ENTRIES.values() for word in re.findall(r"[A-Za-z']+", entry.right)})


@given(st.lists(st.sampled_from(words), min_size=1, max_size=12), st.integers(0, 9))
def test_the_same_seed_writes_the_same_error(chosen: list[str], seed: int) -> None:
    sentence = " ".join(chosen) + "."
    for pattern in load_index().candidates(sentence):
        first, second = (write_error(sentence, pattern, random.Random(seed)) for _ in range(2))
        assert first == second
        if first is not None:
            assert first.patterns[0] is pattern and 1 <= len(first.patterns) <= 2
            assert "  " not in first.source and first.source == first.source.strip()


def test_some_sentences_get_two_errors() -> None:
    sentence = "I look forward to hearing from the people who are interested in it."
    found = [write_error(sentence, PATTERNS["look forward to -ing"], random.Random(seed)) for seed in range(60)]
    numbers = [len(wrong.patterns) for wrong in found if wrong]
    assert len(numbers) == 60 and 0 < numbers.count(2) < 30


def test_capitals_stay_at_the_start() -> None:
    assert write_all("at least", "At least we tried.") >= {"At less we tried."}
    assert "I wanted that he come." in write_all("want somebody to", "I wanted him to come.")


def test_the_notation() -> None:
    assert re.fullmatch(expand("~don't"), "Don’t")
    pattern = Pattern("x", Entry("g", "like", r"\b(like) {v:VBG}", ("{1} to {v:VB}", "{v:VBD}")))
    assert [edit.text for edit in pattern.find_all("They like going.")] == ["like to go", "went"]
    assert pattern.find_all("They like nothing.") == []
    assert PatternIndex([pattern]).candidates("I LIKE it.") == [pattern]
    assert PatternIndex([pattern]).candidates("I liked it.") == []

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from redraft.lab.tagger.alignment import Step, align
from redraft.lab.tagger.words import split_words

words = st.lists(st.sampled_from([" a", " b", " ab", ",", "b", " c", " every", " day", " everyday"]), max_size=14)


@given(words, words)
def test_the_steps_turn_the_source_into_the_target(source, target):
    written, place = [], 0
    for step in align(source, target):
        written += source[place : step.start] + target[step.target_start : step.target_end]
        place = step.end
    assert written + source[place:] == target


@given(words, words)
def test_a_step_is_one_word_to_none_one_or_several_or_the_other_way_round(source, target):
    for step in align(source, target):
        before, after = step.end - step.start, step.target_end - step.target_start
        assert min(before, after) <= 1 <= max(before, after) <= 3
        assert min(before, after) == 1 or max(before, after) == 1


@given(words)
def test_equal_sentences_have_no_steps(source):
    assert align(source, source) == []


def test_similar_words_belong_together():
    source, target = [" She", " go", " school", "."], [" She", " goes", " to", " school", "."]
    assert align(source, target) == [Step(1, 2, 1, 2), Step(2, 2, 2, 3)]


def test_joined_words_belong_to_their_parts():
    assert align([" It", " is", " every", " day"], [" It", " is", " an", " everyday"]) == [
        Step(2, 2, 2, 3),
        Step(2, 4, 3, 4),
    ]


def test_equal_words_far_away_do_not_tear_a_sentence_apart():
    source = split_words("I don't same to them and I want to go")
    target = split_words("I don't want to be the same as them and I want to go")
    steps = align(source, target)
    assert max(step.end for step in steps) < source.index(" and")

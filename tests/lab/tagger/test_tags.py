from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.lab.tagger.forms import FormTable
from redraft.lab.tagger.tags import (
    DELETE,
    KEEP,
    OTHER,
    Action,
    Tag,
    after_passes,
    apply_tags,
    choose_first,
    find_tags,
    list_passes,
    match_case,
)
from redraft.lab.tagger.words import split_words

FORMS = FormTable([{"base": "go", "s": "goes", "past": "went"}, {"base": "day", "s": "days"}])
texts = st.lists(
    st.sampled_from(
        ["a", "The", "the", "go", "goes", "Went", "days", "every", "everyday", ",", ".", "it's", "I", "x-y"]
    ),
    max_size=9,
).map(" ".join) | st.text(alphabet=st.sampled_from("abAB ,.-'_1"), max_size=20)


def name_tags(source: str, target: str) -> list[str]:
    return [str(tag) for tag in find_tags(source, target, FORMS)]


@given(texts, texts)
def test_tags_applied_again_and_again_give_the_target(source, target):
    passes = list(list_passes(source, target, FORMS))
    assert ([*passes] or [" ".join(source.split())])[-1] == " ".join(target.split())
    assert len(passes) <= 2 + len(split_words(target)) + len(split_words(source))


@given(texts)
def test_a_right_sentence_is_kept(text):
    assert set(find_tags(text, text, FORMS)) == {KEEP}


@given(texts, texts, st.sets(st.sampled_from(Action)))
def test_with_fewer_tags_the_passes_end_all_the_same(source, target, known):
    def choose(candidates):
        return next((tag for tag in candidates if tag.action in known), OTHER)

    for number, _ in enumerate(list_passes(source, target, FORMS, choose)):
        assert number < 60


def test_each_kind_of_change_has_its_tag():
    assert name_tags("She go , every days.", "She went every day.") == [
        *("KEEP", "KEEP", "FORM past", "DELETE", "KEEP", "FORM base", "KEEP"),
    ]
    assert name_tags("He is teacher.", "He is a teacher.") == ["KEEP", "KEEP", "APPEND  a", "KEEP", "KEEP"]
    assert name_tags("cat sleeps", "The cat sleeps.") == ["APPEND  The", "KEEP", "APPEND ."]
    assert name_tags("we like Tea", "We like tea") == ["KEEP", "CAPITALIZE", "KEEP", "LOWER"]
    assert name_tags("usa", "USA") == ["KEEP", "UPPER"]
    assert name_tags("alot of", "a lot of") == ["KEEP", "SPLIT 1", "KEEP"]
    assert name_tags("some thing", "something") == ["KEEP", "KEEP", "JOIN"]
    assert name_tags("well known", "well-known") == ["KEEP", "APPEND -", "JOIN"]
    assert name_tags("Yes,it is", "Yes, it is") == ["KEEP", "KEEP", "KEEP", "SPACE", "KEEP"]
    assert name_tags("In monday", "On monday") == ["KEEP", "REPLACE on", "KEEP"]
    assert name_tags("study it easier", "study it more easily") == [*["KEEP"] * 2, "APPEND  more", "REPLACE easily"]


def test_a_tag_survives_its_text():
    for tag in (KEEP, DELETE, Tag(Action.APPEND, " , but"), Tag(Action.APPEND, ","), Tag(Action.SPLIT, "2")):
        assert Tag.parse(str(tag)) == tag


@pytest.mark.parametrize("text", ["", "keep", "KEEP x", "APPEND", "SPLIT x", "REPLACE "])
def test_what_is_no_tag_is_refused(text):
    with pytest.raises(ValueError, match="is no"):
        Tag.parse(text)


def test_a_tag_that_does_not_fit_changes_nothing():
    words = split_words("It rains")
    for tag in (Tag(Action.SPLIT, "9"), Tag(Action.FORM, "past"), OTHER):
        assert apply_tags(words, [tag, tag, tag], FORMS) == "It rains"


def test_replacements_take_on_the_case_of_a_word():
    assert [match_case("on", model) for model in ("in", "In", "IN", "I")] == ["on", "On", "ON", "On"]
    assert match_case("USA", "In") == "USA"


def test_passes_are_limited():
    source, target = "He teacher", "He is not a very good old teacher"
    first = after_passes(source, target, FORMS, choose_first, 1)
    assert first == "He is not a teacher"
    assert after_passes(source, target, FORMS, choose_first, 3) == target

from __future__ import annotations

from collections.abc import Callable

import pytest

from redraft.lab.data.actions import Action, Actions, Change, Sentence, capitalize, match_case, needs_space
from redraft.lab.data.noise import Noiser, write
from redraft.lab.data.table import ErrorTable


@pytest.fixture
def read(table: ErrorTable) -> Callable[[str], Sentence]:
    noiser = Noiser(table)
    return lambda text: noiser._read(text, unsplit=False)


@pytest.fixture
def actions(table: ErrorTable) -> Actions:
    return Actions(table, lambda: 0.0)


def act(sentence: Sentence, change: Change | None, tokenized: bool = False) -> str:
    assert change is not None
    return write(sentence, [change], " " if tokenized else None)


@pytest.mark.parametrize(
    ("text", "place", "payload", "wrong"),
    [
        ("The cat sat.", 0, "1:", "Cat sat."),
        ("He saw (the cat).", 3, "1:", "He saw (cat)."),
        ('He said "the cat" sat.', 2, "1:", 'He said the cat" sat.'),
        ("Then, he left.", 1, "1:", "Then he left."),
        ("Then, he left.", 1, "2:he", "Then he left."),
        ("A well-known cat", 2, "1:", "A well known cat"),
        ("He goes home.", 1, "1:is go", "He is go home."),
        ("He goes home.", 1, "1:, goes", "He, goes home."),
        ("The cat sat.", 0, "1:this", "This cat sat."),
        ("He left. It rained.", 2, "2:, it", "He left, it rained."),
        ("It is its end.", 2, "1:it 's", "It is it's end."),
    ],
)
def test_replacing(actions: Actions, read: Callable[[str], Sentence], text: str, place: int, payload: str, wrong: str):
    sentence = read(text)
    assert act(sentence, actions.replace(sentence, place, payload)) == wrong


def test_a_clitic_is_never_left_without_its_word(actions: Actions, read: Callable[[str], Sentence]) -> None:
    sentence = read("If it's good")
    assert actions.drop(sentence, 1, "") is None


def test_the_last_word_is_never_taken(actions: Actions, read: Callable[[str], Sentence]) -> None:
    assert actions.drop(read("Stop"), 0, "") is None


def test_casing(actions: Actions, read: Callable[[str], Sentence]) -> None:
    sentence = read("He saw Anna.")
    assert act(sentence, actions.change_case(sentence, 2, "lower")) == "He saw anna."
    assert act(sentence, actions.change_case(sentence, 1, "title")) == "He Saw Anna."
    assert actions.change_case(sentence, 1, "lower") is None


def test_spacing(actions: Actions, read: Callable[[str], Sentence]) -> None:
    sentence = read("He saw something, then left.")
    assert act(sentence, actions.split(sentence, 2, "")) == "He saw some thing, then left."
    assert act(sentence, actions.join(sentence, 1, "")) == "He sawsomething, then left."
    assert act(sentence, actions.space_before(sentence, 3, "")) == "He saw something , then left."
    assert act(sentence, actions.unspace_after(sentence, 3, "")) == "He saw something,then left."
    assert act(sentence, actions.unspace_after(sentence, 3, ""), tokenized=True) == "He saw something ,then left ."


def test_order(actions: Actions, read: Callable[[str], Sentence]) -> None:
    sentence = read("The cat often sleeps here.")
    assert act(sentence, actions.swap(sentence, 1, "")) == "The often cat sleeps here."
    assert act(sentence, actions.swap(sentence, 0, "")) == "Cat the often sleeps here."
    assert act(sentence, actions.move(sentence, 1, "")) == "The often sleeps cat here."
    assert actions.swap(sentence, 4, "") is None, "a word does not change places with a mark"


def test_stretches(actions: Actions, read: Callable[[str], Sentence]) -> None:
    sentence = read("She looked at the cat of the house.")
    assert act(sentence, actions.repeat(sentence, 0, "")) == "She she looked at the cat of the house."
    assert act(sentence, actions.repeat_stretch(sentence, 3, "")) == "She looked at the cat the cat of the house."
    assert act(sentence, actions.drop_stretch(sentence, 5, "")) == "She looked at the cat house."
    assert actions.drop_stretch(sentence, 4, "") is None, "content words are not dropped in stretches"


@pytest.mark.parametrize(
    ("context", "before", "fits"),
    [("", "b", True), ("bh", "b", False), ("bh", "", True), ("bh", "n", True), ("+bh", "b", True), ("+bh", "", False)],
)
def test_context(context: str, before: str, fits: bool) -> None:
    assert Action(lambda sentence, place, payload: None, "", context).fits(before) is fits


def test_case_follows_the_model() -> None:
    assert [match_case("teh", model) for model in ("the", "The", "THE", "I")] == ["teh", "Teh", "TEH", "Teh"]
    assert capitalize("éa") == "Éa"


def test_marks_and_clitics_need_no_space() -> None:
    assert [needs_space(token) for token in ("cat", ",", "'s", "n't", "-")] == [True, False, False, False, False]
    assert not needs_space("known", before="-")

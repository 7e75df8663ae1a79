"""Other targets at places of a decoded target, from a model whose choices the tests write."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pytest
from greedy import LETTERS, choices, probabilities, sources
from hypothesis import given
from hypothesis import strategies as st
from scripted import EOS, ScriptedEngine, ScriptedStepper, always_agrees

from redraft.decode.alternatives import OtherTarget, Passage, other_targets
from redraft.decode.loop import length_limit
from redraft.decode.stepper import Feed, Ranking

SOURCE = [10, 11, 13, 14]
TARGET = [10, 20, 13, 14]
"""20 in place of 11; none of these tokens goes on with the word before."""
EDIT = Passage(1, 2)


class Model:
    """Continues each prefix of a target as given, and else copies the target; ranks the tokens given for a prefix."""

    def __init__(
        self, continuations: Mapping[tuple[int, ...], int], rankings: Mapping[tuple[int, ...], object]
    ) -> None:
        model = self
        self.rankings = rankings

        class Stepper(ScriptedStepper):
            def rank(self, feeds: Sequence[Feed], best: int) -> list[Ranking]:
                self.extend(feeds)
                return [model.rank(self.fed[feed.row][1:]) for feed in feeds]

        def choose(source: Sequence[int], target: Sequence[int]) -> int:
            return continuations.get(tuple(target), always_agrees(TARGET, target))

        self.engine = ScriptedEngine(choose, stepper=Stepper)

    def rank(self, prefix: Sequence[int]) -> Ranking:
        found = dict(self.rankings.get(tuple(prefix), {}))  # type: ignore[call-overload]
        return Ranking(list(found), [math.log(probability) for probability in found.values()])

    def find(self, *passages: Passage, floor: float = 0.02) -> list[list[OtherTarget]]:
        return other_targets(self.engine, SOURCE, TARGET, passages, LETTERS, floor)


def test_each_other_token_gives_a_target_the_likeliest_first() -> None:
    model = Model({}, {(10,): {20: 0.6, 25: 0.1, 23: 0.2}})
    [found] = model.find(EDIT)
    assert [(one.ids, round(one.probability, 6)) for one in found] == [
        ([10, 23, 13, 14], 0.2),
        ([10, 25, 13, 14], 0.1),
    ]


def test_a_token_below_the_floor_is_left_out() -> None:
    model = Model({}, {(10,): {20: 0.6, 23: 0.2, 25: 0.1}})
    assert [one.ids for one in model.find(EDIT, floor=0.15)[0]] == [[10, 23, 13, 14]]


def test_the_end_of_the_sentence_is_not_an_alternative() -> None:
    assert Model({}, {(10,): {20: 0.6, EOS: 0.3}}).find(EDIT) == [[]]


def test_a_continuation_is_written_until_it_meets_the_target() -> None:
    further = {(10, 23): 25, (10, 23, 25): 26, (10, 23, 25, 26): 13, (10, 23, 25, 26, 13): 14}
    model = Model(further, {(10,): {20: 0.6, 23: 0.2}})
    assert [one.ids for one in model.find(EDIT)[0]] == [[10, 23, 25, 26, 13, 14]]


def test_what_the_model_would_change_further_on_stays_as_in_the_target() -> None:
    target = [*TARGET, 16, 17]
    model = Model({(10, 23, 13, 14): 40}, {(10,): {20: 0.6, 23: 0.2}})
    [[found]] = other_targets(model.engine, SOURCE, target, [EDIT], LETTERS, 0.02)
    assert found.ids == [10, 23, *target[2:]]


def test_a_continuation_that_changes_the_next_word_too_goes_on() -> None:
    model = Model({(10, 23, 13): 40}, {(10,): {20: 0.6, 23: 0.2}})
    assert [one.ids for one in model.find(EDIT)[0]] == [[10, 23, 13, 40]]


def test_a_continuation_that_never_meets_the_target_is_given_up() -> None:
    endless = {(10, 23, *[25, 26] * count): 25 for count in range(20)}
    endless |= {(10, 23, *[25, 26] * count, 25): 26 for count in range(20)}
    assert Model(endless, {(10,): {20: 0.6, 23: 0.2}}).find(EDIT) == [[]]


def test_later_tokens_of_a_passage_are_reworded_too() -> None:
    model = Model({}, {(10,): {20: 0.5}, (10, 20): {13: 0.5, 31: 0.4}})
    [found] = model.find(Passage(1, 3))
    assert [(one.ids, round(one.probability, 6)) for one in found] == [([10, 20, 31, 14], 0.2)]


def test_passages_are_reworded_independently_and_in_order() -> None:
    model = Model({}, {(10,): {20: 0.6, 23: 0.2}, (10, 20, 13): {14: 0.9, 25: 0.1}})
    first, second = model.find(EDIT, Passage(3, 4))
    assert [one.ids for one in first] == [[10, 23, 13, 14]]
    assert [one.ids for one in second] == [[10, 20, 13, 25]]


def test_a_deletion_is_reworded_by_what_could_be_written_in_its_place() -> None:
    model = Model({(10, 20, 25): 13, (10, 20, 25, 13): 14}, {(10, 20): {13: 0.6, 25: 0.3}})
    assert [one.ids for one in model.find(Passage(2, 2))[0]] == [[10, 20, 25, 13, 14]]


@pytest.mark.parametrize("place", [0, 4])
def test_passages_may_be_at_either_end_of_the_target(place: int) -> None:
    model = Model({}, {tuple(TARGET[:place]): {25: 0.3}})
    [found] = model.find(Passage(place, place))
    assert all(one.ids[:place] == TARGET[:place] and one.ids[place] == 25 for one in found)


class RankingStepper(ScriptedStepper):
    """Ranks a few tokens by the seed of the model's own choice."""

    def rank(self, feeds: Sequence[Feed], best: int) -> list[Ranking]:
        chosen = [answer.ids[-1] for answer in self.extend(feeds)]
        return [Ranking(*zip(*_spread(token), strict=True)) for token in chosen]


def _spread(token: int) -> list[tuple[int, float]]:
    others = [3 + (token * factor) % 57 for factor in (7, 11, 13)]
    return [(one, math.log(0.2)) for one in dict.fromkeys([token, *others])]


@given(
    source=sources, target=sources, choose=choices, probability=probabilities, place=st.integers(0, 20), data=st.data()
)
def test_other_targets_begin_like_the_target_and_keep_the_limit(source, target, choose, probability, place, data):
    engine = ScriptedEngine(choose, 64, RankingStepper, probability)
    place = min(place, len(target))
    passage = Passage(place, data.draw(st.integers(place, len(target))))
    [found] = other_targets(engine, source, target, [passage], LETTERS, 0.02)
    for one in found:
        assert one.ids[:place] == target[:place]
        assert one.ids != target
        assert 0.02 <= one.probability <= 1
    assert [one.probability for one in found] == sorted((one.probability for one in found), reverse=True)
    assert not found or len(target) < length_limit(source, engine.max_tokens)


def test_a_target_as_long_as_the_limit_has_no_others():
    """Behind its end nothing could be written: there is no call of the decoder left."""
    source = [10]
    target = [11] * length_limit(source, 64)
    engine = ScriptedEngine(lambda source, target: 12, 64, RankingStepper, lambda source, target: 0.5)
    places = [Passage(0, 1), Passage(len(target), len(target))]
    assert other_targets(engine, source, target, places, LETTERS, 0.02) == [[], []]

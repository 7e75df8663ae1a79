"""An edit begins only where the model gives its first token a probability of at least the threshold."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from greedy import DRAFTING, LETTERS, choices, count_differences, decode, probabilities, sources, thresholds
from hypothesis import given
from scripted import EOS, ScriptedEngine, writes

from redraft.decode import loop
from redraft.decode.drafts import POLICIES
from redraft.decode.follower import Follower
from redraft.decode.loop import DecodeOptions
from redraft.errors import ConfigError

SOURCE = [10, 11, 13, 14, 16]
every_policy = pytest.mark.parametrize("policy", POLICIES)


def surely_except(target: Sequence[int], *unsure: int, probability: float = 0.5) -> ScriptedEngine:
    """A model that writes `target`, and whose tokens at the places `unsure` have a low probability."""
    return ScriptedEngine(
        writes(target), probability=lambda source, prefix: probability if len(prefix) in unsure else 0.99
    )


def copies_elsewhere(edits: dict[int, int], low: float) -> ScriptedEngine:
    """A model that replaces source tokens by their place, each with the probability `low`, and copies the others."""

    def choose(source: Sequence[int], target: Sequence[int]) -> int:
        place = len(target)
        return EOS if place >= len(source) else edits.get(place, source[place])

    return ScriptedEngine(choose, probability=lambda source, target: low if len(target) in edits else 0.99)


@every_policy
def test_a_replacement_below_the_threshold_is_not_begun(policy):
    engine = copies_elsewhere({1: 41, 3: 44}, 0.5)
    assert decode(engine, SOURCE, policy, threshold=0.6).ids == SOURCE
    assert decode(engine, SOURCE, policy, threshold=0.5).ids == [10, 41, 13, 44, 16]


@pytest.mark.parametrize("policy", DRAFTING)
def test_unsure_edits_cost_no_calls(policy):
    """The copied token is accepted from the draft although the model prefers another."""
    decoded = decode(copies_elsewhere({1: 41, 3: 44}, 0.5), SOURCE, policy, threshold=0.6)
    assert len(decoded.calls) == 1


@every_policy
def test_an_edit_that_has_begun_is_written_to_its_end(policy):
    """44 is the second new word in place of 11, and less sure than the threshold."""
    target = [10, 41, 44, 13, 14, 16]
    assert decode(surely_except(target, 2), SOURCE, policy, threshold=0.6).ids == target


@every_policy
def test_a_deletion_below_the_threshold_is_not_made(policy):
    def choose(source: Sequence[int], target: Sequence[int]) -> int:
        rest = source[len(target) :]
        return EOS if not rest else 13 if list(target) == [10] else rest[0]

    engine = ScriptedEngine(choose, probability=lambda source, target: 0.5 if len(target) == 1 else 0.99)
    assert decode(engine, SOURCE, policy, threshold=0.6).ids == SOURCE


@every_policy
def test_an_early_end_below_the_threshold_does_not_end_the_sentence(policy):
    def ends_early(source: Sequence[int], target: Sequence[int]) -> int:
        return EOS if len(target) in (3, len(source)) else source[len(target)]

    engine = ScriptedEngine(ends_early, probability=lambda source, target: 0.5 if len(target) == 3 else 0.99)
    assert decode(engine, SOURCE, policy, threshold=0.6).ids == SOURCE
    assert decode(engine, SOURCE, policy, threshold=0.4).ids == SOURCE[:3]


@every_policy
def test_an_early_end_within_an_edit_needs_the_threshold_too(policy):
    """Behind the replacement 41 the model would leave out the rest of the source."""

    def choose(source: Sequence[int], target: Sequence[int]) -> int:
        if len(target) == 1:
            return 41
        return EOS if len(target) in (2, len(source)) else source[len(target)]

    engine = ScriptedEngine(choose, probability=lambda source, target: 0.5 if len(target) == 2 else 0.99)
    assert decode(engine, SOURCE, policy, threshold=0.6).ids == [10, 41, 13, 14, 16]
    assert decode(engine, SOURCE, policy, threshold=0.4).ids == [10, 41]


@every_policy
def test_an_insertion_below_the_threshold_at_the_end_of_the_source_ends_the_sentence(policy):
    target = [*SOURCE, 40]
    assert decode(surely_except(target, 5), SOURCE, policy, threshold=0.6).ids == SOURCE
    assert decode(surely_except(target, 5), SOURCE, policy, threshold=0.4).ids == target


@every_policy
def test_the_model_goes_on_from_what_was_written(policy):
    """The second replacement depends on the first: it is not made where the first was not."""

    def choose(source: Sequence[int], target: Sequence[int]) -> int:
        if len(target) == 1:
            return 41
        if len(target) == 3 and target[1] == 41:
            return 44
        return EOS if len(target) >= len(source) else source[len(target)]

    engine = ScriptedEngine(choose, probability=lambda source, target: 0.5 if len(target) == 1 else 0.99)
    assert decode(engine, SOURCE, policy, threshold=0.4).ids == [10, 41, 13, 44, 16]
    assert decode(engine, SOURCE, policy, threshold=0.6).ids == SOURCE


@every_policy
@given(source=sources, choose=choices, probability=probabilities)
def test_a_threshold_of_one_copies_the_source(policy, source, choose, probability):
    engine = ScriptedEngine(choose, probability=probability)
    assert decode(engine, source, policy, threshold=1.0).ids == source


@every_policy
@given(source=sources, choose=choices, probability=probabilities, threshold=thresholds)
def test_confidences_are_those_of_greedy_decoding_and_never_below_the_threshold(
    policy, source, choose, probability, threshold
):
    engine = ScriptedEngine(choose, probability=probability)
    decoded = decode(engine, source, policy, threshold=threshold)
    greedy = decode(engine, source, "none", threshold=threshold)
    assert (decoded.confidences, decoded.log_probabilities) == (greedy.confidences, greedy.log_probabilities)
    assert all(confidence >= threshold - 1e-12 for confidence in decoded.confidences)
    follower = Follower(source, LETTERS)
    written = [*decoded.ids, EOS] if decoded.finished else decoded.ids
    for place, (token, confidence) in enumerate(zip(written, decoded.confidences, strict=True)):
        if token == (source[follower.position] if follower.position < len(source) else EOS):
            assert confidence == 1.0
        elif follower.edit_start is None:
            assert confidence == pytest.approx(probability(source, decoded.ids[:place]))
        follower.push(token)


def test_a_confidence_is_that_of_the_first_token_of_the_edit():
    decoded = decode(surely_except([10, 41, 44, 13, 14, 16], 1, 2, probability=0.7), SOURCE, "refine", threshold=0.6)
    assert decoded.confidences == pytest.approx([1, 0.7, 0.7, 1, 1, 1, 1])
    decoded = decode(surely_except([10, 13, 14, 16], 1, probability=0.7), SOURCE, "refine", threshold=0.6)
    assert decoded.confidences == pytest.approx([1, 0.7, 1, 1, 1])


@pytest.mark.parametrize("threshold", [-0.1, 1.1, math.nan])
def test_a_threshold_that_is_no_probability_is_refused(threshold):
    with pytest.raises(ConfigError, match="threshold"):
        DecodeOptions(threshold=threshold)


_right = loop._decide


def at_the_target_s_end_only(follower, draft, predictions, eos, least, raised):
    """A mutant: looks at the threshold after the target, not after the tokens of the draft."""
    return [*_right(follower, draft, predictions, eos, least, raised)[:1], *predictions.ids[1:]]


def where_the_target_ends(follower, draft, predictions, eos, least, raised):
    """A mutant: keeps the source token that was expected before the draft."""
    return [
        follower.expected(eos) if follower.in_step and log_probability < least else token
        for token, log_probability in zip(predictions.ids, predictions.log_probabilities, strict=True)
    ]


def within_edits_too(follower, draft, predictions, eos, least, raised):
    """A mutant: copies the source at every unsure token, also where an edit has begun."""
    walker, decided = follower.copy(), []
    for index, (token, log_probability) in enumerate(zip(predictions.ids, predictions.log_probabilities, strict=True)):
        decided.append(walker.expected(eos) if log_probability < least else token)
        if index < len(draft):
            walker.push(draft[index])
    return decided


def keeps_the_draft(follower, draft, predictions, eos, least, raised):
    """A mutant: accepts a draft wherever the model is unsure."""
    return [
        draft[index] if index < len(draft) and predictions.log_probabilities[index] < least else token
        for index, token in enumerate(_right(follower, draft, predictions, eos, least, raised))
    ]


def lets_the_sentence_end(follower, draft, predictions, eos, least, raised):
    """A mutant: an unsure end of the sentence is an end."""
    right = _right(follower, draft, predictions, eos, least, raised)
    return [eos if token == eos else chosen for token, chosen in zip(predictions.ids, right, strict=True)]


def moves_the_follower(follower, draft, predictions, eos, least, raised):
    """A mutant: walks along the draft with the follower itself instead of a copy."""
    right = _right(follower, draft, predictions, eos, least, raised)
    for token in draft:
        follower.push(token)
    return right


MUTANTS = [
    at_the_target_s_end_only,
    where_the_target_ends,
    within_edits_too,
    keeps_the_draft,
    lets_the_sentence_end,
    moves_the_follower,
]


@pytest.mark.parametrize("policy", DRAFTING)
def test_the_comparison_with_greedy_finds_no_difference(policy):
    assert count_differences(policy, threshold=0.6, seeds=60) == 0


@pytest.mark.parametrize("policy", DRAFTING)
@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_comparison_with_greedy_finds_a_broken_threshold(policy, mutant, monkeypatch):
    monkeypatch.setattr(loop, "_decide", mutant)
    assert count_differences(policy, threshold=0.6, seeds=60) > 0


@every_policy
def test_an_edit_may_need_more_at_a_place_of_the_source(policy):
    engine = copies_elsewhere({1: 41, 3: 44}, 0.8)
    assert decode(engine, SOURCE, policy, threshold=0.6).ids == [10, 41, 13, 44, 16]
    raised = [decode(engine, SOURCE, policy, {position: 0.9}, threshold=0.6).ids for position in range(4)]
    assert raised[0] == raised[2] == [10, 41, 13, 44, 16]
    assert raised[1] == [10, SOURCE[1], 13, 44, 16]
    assert raised[3] == [10, 41, 13, SOURCE[3], 16]

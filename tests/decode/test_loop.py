"""Whatever is drafted, the output is that of greedy decoding."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from greedy import (
    DRAFTING,
    LETTERS,
    choices,
    count_differences,
    decode,
    probabilities,
    raised_thresholds,
    sources,
    thresholds,
    write_greedily,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted import EOS, ScriptedEngine, ScriptedStepper, always_agrees, writes

from redraft.decode import loop
from redraft.decode.drafts import POLICIES, find_policy
from redraft.decode.loop import DecodeOptions, decode_batch, length_limit
from redraft.errors import ConfigError


@pytest.mark.parametrize("policy", POLICIES)
@given(
    source=sources,
    choose=choices,
    probability=probabilities,
    threshold=thresholds,
    raised=raised_thresholds,
    max_draft=st.sampled_from([None, 0, 1, 2, 5]),
    limit=st.sampled_from([4, 64]),
)
def test_every_policy_writes_what_greedy_writes(
    policy, source, choose, probability, threshold, raised, max_draft, limit
):
    engine = ScriptedEngine(choose, limit, probability=probability)
    expected, finished = write_greedily(engine, source, threshold, raised)
    decoded = decode(engine, source, policy, raised, max_draft=max_draft, threshold=threshold)
    assert (decoded.ids, decoded.finished) == (expected, finished)
    assert len(decoded.calls) <= len(expected) + 1
    assert len(decoded.log_probabilities) == len(decoded.confidences) == len(expected) + finished
    assert all(len(call.draft) <= (limit if max_draft is None else max_draft) for call in decoded.calls)


@pytest.mark.parametrize("policy", POLICIES)
@given(batch=st.lists(sources, min_size=1, max_size=5), choose=choices, probability=probabilities, threshold=thresholds)
def test_a_batch_decodes_each_sentence_as_if_alone(policy, batch, choose, probability, threshold):
    engine = ScriptedEngine(choose, probability=probability)
    together = decode_batch(engine, batch, LETTERS, DecodeOptions(policy=policy, threshold=threshold))
    assert engine.last is not None
    calls = engine.last.calls
    alone = [decode(engine, source, policy, threshold=threshold) for source in batch]
    assert together == alone
    assert calls == max(len(decoded.calls) for decoded in alone)


@pytest.mark.parametrize("policy", DRAFTING)
@pytest.mark.parametrize("source", [[], [5], [5, 5, 5, 5], list(range(3, 40))])
def test_an_unchanged_sentence_takes_one_call(policy, source):
    decoded = decode(ScriptedEngine(always_agrees), source, policy)
    assert decoded.ids == source
    assert len(decoded.calls) == 1


@pytest.mark.parametrize("policy", DRAFTING)
def test_a_sentence_final_deletion_ends_at_the_bifurcation(policy):
    """The model ends where the source goes on: nothing may be decoded past that <eos>."""
    decoded = decode(ScriptedEngine(writes([10, 11, 12])), [10, 11, 12, 13, 14], policy)
    assert decoded.ids == [10, 11, 12]
    assert [call.token for call in decoded.calls] == [EOS]


@pytest.mark.parametrize("policy", DRAFTING)
def test_max_draft_zero_is_greedy(policy):
    decoded = decode(ScriptedEngine(always_agrees), [7, 8, 9], policy, max_draft=0)
    assert len(decoded.calls) == 4


@pytest.mark.parametrize("policy", POLICIES)
def test_a_target_without_end_stops_at_the_limit_and_says_so(policy):
    decoded = decode(ScriptedEngine(lambda source, target: 9, max_tokens=12), [9, 9, 9], policy)
    assert not decoded.finished
    assert len(decoded.ids) == 11


def test_end_of_sentence_is_never_drafted():
    for policy in DRAFTING:
        for target in ([], [4], [4, 5, 6], [50]):
            decoded = decode(ScriptedEngine(writes(target)), [4, 5, 6], policy)
            assert all(EOS not in call.draft for call in decoded.calls)


class ForgetfulStepper(ScriptedStepper):
    """A mutant: does not forget what the loop rejected."""

    def rewind(self, row: int, length: int) -> None: ...


class EagerRewindStepper(ScriptedStepper):
    """A mutant: forgets one token too many."""

    def rewind(self, row: int, length: int) -> None:
        super().rewind(row, max(1, length - 1))


@pytest.mark.parametrize("policy", DRAFTING)
@pytest.mark.parametrize("mutant", [ForgetfulStepper, EagerRewindStepper])
def test_a_broken_rewind_does_not_go_unnoticed(policy, mutant):
    """The comparison with greedy is strong enough to catch the mistakes it is there for."""
    assert count_differences(policy, mutant) > 0


@pytest.mark.parametrize("policy", DRAFTING)
def test_accepting_one_token_too_many_does_not_go_unnoticed(policy, monkeypatch):
    right = loop._agreement

    def too_many(draft: Sequence[int], predicted: Sequence[int]) -> int:
        return min(right(draft, predicted) + 1, len(draft))

    assert count_differences(policy, ScriptedStepper) == 0
    monkeypatch.setattr(loop, "_agreement", too_many)
    assert count_differences(policy, ScriptedStepper) > 0


@settings(max_examples=20)
@given(source=sources)
def test_the_length_limit_leaves_room_for_the_source(source):
    assert length_limit(source, 64) >= len(source)


def test_an_unknown_policy_is_refused_with_the_names_of_the_known():
    with pytest.raises(ConfigError, match="suffix"):
        find_policy("psychic")

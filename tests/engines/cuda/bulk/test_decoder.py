"""Bulk decoding gives exactly the output of `decode_batch`: with scripted models and with random networks."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_networks import EOS, LETTERS, VOCABULARY, random_network
from scripted import Choose, Letters, ScriptedEngine, always_agrees, certain, random_probability, sometimes_agrees
from scripted_bulk import ScriptedNetwork, SinglePrecisionStepper, scripted_decoder
from shapes import SHAPES
from torch import Tensor

from redraft.decode.loop import Decoded, DecodeOptions, SourceBatch, decode_batch, decode_sources
from redraft.engines.cuda.bulk import followers as followers_module
from redraft.engines.cuda.bulk.decoder import BulkDecoder, BulkOptions
from redraft.engines.cuda.bulk.followers import NONE, Followers
from redraft.engines.cuda.bulk.packing import Packing
from redraft.engines.cuda.bulk.rounds import Rounds
from redraft.engines.cuda.bulk.sentences import SourceSentences, round_up
from redraft.engines.torch import TorchEngine
from redraft.errors import ConfigError, ModelError
from redraft.model.config import preset
from redraft.model.transformer import Transformer

FEW = Letters(12)
"""A vocabulary so small that tokens repeat, as the rules for jumps and unique matches need it."""
thresholds = st.sampled_from([0.0, 0.3, 0.6, 0.9])
THRESHOLD = 0.4
NEEDED = (math.log(0.5), math.log(0.9), math.inf)
limits = st.dictionaries(st.integers(0, 13), st.sampled_from(NEEDED), max_size=6)


def outcome(decoded: Decoded) -> object:
    return decoded.ids, decoded.log_probabilities, decoded.confidences, decoded.finished


@settings(max_examples=40, deadline=None)
@given(
    batch=st.lists(st.lists(st.integers(3, 11), max_size=14), min_size=1, max_size=8),
    seed=st.integers(0, 10_000),
    agreement=st.sampled_from([0.2, 0.6, 0.85, 0.95]),
    threshold=thresholds,
    rows=st.integers(1, 4),
    tokens=st.integers(4, 60),
    encoder_tokens=st.integers(25, 60),
)
def test_scripted_models_give_the_same_numbers_as_the_loop(
    batch, seed, agreement, threshold, rows, tokens, encoder_tokens
):
    """Whatever the sizes of the calls: with few tokens drafts are cut, with few rows sentences take turns."""
    choose, probability = sometimes_agrees(seed, agreement, size=12), random_probability(seed)
    engine = ScriptedEngine(choose, 24, SinglePrecisionStepper, probability)
    expected = decode_batch(engine, batch, FEW, DecodeOptions(policy="none", threshold=threshold))
    options = BulkOptions(threshold, rows, tokens, encoder_tokens)
    got = scripted_decoder(choose, probability, options, FEW, max_tokens=24).decode(batch)
    assert [outcome(one) for one in got] == [outcome(one) for one in expected]


@settings(max_examples=40, deadline=None)
@given(
    batch=st.lists(st.tuples(st.lists(st.integers(3, 11), max_size=14), limits), min_size=1, max_size=8),
    seed=st.integers(0, 10_000),
    agreement=st.sampled_from([0.2, 0.6, 0.85, 0.95]),
    threshold=thresholds,
    rows=st.integers(1, 4),
    tokens=st.integers(4, 60),
)
def test_edits_must_be_surer_where_a_sentence_asks_for_it(batch, seed, agreement, threshold, rows, tokens):
    """In one decoder, sentences with any thresholds and limits."""
    choose, probability = sometimes_agrees(seed, agreement, size=12), random_probability(seed)
    engine = ScriptedEngine(choose, 24, SinglePrecisionStepper, probability)
    sources = [source for source, _ in batch]
    raised = [{place: needed for place, needed in some.items() if place < len(source)} for source, some in batch]
    decoder = scripted_decoder(choose, probability, BulkOptions(0, rows, tokens, 40), FEW, max_tokens=24)
    for least in (threshold, 0.5):
        asked = SourceBatch(sources, FEW, DecodeOptions(policy="none", threshold=least), raised)
        got, expected = decoder.decode_sources(asked), decode_sources(engine, asked)
        assert [outcome(one) for one in got] == [outcome(one) for one in expected]


def test_limits_that_no_number_of_single_precision_equals_decide_as_in_double_precision():
    lowest = math.log(0.3)
    numbers = np.float32(lowest)
    around = [np.nextafter(numbers, np.float32(-9)), numbers, np.nextafter(numbers, np.float32(9))]
    (rounded,) = round_up(np.array([lowest]))
    assert [number < rounded for number in around] == [float(number) < lowest for number in around]
    assert round_up(np.array([math.inf, -math.inf, -1.5])).tolist() == [math.inf, -math.inf, -1.5]


def test_a_limit_outside_of_its_source_is_refused():
    decoder = scripted_decoder(always_agrees, certain, BulkOptions(0, 2, 40, 33), FEW, max_tokens=24)
    with pytest.raises(ValueError, match="for token 2 of a source of 2 tokens"):
        decoder.decode_sources(SourceBatch([[3, 4]], FEW, DecodeOptions(), [{2: 0.0}]))


def test_the_threshold_of_a_decoder_holds_for_sentences_that_ask_for_less():
    choose, probability = sometimes_agrees(1, 0.6, size=12), random_probability(1)
    batch = [[3, 4, 5, 6, 7, 8, 9, 10, 3, 5]] * 3
    both = [
        scripted_decoder(choose, probability, BulkOptions(threshold, 2, 40, 33), FEW, max_tokens=24)
        for threshold in (0.0, 0.9)
    ]
    asked = SourceBatch.plain(batch, FEW, DecodeOptions(threshold=0.1))
    free, strict = ([one.ids for one in decoder.decode_sources(asked)] for decoder in both)
    assert strict == [one.ids for one in both[1].decode(batch)] != free


def test_sentences_that_were_given_up_leave_nothing_behind():
    choose, probability = sometimes_agrees(5, 0.6, size=12), random_probability(5)
    batch = [[3 + (index + place) % 9 for place in range(9)] for index in range(12)]
    decoder = scripted_decoder(choose, probability, BulkOptions(0.3, 3, 30, 33), FEW, max_tokens=24)
    expected = [outcome(one) for one in decoder.decode(batch)]
    given_up = decoder.stream(iter([SourceSentences.build(batch[::-1], EOS)]))
    next(given_up)
    del given_up
    assert [outcome(one) for one in decoder.decode(batch)] == expected


def never_ends(choose: Choose) -> Choose:
    def go_on(source: Sequence[int], target: Sequence[int]) -> int:
        token = choose(source, target)
        return 3 if token == EOS else token

    return go_on


def count_differences(examples: int = 25) -> int:
    """Fixed scripted examples that the loop and the bulk decoder decode differently."""
    differences = 0
    for seed in range(examples):
        generator = random.Random(seed)
        batch = [[generator.randrange(3, 12) for _ in range(generator.randrange(14))] for _ in range(6)]
        choose, probability = sometimes_agrees(seed, 0.8, size=12), random_probability(seed)
        choose = never_ends(choose) if seed % 5 == 0 else choose
        engine = ScriptedEngine(choose, 24, SinglePrecisionStepper, probability)
        options = DecodeOptions(policy="none", threshold=THRESHOLD)
        raised = [{place: generator.choice(NEEDED) for place in range(0, len(source), 3)} for source in batch]
        sources = SourceBatch(batch, FEW, options, raised)
        expected = decode_sources(engine, sources)
        decoder = scripted_decoder(choose, probability, BulkOptions(0, 3, 30, 40), FEW, max_tokens=24)
        got = decoder.decode_sources(sources)
        differences += sum(outcome(one) != outcome(other) for one, other in zip(got, expected, strict=True))
    return differences


def finds_nothing(source: Tensor, lengths: Tensor, target: Tensor, written: Tensor, token: Tensor) -> Tensor:
    return torch.full_like(lengths, NONE)


def stays_in_edit(self: Followers, counts: Tensor) -> None:
    self.position.add_(counts)


def never(self: Followers, token: Tensor, position: Tensor) -> Tensor:
    return torch.zeros_like(token, dtype=torch.bool)


def always_in_step(self: Followers) -> Tensor:
    return torch.ones_like(self.position, dtype=torch.bool)


def allows_one_more(self: Rounds, rows: Tensor, packing: Packing, ids: Tensor, keys: Tensor, limits: Tensor) -> None:
    BEGIN(self, rows, packing, ids, keys, limits)
    self.limit[rows] += 1


def forgets_limits(self: Rounds, rows: Tensor, packing: Packing, ids: Tensor, keys: Tensor, limits: Tensor) -> None:
    BEGIN(self, rows, packing, ids, keys, torch.full_like(limits, math.log(THRESHOLD)))


def moves_limits(self: Rounds, rows: Tensor, packing: Packing, ids: Tensor, keys: Tensor, limits: Tensor) -> None:
    BEGIN(self, rows, packing, ids, keys, limits.roll(1))


BEGIN = Rounds.begin
MUTANTS = {
    "no unique match": (followers_module, "find_unique", finds_nothing),
    "a copy ends no edit": (Followers, "push_copies", stays_in_edit),
    "no insertions": (Followers, "_is_insertion", never),
    "edits begin anywhere": (Followers, "in_step", property(always_in_step)),
    "another length limit": (Rounds, "begin", allows_one_more),
    "no limits for places": (Rounds, "begin", forgets_limits),
    "limits of other places": (Rounds, "begin", moves_limits),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_wrong_rule_is_noticed(monkeypatch, mutant):
    monkeypatch.setattr(*MUTANTS[mutant])
    assert count_differences()


def test_the_examples_for_wrong_rules_are_right_without_them():
    assert not count_differences()


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=3, deadline=None)
@given(
    batch=st.lists(st.lists(st.integers(3, VOCABULARY - 1), max_size=12), min_size=1, max_size=5),
    threshold=thresholds,
    rows=st.integers(1, 5),
    tokens=st.integers(5, 80),
)
def test_random_networks_give_the_same_output_alone_and_in_any_batch(shape, batch, threshold, rows, tokens):
    model = random_network(shape)
    expected = decode_batch(TorchEngine(model, EOS), batch, LETTERS, DecodeOptions(threshold=threshold))
    decoder = BulkDecoder.open(model, LETTERS, BulkOptions(threshold, rows, tokens, 40))
    alone = [decoder.decode([source])[0] for source in batch]
    for got in (decoder.decode(batch), alone, decoder.decode(batch[::-1])[::-1]):
        assert [(one.ids, one.finished) for one in got] == [(one.ids, one.finished) for one in expected]
        for one, other in zip(got, expected, strict=True):
            assert one.log_probabilities == pytest.approx(other.log_probabilities, abs=1e-5)
            assert one.confidences == pytest.approx(other.confidences, abs=1e-5)


def test_a_right_sentence_takes_one_round_and_finished_rows_are_used_again():
    options = BulkOptions(rows=2, tokens=40, encoder_tokens=33)
    decoder = scripted_decoder(always_agrees, certain, options, FEW, max_tokens=24)
    batch = [[3, 4, 5, 6]] * 8
    assert [one.ids for one in decoder.decode(batch)] == batch
    assert (decoder.rounds, decoder.groups) == (4, 4)
    assert [one.ids for one in decoder.decode(batch)] == batch


def test_drafts_are_cut_to_the_size_of_a_call():
    options = BulkOptions(rows=3, tokens=7, encoder_tokens=33)
    decoder = scripted_decoder(always_agrees, certain, options, FEW, max_tokens=24)
    batch = [[3, 4, 5, 6, 7, 8]] * 3
    assert [one.ids for one in decoder.decode(batch)] == batch
    assert isinstance(decoder._network, ScriptedNetwork)
    assert decoder._network.most == 7


def test_sizes_that_do_not_fit_are_refused():
    with pytest.raises(ConfigError, match="no place for 9 rows"):
        BulkOptions(rows=9, tokens=8)
    with pytest.raises(ConfigError, match="between 0 and 1"):
        BulkOptions(threshold=1.5)
    with pytest.raises(ConfigError, match="more than 24 tokens"):
        scripted_decoder(always_agrees, certain, BulkOptions(encoder_tokens=24), FEW, max_tokens=24)


def test_sources_that_the_model_cannot_take_are_refused():
    decoder = scripted_decoder(always_agrees, certain, BulkOptions(rows=2, tokens=40), FEW, max_tokens=24)
    with pytest.raises(ValueError, match="has 25 tokens; the model takes at most 24"):
        decoder.decode([[3] * 25])
    with pytest.raises(ValueError, match="must be the last token"):
        decoder.decode([[3, EOS, 4]])


def test_numbers_that_are_not_finite_are_reported():
    model = Transformer(preset("tiny", vocabulary=VOCABULARY, max_tokens=40))
    with torch.no_grad():
        model.decoder.norm.bias.fill_(float("nan"))
    decoder = BulkDecoder.open(model, LETTERS, BulkOptions(rows=2, tokens=40, encoder_tokens=60))
    with pytest.raises(ModelError, match="not finite"):
        decoder.decode([[3, 4]])

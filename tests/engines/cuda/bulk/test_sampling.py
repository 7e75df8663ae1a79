"""The bulk decoder samples what sampling one token at a time with the same noise samples."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_networks import EOS, LETTERS, VOCABULARY, random_network
from torch import Tensor

from redraft.decode.loop import Decoded, DecodeOptions, decode_batch
from redraft.decode.stepper import Feed, Predictions, Ranking
from redraft.engines.cuda.bulk import sampling as sampling_module
from redraft.engines.cuda.bulk.decoder import BulkDecoder, BulkOptions
from redraft.engines.cuda.bulk.sampling import Sampling, hash_places, sample
from redraft.engines.rows import pad_sources
from redraft.errors import ConfigError
from redraft.model.transformer import Transformer


def mix(bits: int) -> int:
    bits = (bits ^ bits >> 16) * 0x7FEB352D & 0xFFFFFFFF
    bits = (bits ^ bits >> 15) * 0x846CA68B & 0xFFFFFFFF
    return bits ^ bits >> 16


def gumbel(seed: int, key: int, position: int, token: int) -> float:
    """The noise written down a second time, in numbers of any size."""
    place = mix(mix(mix(seed) ^ key) + position & 0xFFFFFFFF)
    uniform = ((mix((token * 0x9E3779B9 & 0xFFFFFFFF) ^ place) >> 9) + 0.5) / 2**23
    return -math.log(-math.log(uniform))


class StepByStep:
    """One sentence as an engine: a network that is fed any number of tokens, and samples after each."""

    name = "sampling"

    def __init__(self, model: Transformer, sampling: Sampling, key: int) -> None:
        self._model, self._sampling, self._key = model, sampling, key
        self.max_tokens = model.config.max_tokens

    @torch.inference_mode()
    def start(self, sources: Sequence[Sequence[int]]) -> StepByStep:
        padded = pad_sources(sources, EOS)
        self._memory = self._model.encode(torch.from_numpy(padded.ids), torch.from_numpy(padded.lengths))
        self._cache, self._length = self._model.new_cache(1, self.max_tokens + 1), 0
        return self

    @torch.inference_mode()
    def extend(self, feeds: Sequence[Feed]) -> list[Predictions]:
        ids = torch.tensor([list(feeds[0].ids)])
        positions = self._length + torch.arange(ids.shape[1])
        self._length += ids.shape[1]
        logits = self._model.decode(ids, positions[None], self._memory, self._cache)[0] / self._sampling.temperature
        tokens, numbers = [], []
        for row, position in zip(logits.log_softmax(-1).tolist(), positions.tolist(), strict=True):
            noisy = [value + gumbel(self._sampling.seed, self._key, position, token) for token, value in enumerate(row)]
            tokens.append(max(range(len(noisy)), key=noisy.__getitem__))
            numbers.append(torch.tensor(row[tokens[-1]], dtype=torch.float32).item())
        return [Predictions(tokens, numbers)]

    def rewind(self, row: int, length: int) -> None:
        self._length = length

    def rank(self, feeds: Sequence[Feed], best: int) -> list[Ranking]:
        raise NotImplementedError

    def select(self, rows: Sequence[int]) -> None:
        raise NotImplementedError


def step_by_step(batch: Sequence[Sequence[int]], sampling: Sampling, threshold: float, policy: str) -> list[Decoded]:
    options = DecodeOptions(policy=policy, threshold=threshold)
    engines = [StepByStep(random_network("ours"), sampling, key) for key in range(len(batch))]
    return [decode_batch(engine, [source], LETTERS, options)[0] for engine, source in zip(engines, batch, strict=True)]


def outcome(decoded: Decoded) -> object:
    rounded = [round(number, 4) for number in (*decoded.log_probabilities, *decoded.confidences)]
    return decoded.ids, decoded.finished, len(rounded)


@settings(max_examples=8, deadline=None)
@given(
    batch=st.lists(st.lists(st.integers(3, VOCABULARY - 1), max_size=8), min_size=1, max_size=4),
    seed=st.integers(0, 2**40),
    temperature=st.sampled_from([0.3, 1.0, 2.0]),
    threshold=st.sampled_from([0.0, 0.1]),
    rows=st.integers(1, 3),
)
def test_samples_are_those_of_one_token_at_a_time(batch, seed, temperature, threshold, rows):
    sampling = Sampling(temperature, seed % 2**32)
    expected = step_by_step(batch, sampling, threshold, "none")
    options = BulkOptions(threshold, rows, tokens=20, encoder_tokens=40, sampling=Sampling(temperature, seed))
    got = BulkDecoder.open(random_network("ours"), LETTERS, options).decode(batch)
    for one, other in zip(got, expected, strict=True):
        assert (one.ids, one.finished) == (other.ids, other.finished)
        assert one.log_probabilities == pytest.approx(other.log_probabilities, abs=1e-5)
        assert one.confidences == pytest.approx(other.confidences, abs=1e-5)
    drafted = step_by_step(batch, sampling, threshold, "refine")
    assert [outcome(one) for one in drafted] == [outcome(one) for one in expected]


def test_noise_that_changes_from_call_to_call_is_noticed(monkeypatch):
    """With a stream of random numbers a rejected token would be sampled again."""
    batch = [[5, 9, 13, 7], [8, 8, 21]] * 4
    options = BulkOptions(rows=2, tokens=20, encoder_tokens=40, sampling=Sampling())
    expected = [one.ids for one in step_by_step(batch, Sampling(), 0.0, "none")]
    assert [one.ids for one in BulkDecoder.open(random_network("ours"), LETTERS, options).decode(batch)] == expected
    calls = iter(range(10_000))

    def hash_calls(seed: int, keys: Tensor, positions: Tensor) -> Tensor:
        return hash_places(next(calls), keys, positions)

    monkeypatch.setattr("redraft.engines.cuda.bulk.packed_network.hash_places", hash_calls)
    assert [one.ids for one in BulkDecoder.open(random_network("ours"), LETTERS, options).decode(batch)] != expected


def test_sentences_get_different_samples_and_seeds_do_too():
    samples = {
        seed: [
            one.ids
            for one in BulkDecoder.open(
                random_network("ours"),
                LETTERS,
                BulkOptions(rows=4, tokens=40, encoder_tokens=40, sampling=Sampling(2.0, seed)),
            ).decode([[5, 9, 13, 7]] * 4)
        ]
        for seed in (1, 2)
    }
    assert len({tuple(ids) for found in samples.values() for ids in found}) > 5


def test_samples_have_the_probabilities_of_the_model():
    """Over 20,000 places the share of each token is within four standard deviations of its probability."""
    logits = torch.tensor([0.0, 1.0, 2.0, -1.0])
    places = 20_000
    out = torch.zeros(2, places, dtype=torch.int32)
    hashes = hash_places(3, torch.arange(places) // 100, torch.arange(places) % 100)
    for temperature in (1.0, 0.5):
        sample(logits.expand(places, -1), hashes, temperature, out)
        expected = (logits / temperature).softmax(-1)
        shares = torch.bincount(out[0].long(), minlength=4) / places
        assert ((shares - expected).abs() < 4 * (expected * (1 - expected) / places).sqrt()).all()
        torch.testing.assert_close(out[1].view(torch.float32).exp(), expected[out[0].long()])


def test_hashes_of_neighbours_are_spread():
    hashes = hash_places(0, torch.arange(300).repeat_interleave(300), torch.arange(300).repeat(300))
    assert len(hashes.unique()) > 89_900
    assert hashes.min() >= 0 and hashes.max() <= sampling_module._MASK


def test_a_temperature_of_zero_is_refused():
    with pytest.raises(ConfigError, match="above 0"):
        Sampling(temperature=0)

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from packing import pack
from shapes import SHAPES

from redraft.model.config import ModelConfig, preset
from redraft.model.transformer import Transformer
from redraft.model.windows import Packed

VOCABULARY = 40


def make(shape: str) -> Transformer:
    torch.manual_seed(5)
    config = preset("tiny", vocabulary=VOCABULARY, max_tokens=24, **SHAPES[shape])
    return Transformer(config).double().eval()


def logits(model: Transformer, source: list[int], target: list[int]) -> torch.Tensor:
    memory = model.encode(torch.tensor([source]), torch.tensor([len(source)]))
    positions = torch.arange(len(target))[None]
    return model.decode(torch.tensor([target]), positions, memory, model.new_cache(1, 25))[0]


sentences = st.lists(st.integers(0, VOCABULARY - 1), min_size=1, max_size=12)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_config_names_exactly_the_weights_of_the_network(shape):
    model = make(shape)
    assert {name: tuple(weight.shape) for name, weight in model.weights().items()} == dict(model.config.tensors())


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=15, deadline=None)
@given(source=sentences, target=sentences, cuts=st.sets(st.integers(1, 11)))
def test_decoding_in_parts_with_the_cache_gives_the_same_logits(shape, source, target, cuts):
    model = make(shape)
    whole = logits(model, source, target)
    memory = model.encode(torch.tensor([source]), torch.tensor([len(source)]))
    cache = model.new_cache(1, 25)
    bounds = [0, *sorted(cut for cut in cuts if cut < len(target)), len(target)]
    parts = [
        model.decode(torch.tensor([target[a:b]]), torch.arange(a, b)[None], memory, cache)[0]
        for a, b in pairwise(bounds)
    ]
    torch.testing.assert_close(torch.cat(parts), whole)


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=15, deadline=None)
@given(source=sentences, target=sentences, wrong=sentences)
def test_dropped_tokens_do_not_change_the_logits(shape, source, target, wrong):
    model = make(shape)
    memory = model.encode(torch.tensor([source]), torch.tensor([len(source)]))
    cache = model.new_cache(1, 25)
    model.decode(torch.tensor([[*target[:1], *wrong]]), torch.arange(len(wrong) + 1)[None], memory, cache)
    again = model.decode(torch.tensor([target]), torch.arange(len(target))[None], memory, cache)[0]
    torch.testing.assert_close(again, logits(model, source, target))


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=15, deadline=None)
@given(pairs=st.lists(st.tuples(sentences, sentences), min_size=1, max_size=4))
def test_packed_sentences_have_the_logits_of_single_ones(shape, pairs):
    model = make(shape)
    target = pack([target for _, target in pairs])
    hidden = model(pack([source for source, _ in pairs]), target)[target.segments > 0]
    expected = torch.cat([logits(model, source, target) for source, target in pairs])
    torch.testing.assert_close(model.logits(hidden), expected)


@pytest.mark.parametrize("shape", SHAPES)
def test_loaded_weights_give_the_same_logits(shape):
    model, other = make(shape), Transformer(make(shape).config).double()
    other.load_weights(model.weights())
    torch.testing.assert_close(logits(other.eval(), [3, 4], [1, 5]), logits(model, [3, 4], [1, 5]))


def test_rotary_cross_attention_depends_on_relative_positions_alone():
    """Shifting source and target by the same number of positions changes nothing: that is how copying is learnt."""
    model = make("ours")
    source, target = torch.tensor([7, 8, 9]), torch.tensor([1, 7, 8])
    here, there = (model(packed_at(source, shift), packed_at(target, shift))[: len(target)] for shift in (0, 6))
    torch.testing.assert_close(here, there)


def packed_at(ids: torch.Tensor, shift: int, window: int = 16) -> Packed:
    positions = torch.arange(len(ids)) + shift
    sides = (torch.nn.functional.pad(x, (0, window - len(ids))) for x in (ids, positions, torch.ones_like(ids)))
    padded_ids, padded_positions, segments = sides
    return Packed(padded_ids, padded_positions, segments, window)


def test_a_model_of_any_depth_runs():
    for encoder, decoder in ((1, 1), (3, 1), (1, 3)):
        config = ModelConfig(vocabulary=20, width=16, ffn=32, heads=2, encoder_layers=encoder, decoder_layers=decoder)
        assert logits(Transformer(config).eval(), [4], [1]).shape == (1, 20)

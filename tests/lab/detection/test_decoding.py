"""A gate is a function of the source alone; without gates and spans, decoding is as always."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_heads import random_heads
from random_models import LETTERS, NATIVE, VOCABULARY, quantized_model
from scripted import ScriptedEngine, always_agrees

from redraft.decode.loop import DecodeOptions, SourceBatch, decode_batch
from redraft.engines.native.engine import NativeEngine
from redraft.errors import ConfigError
from redraft.lab.detection.decoding import DetectingDecoder, Gate, SpanDetector, copied

batches = st.lists(st.lists(st.integers(3, VOCABULARY - 1), max_size=16), min_size=1, max_size=5)
thresholds = st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0])
OPTIONS = DecodeOptions(threshold=0.1)


def plain_batch(sources: Sequence[Sequence[int]]) -> SourceBatch:
    return SourceBatch.plain(sources, LETTERS, OPTIONS)


@st.composite
def decoders(draw):
    gates = [
        Gate(
            random_heads(layer, 64, draw(st.integers(0, 9))),
            draw(st.sampled_from(["tokens", "pooled"])),
            draw(thresholds),
        )
        for layer in draw(st.lists(st.integers(1, 2), max_size=2, unique=True))
    ]
    spans = SpanDetector(random_heads(2, 64), draw(thresholds)) if draw(st.booleans()) else None
    return DetectingDecoder(tuple(gates), spans)


@pytest.mark.parametrize("variant", NATIVE)
@settings(max_examples=20, deadline=None)
@given(batch=batches, decoder=decoders())
def test_a_sentence_gets_the_same_in_a_batch_and_alone(variant, batch, decoder):
    engine = NativeEngine(quantized_model("ours"), 1, variant)
    together = decoder(engine, plain_batch(batch))
    assert together == [decoder(engine, plain_batch([source]))[0] for source in batch]


@pytest.mark.parametrize("variant", NATIVE)
@settings(max_examples=10, deadline=None)
@given(batch=batches)
def test_a_gate_that_stops_nothing_and_spans_everywhere_change_nothing(variant, batch):
    engine = NativeEngine(quantized_model("ours"), 1, variant)
    plain = decode_batch(engine, batch, LETTERS, OPTIONS)
    assert DetectingDecoder()(engine, plain_batch(batch)) == plain
    never = Gate(random_heads(1, 64), "pooled", 1.1)
    everywhere = SpanDetector(random_heads(2, 64), 0.0)
    assert DetectingDecoder((never,), everywhere)(engine, plain_batch(batch)) == plain


@pytest.mark.parametrize("variant", NATIVE)
@settings(max_examples=10, deadline=None)
@given(batch=batches, threshold=thresholds, layer=st.integers(1, 2), measure=st.sampled_from(["tokens", "pooled"]))
def test_a_gate_copies_exactly_the_sentences_that_it_judges_correct(variant, batch, threshold, layer, measure):
    engine = NativeEngine(quantized_model("ours"), 1, variant)
    gate = Gate(random_heads(layer, 64), measure, threshold)
    plain = decode_batch(engine, batch, LETTERS, OPTIONS)
    states = engine.encode_in_parts(batch).states_after(layer)
    expected = [
        copied(source) if gate.heads.clean_probability(own, measure) >= threshold else decoded
        for source, own, decoded in zip(batch, states, plain, strict=True)
    ]
    assert DetectingDecoder((gate,))(engine, plain_batch(batch)) == expected


@pytest.mark.parametrize("variant", NATIVE)
def test_where_nothing_is_found_sentences_are_copied(variant):
    engine = NativeEngine(quantized_model("ours"), 1, variant)
    batch = [[5, 6, 7], [8]]
    for decoder in (
        DetectingDecoder((Gate(random_heads(1, 64), "tokens", 0.0),)),
        DetectingDecoder((), SpanDetector(random_heads(2, 64), 1.1)),
    ):
        assert decoder(engine, plain_batch(batch)) == [copied(source) for source in batch]


def test_another_engine_is_refused():
    with pytest.raises(ConfigError, match="engine native, not of scripted"):
        DetectingDecoder()(ScriptedEngine(always_agrees), plain_batch([[5]]))

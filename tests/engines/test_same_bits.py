"""What a token gets is its own, to the last bit, in every engine for the CPU, whatever shares its pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_models import LETTERS, NATIVE, VOCABULARY, quantized_model
from shapes import SHAPES

from redraft.decode.drafts import POLICIES
from redraft.decode.loop import DecodeOptions, decode_batch
from redraft.decode.stepper import Engine, Feed, Ranking
from redraft.engines.native.engine import NativeEngine
from redraft.engines.onnx import OnnxEngine

sources = st.lists(st.integers(3, VOCABULARY - 1), max_size=20)
batches = st.lists(sources, min_size=1, max_size=5)
every_kind = pytest.mark.parametrize("kind", ["onnx int8", "onnx fp32", *NATIVE])
every_shape = pytest.mark.parametrize("shape", SHAPES)
every_number_of_threads = pytest.mark.parametrize("threads", [1, 2])


@cache
def engine_of(kind: str, shape: str, threads: int) -> Engine:
    folder = quantized_model(shape)
    if kind.startswith("onnx"):
        return OnnxEngine(folder, threads, "int8" if kind.endswith("int8") else "fp32")
    return NativeEngine(folder, threads, kind)


def rankings(engine: Engine, batch: Sequence[Sequence[int]], row: int, parts: Sequence[Sequence[int]]) -> list[Ranking]:
    """All log-probabilities behind the last token of each part, fed to one row while the others get their sources."""
    stepper = engine.start(batch)
    found = []
    for number, part in enumerate(parts):
        others = [Feed(place, [1, *source][: 1 + 3 * number]) for place, source in enumerate(batch) if place != row]
        feeds = sorted([*others, Feed(row, part)], key=lambda feed: feed.row)
        found.append(stepper.rank(feeds, VOCABULARY)[row])
        for feed in others:
            stepper.rewind(feed.row, 0)
    return found


@every_number_of_threads
@every_shape
@every_kind
@settings(max_examples=8, deadline=None)
@given(data=st.data(), batch=batches)
def test_alone_all_at_once_or_in_a_batch_gives_the_same_bits(kind, shape, threads, data, batch):
    engine = engine_of(kind, shape, threads)
    row = data.draw(st.integers(0, len(batch) - 1))
    source = batch[row]
    target = [1, *source]
    cuts = sorted(data.draw(st.sets(st.integers(1, len(target)))) | {len(target)})
    parts = [target[start:end] for start, end in zip([0, *cuts], cuts, strict=False)]
    one_by_one = rankings(engine, [source], 0, [[token] for token in target])
    assert rankings(engine, [source], 0, [target]) == one_by_one[-1:]
    assert rankings(engine, [source], 0, parts) == [one_by_one[end - 1] for end in cuts]
    assert rankings(engine, batch, row, parts) == [one_by_one[end - 1] for end in cuts]


@every_number_of_threads
@every_shape
@every_kind
@settings(max_examples=6, deadline=None)
@given(batch=batches, threshold=st.sampled_from([0.0, 0.3, 0.6]))
def test_every_policy_in_any_batch_decodes_what_greedy_decodes_alone(kind, shape, threads, batch, threshold):
    engine = engine_of(kind, shape, threads)
    options = DecodeOptions(policy="none", threshold=threshold)
    greedy = [decode_batch(engine, [source], LETTERS, options)[0] for source in batch]
    expected = [(decoded.ids, decoded.log_probabilities, decoded.confidences) for decoded in greedy]
    for policy in POLICIES:
        decoded = decode_batch(engine, batch, LETTERS, replace(options, policy=policy))
        assert [(each.ids, each.log_probabilities, each.confidences) for each in decoded] == expected


@every_kind
def test_what_lay_in_memory_before_does_not_matter(kind, monkeypatch):
    """The second row falls behind the first, whose tokens lie where the second has never written."""

    def dirty(shape, dtype=float):
        return np.full(shape, np.nan if np.issubdtype(dtype, np.floating) else 7, dtype)

    monkeypatch.setattr("numpy.empty", dirty)
    engine = engine_of(kind, "bart", 1)
    both, alone = engine.start([[5, 9, 13], [7, 8]]), engine.start([[7, 8]])
    for fast, slow in (([1, 5, 6, 7, 8], [1]), ([9, 10, 11, 12, 13], [5]), ([14], [6])):
        assert both.extend([Feed(0, fast), Feed(1, slow)])[1] == alone.extend([Feed(0, slow)])[0]

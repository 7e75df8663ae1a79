"""The GPU's engine, run on the CPU without graphs: the same shapes, paddings, pieces and caches as on a GPU."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from functools import cache

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_networks import EOS, LETTERS, VOCABULARY, random_network
from shapes import SHAPES

from redraft.decode.beam import beam_search
from redraft.decode.drafts import POLICIES
from redraft.decode.loop import DecodeOptions, decode_batch
from redraft.decode.stepper import Feed
from redraft.engines.cuda import engine as cuda_stepper
from redraft.engines.cuda.engine import CudaEngine, find_shape
from redraft.engines.opening import open_engine
from redraft.engines.torch import TorchEngine, TorchStepper
from redraft.errors import ConfigError
from redraft.model.transformer import Transformer

sources = st.lists(st.integers(3, VOCABULARY - 1), max_size=20)
batches = st.lists(sources, min_size=1, max_size=6)


@pytest.fixture(autouse=True, scope="module")
def small_groups() -> Iterator[None]:
    """Batches of more rows than the largest group, without the arithmetic of large ones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuda_stepper, "BATCHES", (1, 2, 4))
        yield


def random_model(shape: str, dtype: torch.dtype = torch.float64) -> Transformer:
    return random_network(shape, 60, dtype)


@cache
def engines(shape: str, dtype: torch.dtype = torch.float64) -> tuple[CudaEngine, TorchEngine]:
    return CudaEngine(random_model(shape, dtype), EOS), TorchEngine(random_model(shape, dtype), EOS)


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=8, deadline=None)
@given(batch=batches, threshold=st.sampled_from([0.0, 0.5]))
def test_every_policy_alone_or_in_a_batch_decodes_what_eager_torch_decodes(shape, batch, threshold):
    ours, theirs = engines(shape)
    for policy in POLICIES:
        options = DecodeOptions(policy=policy, threshold=threshold)
        expected = decode_batch(theirs, batch, LETTERS, options)
        for mine in (
            decode_batch(ours, batch, LETTERS, options),
            [decode_batch(ours, [source], LETTERS, options)[0] for source in batch],
        ):
            assert [(one.ids, one.finished, one.calls) for one in mine] == [
                (one.ids, one.finished, one.calls) for one in expected
            ]
            for one, other in zip(mine, expected, strict=True):
                assert one.log_probabilities == pytest.approx(other.log_probabilities, abs=1e-5)


@pytest.mark.parametrize("shape", SHAPES)
def test_single_precision_gives_the_same_log_probabilities(shape):
    ours, theirs = engines(shape, torch.float32)
    steppers = [engine.start([[5, 9, 13], [7, 8]]) for engine in (ours, theirs)]
    for fast, slow in (([1, 5, 6, 7, 8], [1]), ([9, 10, 11], [5]), ([14], [6, 30])):
        mine, other = (stepper.extend([Feed(0, fast), Feed(1, slow)]) for stepper in steppers)
        for one, two in zip(mine, other, strict=True):
            assert one.log_probabilities == pytest.approx(two.log_probabilities, abs=1e-4)


@settings(max_examples=15, deadline=None)
@given(source=sources, target=st.lists(st.integers(3, VOCABULARY - 1), min_size=1, max_size=40), cuts=st.data())
def test_a_target_may_be_fed_in_any_pieces(source, target, cuts):
    """Also in pieces longer than the shape's tokens, and after rewinding."""
    engine, _ = engines("ours")
    ids = [1, *target]
    whole = engine.start([source]).extend([Feed(0, ids)])[0].ids
    got: list[int] = []
    stepper, fed = engine.start([source]), 0
    while fed < len(ids):
        end = cuts.draw(st.integers(fed + 1, len(ids)))
        got += stepper.extend([Feed(0, ids[fed:end])])[0].ids
        fed = end
        if cuts.draw(st.booleans()):
            stepper.extend([Feed(0, [9, 9, 9])])
            stepper.rewind(0, fed)
    assert got == whole


def test_rows_may_join_late():
    engine, _ = engines("ours")
    batch, targets = [[5, 6, 7], [8, 9], [10]], [[1], [1, 8, 9], [1, 10]]
    stepper = engine.start(batch)
    early = stepper.extend([Feed(1, [1, 8])])[0].ids
    first, late, third = stepper.extend([Feed(0, [1]), Feed(1, [9]), Feed(2, [1, 10])])
    alone = [
        engine.start([source]).extend([Feed(0, target)])[0].ids for source, target in zip(batch, targets, strict=True)
    ]
    assert [first.ids, [*early, *late.ids], third.ids] == alone


def test_beam_search_finds_what_eager_torch_finds():
    for source in ([5, 9, 13, 21], [], [7] * 20):
        mine, other = (beam_search(engine, source, LETTERS, beams=4) for engine in engines("ours"))
        assert mine.ids == other.ids
        assert mine.score == pytest.approx(other.score)


def test_two_steppers_do_not_share_memory_and_a_finished_one_leaves_its_own():
    engine = CudaEngine(random_model("ours"), EOS)
    one, other = engine.start([[5, 6]]), engine.start([[7, 8]])
    alone = engine.start([[5, 6]]).extend([Feed(0, [1, 5, 6])])[0].ids
    first = one.extend([Feed(0, [1])])[0].ids
    other.extend([Feed(0, [1, 7, 8])])
    assert [*first, *one.extend([Feed(0, [5, 6])])[0].ids] == alone
    del one, other
    gc.collect()
    shape = find_shape(1, 3)
    assert shape is not None
    assert len(engine._free[shape]) == 3


def test_more_than_the_largest_shape_takes_runs_eagerly(monkeypatch):
    ours, theirs = engines("ours")
    monkeypatch.setattr(cuda_stepper, "TOKENS", (16,))
    batch = [[3 + index % 30 for index in range(30)]]
    assert isinstance(ours.start(batch), TorchStepper)
    options = DecodeOptions()
    assert decode_batch(ours, batch, LETTERS, options) == decode_batch(theirs, batch, LETTERS, options)


@given(rows=st.integers(1, 1024), tokens=st.integers(1, 256))
def test_a_shape_has_room_and_is_one_of_few(rows, tokens):
    shape = find_shape(rows, tokens)
    assert shape is not None
    assert shape.rows >= rows
    assert shape.tokens >= tokens
    assert shape.rows % shape.batch == 0
    assert shape.batch in cuda_stepper.BATCHES
    alone = find_shape(1, tokens)
    assert alone is not None
    assert alone.batch == 1
    assert find_shape(1, 257) is None
    assert find_shape(2000, tokens) is None


def test_without_a_gpu_no_kernel_is_fused_and_loading_says_what_is_missing(tiny_model):
    assert not engines("ours")[0].fused
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    with pytest.raises(ConfigError, match="no CUDA device"):
        open_engine(tiny_model, "cuda")


def test_a_row_takes_what_the_model_takes_and_no_more():
    engine, _ = engines("ours")
    stepper = engine.start([[5, 6]])
    stepper.extend([Feed(0, [1] + [5] * 60)])
    with pytest.raises(ValueError, match="takes at most 60 tokens"):
        stepper.extend([Feed(0, [5])])
    with pytest.raises(ValueError, match="cannot be rewound"):
        stepper.rewind(0, 70)

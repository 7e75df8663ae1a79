"""On real networks: every engine and policy, alone or in a batch, writes what greedy writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_models import LETTERS, VOCABULARY, random_model
from shapes import SHAPES

from redraft.decode.beam import beam_search
from redraft.decode.drafts import POLICIES
from redraft.decode.loop import DecodeOptions, decode_batch
from redraft.decode.stepper import Engine, Feed
from redraft.engines.onnx import OnnxEngine
from redraft.engines.torch import TorchEngine
from redraft.errors import ConfigError

sources = st.lists(st.integers(3, VOCABULARY - 1), max_size=12)
batches = st.lists(sources, min_size=1, max_size=6)


@cache
def exact_engine(shape: str) -> Engine:
    """In double precision: what is equal is equal, and no tie is decided by rounding."""
    return TorchEngine.load(random_model(shape), dtype=torch.float64)


@cache
def onnx_engine(shape: str, half: bool = False) -> Engine:
    return OnnxEngine(random_model(shape, half), 1, "fp32")


def outputs(engine: Engine, batch: Sequence[Sequence[int]], policy: str, threshold: float = 0.0) -> list[list[int]]:
    options = DecodeOptions(policy=policy, threshold=threshold)
    return [decoded.ids for decoded in decode_batch(engine, batch, LETTERS, options)]


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=12, deadline=None)
@given(batch=batches, threshold=st.sampled_from([0.0, 0.3, 0.6, 0.9]))
def test_every_policy_alone_or_in_a_batch_writes_what_greedy_writes(shape, batch, threshold):
    engine = exact_engine(shape)
    expected = [outputs(engine, [source], "none", threshold)[0] for source in batch]
    for policy in POLICIES:
        assert outputs(engine, batch, policy, threshold) == expected
        assert [outputs(engine, [source], policy, threshold)[0] for source in batch] == expected


def test_the_random_models_are_worth_asking():
    """Some decodings end by themselves, some do not, they are not all alike, and every threshold changes some."""
    batch = [[3 + (seed * 5 + index * 3) % 37 for index in range(1 + seed % 9)] for seed in range(40)]
    decoded = [decode_batch(exact_engine(shape), batch, LETTERS, DecodeOptions(policy="none")) for shape in SHAPES]
    flat = [sentence for sentences in decoded for sentence in sentences]
    assert any(sentence.finished and len(sentence.ids) > 2 for sentence in flat)
    assert any(not sentence.finished for sentence in flat)
    assert len({tuple(sentence.ids) for sentence in flat}) > 40
    for lower, higher in pairwise([0.0, 0.3, 0.6, 0.9]):
        found = (outputs(exact_engine(shape), batch, "none", threshold=lower) for shape in SHAPES)
        assert list(found) != [outputs(exact_engine(shape), batch, "none", threshold=higher) for shape in SHAPES]


def logits_of(engine: Engine, source: Sequence[int], ids: Sequence[int]) -> list[list[float]]:
    """Log-probabilities of every token after each prefix, in the order of the ids."""
    rows = []
    for end in range(1, len(ids) + 1):
        ranking = engine.start([source]).rank([Feed(0, ids[:end])], VOCABULARY)[0]
        by_id = dict(zip(ranking.ids, ranking.log_probabilities, strict=True))
        rows.append([by_id[token] for token in range(VOCABULARY)])
    return rows


@pytest.mark.parametrize("half", [False, True], ids=["fp32 weights", "fp16 weights"])
@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=10, deadline=None)
@given(source=sources, target=st.lists(st.integers(3, VOCABULARY - 1), max_size=5))
def test_onnx_computes_what_torch_computes(shape, half, source, target):
    reference = TorchEngine.load(random_model(shape, half), dtype=torch.float64)
    ours = torch.tensor(logits_of(onnx_engine(shape, half), source, [1, *target]))
    theirs = torch.tensor(logits_of(reference, source, [1, *target]))
    torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-3)


@settings(max_examples=15, deadline=None)
@given(source=sources)
def test_a_beam_of_one_is_greedy(source):
    engine = exact_engine("ours")
    greedy = decode_batch(engine, [source], LETTERS, DecodeOptions(policy="none"))[0]
    beam = beam_search(engine, source, LETTERS, beams=1)
    if greedy.finished:
        assert (beam.ids, beam.finished) == (greedy.ids, True)


@settings(max_examples=8, deadline=None)
@given(source=sources)
def test_a_wider_beam_finds_nothing_less_likely_than_it_says(source):
    engine = exact_engine("ours")
    beam = beam_search(engine, source, LETTERS, beams=4, penalty=0.6)
    rows = logits_of(engine, source, [1, *beam.ids])
    total = sum(row[token] for row, token in zip(rows, [*beam.ids, 2], strict=True))
    if beam.finished:
        assert beam.score == pytest.approx(total / (len(beam.ids) + 1) ** 0.6, abs=1e-6)


def test_beam_search_agrees_between_engines():
    source = [5, 9, 13, 21]
    assert (
        beam_search(onnx_engine("ours"), source, LETTERS).ids == beam_search(exact_engine("ours"), source, LETTERS).ids
    )
    with pytest.raises(ConfigError):
        beam_search(exact_engine("ours"), source, LETTERS, beams=0)


def test_a_row_cannot_be_rewound_forward():
    stepper = exact_engine("ours").start([[5, 6]])
    stepper.extend([Feed(0, [1, 5])])
    with pytest.raises(ValueError, match="cannot be rewound"):
        stepper.rewind(0, 3)


def test_asking_for_a_gpu_where_there_is_none_says_so():
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    with pytest.raises(ConfigError, match="CUDA"):
        TorchEngine.load(random_model("ours"), device="cuda")


def test_decoding_does_not_use_cudnn_attention_and_leaves_it_as_it_was(monkeypatch):
    """cuDNN plans anew for every shape."""
    engine = TorchEngine.load(random_model("ours"))
    before = torch.backends.cuda.cudnn_sdp_enabled()
    seen: list[bool] = []
    for name in ("encode", "decode"):
        compute = getattr(engine.model, name)

        def watch(*arguments: object, compute: Callable[..., object] = compute) -> object:
            seen.append(torch.backends.cuda.cudnn_sdp_enabled())
            return compute(*arguments)

        monkeypatch.setattr(engine.model, name, watch)
    outputs(engine, [[5, 6, 7]], "refine")
    assert len(seen) >= 2 and not any(seen)
    assert before and torch.backends.cuda.cudnn_sdp_enabled()

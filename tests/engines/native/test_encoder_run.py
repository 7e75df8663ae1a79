"""The encoder in parts: each state has the bits of the whole, and nothing outside a table or a stack is read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_models import NATIVE, VOCABULARY, needs_native, quantized_model, sources_out_of_range
from shapes import SHAPES

from redraft.decode.stepper import Feed, Ranking
from redraft.engines.native.buffers import TokenBatch
from redraft.engines.native.engine import NativeEngine, NativeStepper
from redraft.engines.native.library import floats
from redraft.engines.native.network import Network
from redraft.engines.torch import TorchEngine
from redraft.errors import ConfigError, InputError
from redraft.model.windows import masked_attention

OUT_OF_RANGE = -2
sources = st.lists(st.integers(3, VOCABULARY - 1), max_size=20)
batches = st.lists(sources, min_size=1, max_size=4)


def rankings(stepper: NativeStepper, batch: Sequence[Sequence[int]]) -> list[Ranking]:
    """All log-probabilities after each source, fed as its own target."""
    return stepper.rank([Feed(row, [1, *source]) for row, source in enumerate(batch)], VOCABULARY)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("variant", NATIVE)
@settings(max_examples=8, deadline=None)
@given(batch=batches, data=st.data())
def test_parts_have_the_bits_of_the_whole(variant, shape, threads, batch, data):
    engine = NativeEngine(quantized_model(shape), threads, variant)
    depth = engine.config.encoder_layers
    whole = engine.encode_states(batch)
    run = engine.encode_in_parts(batch)
    for layer in sorted(data.draw(st.sets(st.integers(1, depth)))):
        states = run.states_after(layer)
        assert run.layer == layer
        assert [len(each) for each in states] == [len(source) + 1 for source in batch]
        at_once = engine.encode_in_parts(batch).states_after(layer)
        assert all(np.array_equal(*pair) for pair in zip(states, at_once, strict=True))
    assert rankings(run.start(), batch) == rankings(engine.start(batch), batch)
    assert all(np.array_equal(*pair) for pair in zip(run.final_states(), whole, strict=True))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("variant", NATIVE)
@settings(max_examples=8, deadline=None)
@given(batch=batches, data=st.data())
def test_a_source_gets_the_same_bits_alone_and_after_others_were_left_out(variant, shape, batch, data):
    engine = NativeEngine(quantized_model(shape), 1, variant)
    kept = data.draw(st.lists(st.sampled_from(range(len(batch))), min_size=1, unique=True))
    run = engine.encode_in_parts(batch)
    if data.draw(st.booleans()):
        run.states_after(1)
    run.keep(kept)
    left = [batch[row] for row in kept]
    assert rankings(run.start(), left) == [rankings(engine.start([source]), [source])[0] for source in left]
    alone = [engine.encode_states([source])[0] for source in left]
    assert all(np.array_equal(*pair) for pair in zip(run.final_states(), alone, strict=True))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("variant", NATIVE)
def test_states_are_those_of_torch(variant, shape):
    """As far as bytes can be: the distance is far below that of the states of two layers."""
    engine = NativeEngine(quantized_model(shape), 1, variant)
    model = TorchEngine.load(quantized_model(shape), dtype=torch.float64).model
    source = [3 + number * 7 % 37 for number in range(20)]
    ids = torch.tensor([[*source, 2]])
    positions = torch.arange(ids.shape[1])[None]
    everything = masked_attention(torch.ones(1, 1, 1, ids.shape[1], dtype=torch.bool))
    run = engine.encode_in_parts([source])
    with torch.inference_mode():
        x = model.embed(ids, positions, model.encoder)
        for number, layer in enumerate(model.encoder.layers, start=1):
            before = x
            x = layer(x, model.rotation(positions), everything)
            found = torch.from_numpy(run.states_after(number)[0])
            assert (found - x[0]).norm() < 0.2 * (x - before).norm()
        final = model.finish(x, model.encoder)[0]
    found = torch.from_numpy(run.final_states()[0])
    assert 0 < (found - final).norm() < 0.2 * final.norm()


@needs_native
def test_layers_run_forwards_and_no_further_than_the_last():
    run = NativeEngine(quantized_model("ours"), 1).encode_in_parts([[5, 6]])
    for layer in (0, -1, 3):
        with pytest.raises(ConfigError, match="after 1 to 2 layers now"):
            run.states_after(layer)
    run.states_after(2)
    with pytest.raises(ConfigError, match="after 2 to 2 layers now, not after 1"):
        run.states_after(1)


@pytest.mark.parametrize("variant", NATIVE)
@pytest.mark.parametrize("shape", ["ours", "bart"])
@sources_out_of_range
def test_ids_and_lengths_out_of_range_are_refused(shape, variant, source):
    engine = NativeEngine(quantized_model(shape), 1, variant)
    for attempt in (
        lambda run: run.states_after(1),
        lambda run: run.final_states(),
        lambda run: run.start(),
    ):
        with pytest.raises(InputError, match="out of the model's range"):
            attempt(engine.encode_in_parts([[5], source]))
    with pytest.raises(InputError, match="out of the model's range"):
        engine.encode_states([source])


@pytest.mark.parametrize("variant", NATIVE)
@pytest.mark.parametrize(
    ("first", "last", "given_states", "final"),
    [
        (0, 0, True, False),
        (0, 3, True, False),
        (0, 2**62, True, False),
        (0, -1, True, False),
        (-1, 1, True, False),
        (-(2**63), 2**63 - 1, True, False),
        (2, 1, True, False),
        (3, 3, True, False),
        (1, 2, False, False),
        (2, 2, False, True),
        (0, 1, True, True),
    ],
)
def test_the_library_refuses_layers_out_of_range_and_states_that_are_not_there(
    variant, first, last, given_states, final
):
    """The encoder has two layers; states after the final norm exist only after the second."""
    engine = NativeEngine(quantized_model("ours"), 1, variant)
    counts = np.array([3], dtype=np.int64)
    tokens = TokenBatch(np.array([5, 6, 2], dtype=np.int64), np.zeros(1, dtype=np.int64), counts)
    states = np.zeros((3, engine.config.width), dtype=np.float32)
    network = engine._network
    assert isinstance(network, Network)
    arguments = (tokens.pointer(), first, last, floats(states if given_states else None), floats(states))
    assert network.call("encode_layers", *arguments, floats(states if final else None), None) == OUT_OF_RANGE
    assert not states.any()


@pytest.mark.parametrize("variant", NATIVE)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 3e38], ids=str)
def test_states_that_are_no_numbers_do_no_harm(variant, value):
    engine = NativeEngine(quantized_model("ours"), 1, variant)
    run = engine.encode_in_parts([[5, 6], [7]])
    good = [state.copy() for state in engine.encode_states([[5, 6], [7]])]
    run.states_after(1)[0][:] = value
    found = run.final_states()
    assert np.array_equal(found[1], good[1])


@needs_native
def test_the_longest_source_is_taken():
    engine = NativeEngine(quantized_model("ours"), 1)
    assert engine.encode_states([[VOCABULARY - 1] * 24])[0].shape == (25, engine.config.width)

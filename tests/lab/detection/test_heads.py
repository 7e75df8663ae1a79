"""Heads are written and read as they are, and judge a sentence by its own states."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_heads import random_heads
from safetensors.numpy import load_file, save_file

from redraft.errors import InputError
from redraft.lab.detection.heads import DESCRIPTION, WEIGHTS, HeadsInfo, normalize, read_heads, write_heads

INFO = HeadsInfo("tiny", 8, "model", 10)


def test_heads_are_read_as_they_were_written(tmp_path):
    written = [random_heads(1, 8), random_heads(2, 8, seed=1)]
    write_heads(tmp_path, written, INFO)
    read = read_heads(tmp_path, 8, 2)
    states = np.random.default_rng(3).standard_normal((5, 8)).astype(np.float32)
    for one in written:
        assert np.array_equal(read[one.layer].error_probabilities(states), one.error_probabilities(states))
        for measure in ("tokens", "pooled"):
            assert read[one.layer].clean_probability(states, measure) == one.clean_probability(states, measure)


def cut_weights(folder: Path) -> None:
    (folder / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes()[:20])


def leave_out_a_tensor(folder: Path) -> None:
    tensors = load_file(folder / WEIGHTS)
    del tensors["1.token_bias"]
    save_file(tensors, folder / WEIGHTS)


def describe_badly(text: str):
    return lambda folder: (folder / DESCRIPTION).write_text(text)


@pytest.mark.parametrize(
    "damage",
    [
        cut_weights,
        leave_out_a_tensor,
        lambda folder: (folder / WEIGHTS).unlink(),
        lambda folder: (folder / DESCRIPTION).unlink(),
        describe_badly("{"),
        describe_badly("[]"),
        describe_badly('{"layers": ["first"]}'),
        describe_badly(json.dumps({"layers": [7]})),
    ],
)
def test_damaged_heads_are_refused(tmp_path, damage):
    write_heads(tmp_path, [random_heads(1, 8)], INFO)
    damage(tmp_path)
    with pytest.raises(InputError, match="not heads for error detection"):
        read_heads(tmp_path, 8, 2)


@pytest.mark.parametrize(("width", "depth"), [(16, 2), (4, 2), (8, 0)])
def test_heads_for_another_model_are_refused(tmp_path, width, depth):
    write_heads(tmp_path, [random_heads(1, 8)], INFO)
    with pytest.raises(InputError, match="not for this model"):
        read_heads(tmp_path, width, depth)


@given(seed=st.integers(0, 10**6), tokens=st.integers(1, 9), scale=st.sampled_from([1e-6, 1.0, 1e6]))
def test_probabilities_are_probabilities(seed, tokens, scale):
    states = (scale * np.random.default_rng(seed).standard_normal((tokens, 8))).astype(np.float32)
    heads = random_heads(1, 8, seed)
    found = heads.error_probabilities(states)
    assert found.shape == (tokens,)
    assert ((found >= 0) & (found <= 1)).all()
    assert heads.clean_probability(states, "tokens") == 1 - found.max()
    assert 0 <= heads.clean_probability(states, "pooled") <= 1


def test_normalized_states_have_no_mean_and_unit_variance():
    states = 3 + 7 * np.random.default_rng(0).standard_normal((4, 64)).astype(np.float32)
    normal = normalize(states)
    np.testing.assert_allclose(normal.mean(axis=1), 0, atol=1e-5)
    np.testing.assert_allclose(normal.var(axis=1), 1, atol=1e-3)

"""The regression learns what can be separated by a plane."""

from __future__ import annotations

import math

import numpy as np
import pytest

from redraft.lab.detection.fitting import FitOptions, Linear, area_under_curve, fit, fit_heads, measure
from redraft.lab.detection.states import LabelledStates


def separable(count: int, width: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Features, and labels on the sides of a plane that all seeds share."""
    plane = np.random.default_rng(99).standard_normal(width)
    features = np.random.default_rng(seed).standard_normal((count, width)).astype(np.float16)
    return features, features.astype(np.float64) @ plane > 3


def test_it_separates_what_a_plane_separates():
    linear = fit(*separable(4000, 16, seed=0), FitOptions(epochs=40, batch=256, rate=0.05, decay=0.0))
    features, labels = separable(1000, 16, seed=1)
    assert area_under_curve(linear.probabilities(features), labels) > 0.99
    assert ((linear.probabilities(features) > 0.5) == labels).mean() > 0.95


def test_labels_without_a_pattern_give_their_share():
    features = np.random.default_rng(0).standard_normal((4000, 8)).astype(np.float16)
    labels = np.random.default_rng(1).random(4000) < 0.2
    linear = fit(features, labels, FitOptions(batch=512))
    assert linear.probabilities(features).mean() == pytest.approx(labels.mean(), abs=0.03)


@pytest.mark.parametrize("value", [True, False])
def test_labels_that_are_all_the_same(value):
    features = np.random.default_rng(0).standard_normal((50, 8)).astype(np.float16)
    linear = fit(features, np.full(50, value), FitOptions())
    assert np.isfinite(linear.weights).all()
    assert (linear.probabilities(features) > 0.5).all() == value


def test_area_under_the_curve():
    labels = np.array([False, True, False, True])
    assert area_under_curve(np.array([0.1, 0.9, 0.2, 0.8], dtype=np.float32), labels) == 1.0
    assert area_under_curve(np.array([0.9, 0.1, 0.8, 0.2], dtype=np.float32), labels) == 0.0
    assert area_under_curve(np.full(4, 0.5, dtype=np.float32), labels) == 0.5
    assert area_under_curve(np.array([0.1, 0.3, 0.3, 0.4], dtype=np.float32), labels) == 0.875


def states_of(sentences: int, seed: int) -> LabelledStates:
    """Sentences of five tokens; the pooled features say whether one of them is labelled."""
    tokens, labels = separable(5 * sentences, 16, seed)
    whole = np.logical_or.reduce(labels.reshape(sentences, 5), axis=1)
    pooled = np.where(whole[:, None], 1, -1) + np.random.default_rng(seed).standard_normal((sentences, 32)) / 2
    return LabelledStates(
        np.full(sentences, 5),
        {3: tokens},
        {3: pooled.astype(np.float16)},
        {"pair": labels, "model": labels},
    )


def test_heads_of_a_layer_and_what_they_separate():
    heads = fit_heads(states_of(800, seed=0), 3, "model", FitOptions(batch=256, decay=0.0))
    figures = measure(heads, states_of(300, seed=1))
    assert heads.layer == 3
    assert figures["positions"]["auc"] > 0.99 and figures["pooled"]["auc"] > 0.99 and figures["tokens"]["auc"] > 0.95
    assert figures["pooled"]["stopped at 90%"] > 0.95
    assert figures["positions"]["asked at 90%"] < 0.4


def test_what_cannot_be_measured_is_not_a_number():
    whole = states_of(20, seed=0)
    nothing = LabelledStates(whole.counts, whole.tokens, whole.pooled, {"model": np.zeros(100, dtype=np.bool_)})
    figures = measure(fit_heads(whole, 3, "model", FitOptions(epochs=1)), nothing)
    assert all(math.isnan(value) for row in figures.values() for value in row.values())


def test_states_are_split_between_sentences():
    whole = states_of(10, seed=0)
    first, rest = whole.split(4)
    assert (len(first.counts), len(rest.counts)) == (4, 6)
    for part, tokens, sentences in ((first, slice(0, 20), slice(0, 4)), (rest, slice(20, None), slice(4, None))):
        assert np.array_equal(part.tokens[3], whole.tokens[3][tokens])
        assert np.array_equal(part.pooled[3], whole.pooled[3][sentences])
        assert np.array_equal(part.sentence_labels("pair"), whole.sentence_labels("pair")[sentences])


def test_a_linear_layer_gives_probabilities():
    linear = Linear(np.array([1.0, -1.0], dtype=np.float32), np.zeros((), dtype=np.float32))
    found = linear.probabilities(np.array([[0, 0], [100, -100], [-100, 100]], dtype=np.float16))
    np.testing.assert_allclose(found, [0.5, 1, 0], atol=1e-6)

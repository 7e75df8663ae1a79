"""Logistic regression in numpy, and measures of what it learnt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from redraft.lab.detection.heads import Floats, Heads, sigmoid
from redraft.lab.detection.states import Bools, Halves, LabelledStates

_MEAN_DECAY, _SQUARE_DECAY, _EPSILON = 0.9, 0.999, 1e-8


@dataclass(frozen=True, slots=True)
class FitOptions:
    epochs: int = 8
    batch: int = 4096
    rate: float = 0.01
    """Learning rate of Adam at the start; it falls linearly to zero."""
    decay: float = 1e-4
    """Weight of half the squared weights in the loss."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Linear:
    weights: Floats
    bias: Floats

    def probabilities(self, features: Halves) -> Floats:
        return sigmoid(features.astype(np.float32) @ self.weights + self.bias)


def fit(features: Halves, labels: Bools, options: FitOptions) -> Linear:
    """Minimizes the mean cross-entropy with Adam."""
    generator = np.random.default_rng(options.seed)
    size = features.shape[1]
    parameters = np.zeros(size + 1, dtype=np.float32)
    parameters[-1] = _log_odds(labels)
    mean, square = np.zeros_like(parameters), np.zeros_like(parameters)
    batches = -(-len(labels) // options.batch)
    step, steps = 0, batches * options.epochs
    for _ in range(options.epochs):
        for chosen in np.array_split(generator.permutation(len(labels)), batches):
            step += 1
            gradient = _gradient(parameters, features[chosen].astype(np.float32), labels[chosen], options.decay)
            mean = _MEAN_DECAY * mean + (1 - _MEAN_DECAY) * gradient
            square = _SQUARE_DECAY * square + (1 - _SQUARE_DECAY) * gradient * gradient
            rate = options.rate * (1 - (step - 1) / steps)
            corrected = np.sqrt(square / (1 - _SQUARE_DECAY**step)) + _EPSILON
            parameters = (parameters - rate * mean / (1 - _MEAN_DECAY**step) / corrected).astype(np.float32)
    return Linear(parameters[:size], parameters[size])


def fit_heads(states: LabelledStates, layer: int, labels: str, options: FitOptions) -> Heads:
    token = fit(states.tokens[layer], states.labels[labels], options)
    # There are far fewer sentences than tokens, so a sentence is seen more often.
    few = FitOptions(4 * options.epochs, min(options.batch, 512), options.rate / 4, 10 * options.decay, options.seed)
    sentence = fit(states.pooled[layer], states.sentence_labels(labels), few)
    return Heads(layer, token.weights, token.bias, sentence.weights, sentence.bias)


def measure(heads: Heads, states: LabelledStates, recalls: tuple[float, ...] = (0.9, 0.95, 0.98)) -> dict[str, Any]:
    """How well heads separate sentences and tokens that the model changes from the others.

    `stopped` is the share of sentences that the model leaves alone that a gate stops, if it lets pass the given share
    of the sentences that the model changes. `asked` is the share of tokens where span correction asks the model, if it
    asks at this share of the edits.
    """
    tokens = Linear(heads.token_weights, heads.token_bias).probabilities(states.tokens[heads.layer])
    starts = np.concatenate(([0], np.cumsum(states.counts)[:-1]))
    scores = {
        "tokens": np.maximum.reduceat(tokens, starts),
        "pooled": Linear(heads.sentence_weights, heads.sentence_bias).probabilities(states.pooled[heads.layer]),
    }
    changed = states.sentence_labels("model")
    figures: dict[str, Any] = {}
    for name, values in scores.items():
        figures[name] = {"auc": area_under_curve(values, changed)} | {
            f"stopped at {recall:.0%}": 1 - _share_above(values[~changed], values[changed], recall)
            for recall in recalls
        }
    marks = states.labels["model"]
    figures["positions"] = {"auc": area_under_curve(tokens, marks)} | {
        f"asked at {recall:.0%}": _share_above(tokens, tokens[marks], recall) for recall in recalls
    }
    return figures


def _share_above(values: Floats, positives: Floats, recall: float) -> float:
    """Share of the values that are not below a limit that this share of the positives reaches."""
    if not len(values) or not len(positives):
        return float("nan")
    return float((values >= np.quantile(positives, 1 - recall)).mean())


def area_under_curve(scores: Floats, labels: Bools) -> float:
    """The probability that a random positive has a higher score than a random negative."""
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(len(scores), dtype=np.float64)
    _, first, counts = np.unique(scores[order], return_index=True, return_counts=True)
    ranks[order] = np.repeat(first + (counts + 1) / 2, counts)
    positives = int(labels.sum())
    negatives = len(labels) - positives
    if not positives or not negatives:
        return float("nan")
    return float((ranks[labels].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def _gradient(parameters: Floats, features: Floats, labels: Bools, decay: float) -> Floats:
    errors = (sigmoid(features @ parameters[:-1] + parameters[-1]) - labels).astype(np.float32) / len(labels)
    slope: npt.NDArray[np.float32] = np.append(errors @ features + decay * parameters[:-1], errors.sum())
    return slope


def _log_odds(labels: Bools) -> float:
    share = min(max(float(labels.mean()), 1e-6), 1 - 1e-6)
    return float(np.log(share / (1 - share)))

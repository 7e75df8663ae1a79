"""GLEU (Napoles et al., 2015, revised 2016): n-grams shared with a reference, less those that should be gone.

With several references the score of a corpus is a mean over draws: each draw picks one reference for each sentence.
The draws are those of the authors' program, which seeds Python's generator before each of its 500 draws.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redraft.errors import ConfigError, InputError
from redraft.lab.evaluate.score import Statistics, check_lengths

VERSION = "1"
ORDER = 4
SEED_STEP = 101
NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Options:
    draws: int = 500

    def __post_init__(self) -> None:
        if self.draws < 1:
            raise ConfigError("GLEU needs at least 1 draw of references")


@dataclass(frozen=True, slots=True, eq=False)
class GleuReport:
    """The mean over draws, their deviation, a smoothed score for each sentence, and the statistics behind them."""

    gleu: float
    deviation: float
    sentences: tuple[float, ...]
    precisions: tuple[float, ...]  # by n-gram order, over all references
    statistics: Statistics

    @property
    def draw_interval(self) -> tuple[float, float]:
        """The 95% interval that the authors' program prints: the spread over references alone."""
        return self.gleu - NORMAL_95 * self.deviation, self.gleu + NORMAL_95 * self.deviation

    def to_mapping(self) -> dict[str, Any]:
        return {
            "gleu": self.gleu,
            "deviation": self.deviation,
            "draw_interval": self.draw_interval,
            "precision_by_order": self.precisions,
        }


def score(
    hypotheses: Sequence[str],
    sources: Sequence[str],
    references: Sequence[Sequence[str]],
    options: Options | None = None,
    *,
    advance: Callable[[], None] = lambda: None,
) -> GleuReport:
    """Scores tokenized lines; each of `references` is one complete set of corrections."""
    options = options or Options()
    if not references:
        raise InputError("GLEU needs at least one file of references")
    check_lengths(hypotheses, "hypotheses", sources, "sources")
    for number, lines in enumerate(references, start=1):
        check_lengths(hypotheses, "hypotheses", lines, f"reference {number}")
    rows = []
    for hypothesis, source, *corrections in zip(hypotheses, sources, *references, strict=True):
        rows.append(_count(hypothesis.split(), source.split(), [line.split() for line in corrections]))
        advance()
    statistics = np.array(rows, dtype=np.float64).reshape(len(rows), len(references), 2 + 2 * ORDER)
    by_draw = metric(_draw_sums(statistics, options.draws))
    smoothed = metric(np.where(statistics == 0, 1.0, statistics)).mean(axis=1)
    totals = statistics.sum(axis=(0, 1))
    precisions = np.divide(totals[2::2], totals[3::2], out=np.zeros(ORDER), where=totals[3::2] > 0)
    return GleuReport(
        gleu=float(by_draw.mean()),
        deviation=float(by_draw.std()),
        sentences=tuple(smoothed.tolist()),
        precisions=tuple(precisions.tolist()),
        statistics=statistics,
    )


def metric(sums: Statistics) -> Statistics:
    """GLEU from hypothesis length, reference length, and matches and n-grams of each order; 0 if any of them is 0."""
    whole = np.asarray((sums > 0).all(axis=-1))
    safe = np.where(whole[..., None], sums, 1.0)
    brevity = np.minimum(0.0, 1.0 - safe[..., 1] / safe[..., 0])
    logarithms = np.log(safe[..., 2::2] / safe[..., 3::2]).mean(axis=-1)
    return np.where(whole, np.exp(brevity + logarithms), 0.0)


def _count(hypothesis: Sequence[str], source: Sequence[str], references: Sequence[Sequence[str]]) -> list[list[int]]:
    rows = [[len(hypothesis), len(reference)] for reference in references]
    for order in range(1, ORDER + 1):
        ours, before = _ngrams(hypothesis, order), _ngrams(source, order)
        for row, reference in zip(rows, references, strict=True):
            wanted = _ngrams(reference, order)
            unwanted = Counter({ngram: number for ngram, number in before.items() if ngram not in wanted})
            row += [max((ours & wanted).total() - (ours & unwanted).total(), 0), max(len(hypothesis) + 1 - order, 0)]
    return rows


def _ngrams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[start : start + order]) for start in range(len(tokens) + 1 - order))


def _draw_sums(statistics: Statistics, draws: int) -> Statistics:
    """Sums over the sentences for each draw, (draws, statistics)."""
    sentences, references, width = statistics.shape
    everything = np.arange(sentences)
    sums = np.empty((draws, width))
    for draw in range(draws):
        generator = random.Random(draw * SEED_STEP)
        # The authors' program runs on Python 2, which picks an integer in this way.
        chosen = [int(generator.random() * references) for _ in range(sentences)]
        sums[draw] = statistics[everything, chosen].sum(axis=0)
    return sums

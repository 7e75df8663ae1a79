"""Common parts of all scorers: counts, precision, recall, F, confidence intervals, and the signature of a score."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redraft.checksum import checksum
from redraft.edits.common_prefix import common_prefix_length
from redraft.edits.m2 import M2Edit, read_lines
from redraft.errors import ConfigError, InputError

Statistics = NDArray[np.float64]  # (sentences, references, statistics that add up)
Metric = Callable[[Statistics], Statistics]  # (…, statistics) → (…)


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of correct edits, edits of the system, and edits of the annotator."""

    correct: int = 0
    proposed: int = 0
    gold: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.correct + other.correct, self.proposed + other.proposed, self.gold + other.gold)

    @property
    def precision(self) -> float:
        return self.correct / self.proposed if self.proposed else 1.0

    @property
    def recall(self) -> float:
        return self.correct / self.gold if self.gold else 1.0

    def f(self, beta: float) -> float:
        weighted = beta * beta * self.precision + self.recall
        return (1.0 + beta * beta) * self.precision * self.recall / weighted if weighted else 0.0


Rank = Callable[[Counts, Counts, float], tuple[float, ...]]
"""Counts so far, counts of a sentence, beta → rank of the sentence; the highest is chosen."""


@dataclass(frozen=True, slots=True)
class TokenEdit:
    """An edit of the system: tokens `start` to `end` of the source become `replacement`."""

    start: int
    end: int
    source: str
    replacement: str
    kind: str = ""

    def trimmed(self) -> TokenEdit:
        """The edit without the unchanged tokens at its two ends."""
        old, new = self.source.split(), self.replacement.split()
        head = common_prefix_length(old, new)
        tail = common_prefix_length(old[head:][::-1], new[head:][::-1])
        inner_old, inner_new = old[head : len(old) - tail], new[head : len(new) - tail]
        return TokenEdit(self.start + head, self.end - tail, " ".join(inner_old), " ".join(inner_new), self.kind)


@dataclass(frozen=True, slots=True)
class SentenceScore:
    """One sentence scored against the annotator that fits best."""

    annotator: int
    counts: Counts
    proposed: tuple[TokenEdit, ...]
    right: tuple[bool, ...]  # for each proposed edit
    gold: tuple[M2Edit, ...]
    found: tuple[bool, ...]  # for each gold edit


@dataclass(frozen=True, slots=True)
class Tally:
    """Number of correct edits of one kind, of all of that kind."""

    correct: int
    total: int

    @property
    def share(self) -> float:
        return self.correct / self.total if self.total else 1.0


@dataclass(frozen=True, slots=True)
class Report:
    beta: float
    sentences: tuple[SentenceScore, ...]
    counts: Counts = field(init=False)

    def __post_init__(self) -> None:
        counts = sum((sentence.counts for sentence in self.sentences), Counts())
        object.__setattr__(self, "counts", counts)

    @classmethod
    def choose(
        cls, candidates: Iterable[Sequence[SentenceScore]], rank: Rank, beta: float, advance: Callable[[], None]
    ) -> Report:
        """Chooses for each sentence the annotator that ranks highest given the sentences before it."""
        running = Counts()
        chosen: list[SentenceScore] = []
        for sentence in candidates:
            ranks = [rank(running, candidate.counts, beta) for candidate in sentence]
            chosen.append(sentence[ranks.index(max(ranks))])
            running += chosen[-1].counts
            advance()
        return cls(beta, tuple(chosen))

    @property
    def precision(self) -> float:
        return self.counts.precision

    @property
    def recall(self) -> float:
        return self.counts.recall

    @property
    def f(self) -> float:
        return self.counts.f(self.beta)

    def recall_by_kind(self) -> dict[str, Tally]:
        """Found and all gold edits by the annotators' kinds, the most frequent first."""
        return _tally(
            (edit.kind, found)
            for sentence in self.sentences
            for edit, found in zip(sentence.gold, sentence.found, strict=True)
        )

    def precision_by_kind(self) -> dict[str, Tally]:
        """Right and all proposed edits by the system's kinds; empty for a scorer that gives edits no kind."""
        return _tally(
            (edit.kind, right)
            for sentence in self.sentences
            for edit, right in zip(sentence.proposed, sentence.right, strict=True)
            if edit.kind
        )

    def to_mapping(self) -> dict[str, Any]:
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f": self.f,
            "beta": self.beta,
            **asdict(self.counts),
            "recall_by_kind": {kind: asdict(tally) for kind, tally in self.recall_by_kind().items()},
            "precision_by_kind": {kind: asdict(tally) for kind, tally in self.precision_by_kind().items()},
        }

    def statistics(self) -> Statistics:
        rows = [[(s.counts.correct, s.counts.proposed, s.counts.gold)] for s in self.sentences]
        return np.array(rows, dtype=np.float64).reshape(len(rows), 1, 3)

    def metric(self, sums: Statistics) -> Statistics:
        """F from sums of correct, proposed and gold, for many sums at once."""
        correct, proposed, gold = np.moveaxis(sums, -1, 0)
        precision = np.divide(correct, proposed, out=np.ones_like(correct), where=proposed > 0)
        recall = np.divide(correct, gold, out=np.ones_like(correct), where=gold > 0)
        weighted = self.beta * self.beta * precision + recall
        product = (1.0 + self.beta * self.beta) * precision * recall
        f: Statistics = np.divide(product, weighted, out=np.zeros_like(correct), where=weighted > 0)
        return f


@dataclass(frozen=True, slots=True)
class Resampling:
    """Settings of the bootstrap and the randomization test; the same seed gives the same figures."""

    samples: int = 1000
    seed: int = 12345
    level: float = 0.95

    def __post_init__(self) -> None:
        if self.samples < 1 or not 0 < self.level < 1:
            raise ConfigError("resampling needs at least 1 sample and a level between 0 and 1")


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float
    level: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The first system's score minus the other's, its interval, and the p value of the randomization test."""

    difference: float
    interval: Interval
    p_value: float


def bootstrap(statistics: Statistics, metric: Metric, resampling: Resampling) -> Interval:
    """Percentile interval of the metric over sentences drawn with replacement, with a reference drawn for each."""
    generator = np.random.default_rng(resampling.seed)
    draws = (_draw(generator, *statistics.shape[:2]) for _ in range(resampling.samples))
    sums = np.array([statistics[rows, references].sum(axis=0) for rows, references in draws])
    return _interval(metric(sums), resampling.level)


def compare(ours: Statistics, theirs: Statistics, metric: Metric, resampling: Resampling) -> Comparison:
    """Paired bootstrap of the difference, and a paired randomization test, which swaps the systems' outputs."""
    if ours.shape != theirs.shape:
        raise InputError("the two outputs have different numbers of sentences; compare outputs for the same sentences")
    generator = np.random.default_rng(resampling.seed)
    count, references = ours.shape[:2]
    everything = np.arange(count)
    differences, by_chance, observed = [], [], []
    for _ in range(resampling.samples):
        rows, chosen = _draw(generator, count, references)
        drawn = metric(np.stack([ours[rows, chosen].sum(axis=0), theirs[rows, chosen].sum(axis=0)]))
        differences.append(drawn[0] - drawn[1])
        first, second = ours[everything, chosen], theirs[everything, chosen]
        swap = generator.random((count, 1)) < 0.5
        mixed = np.where(swap, second, first).sum(axis=0)
        whole = np.stack([first.sum(axis=0), second.sum(axis=0)])
        shuffled = metric(np.stack([mixed, whole.sum(axis=0) - mixed]))
        real = metric(whole)
        by_chance.append(abs(shuffled[0] - shuffled[1]))
        observed.append(real[0] - real[1])
    difference = float(np.mean(observed))
    # The small margin makes differences that differ only by rounding count as equal.
    as_much = int(np.sum(np.array(by_chance) >= abs(difference) - 1e-12))
    p_value = (as_much + 1) / (resampling.samples + 1)
    return Comparison(difference, _interval(np.array(differences), resampling.level), p_value)


def read_sentences(path: Path) -> list[str]:
    """The lines of a text file, one sentence each."""
    sentences = [line.strip() for line in read_lines(path)]
    if not sentences:
        raise InputError(f"{path}: the file is empty; each line must have one sentence")
    return sentences


def check_lengths(first: Sequence[object], first_name: str, second: Sequence[object], second_name: str) -> None:
    if len(first) != len(second):
        shorter, longer = sorted(((len(first), first_name), (len(second), second_name)))
        raise InputError(
            f"{shorter[1]}:{shorter[0]}: ends here, but {longer[1]} has {longer[0]} sentences; "
            "each sentence needs a line in both"
        )


def fingerprint(paths: Iterable[Path]) -> str:
    """Twelve hexadecimal digits that change when any of the files does."""
    digests = b"".join(bytes.fromhex(checksum(path)) for path in paths)
    return hashlib.sha256(digests).hexdigest()[:12]


def sign(scorer: str, version: str, options: object, data: Mapping[str, Iterable[Path]]) -> str:
    """The signature to quote with a score: scorer, version, options (a dataclass) and checksums of the data."""
    settings: dict[str, Any] = asdict(options)  # type: ignore[call-overload]
    parts = [f"{scorer}:{version}", *(f"{name}:{value}" for name, value in settings.items())]
    return "|".join([*parts, *(f"{name}:{fingerprint(paths)}" for name, paths in data.items())])


def _draw(generator: np.random.Generator, count: int, references: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return generator.integers(count, size=count), generator.integers(references, size=count)


def _interval(values: Statistics, level: float) -> Interval:
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level)


def _tally(outcomes: Iterable[tuple[str, bool]]) -> dict[str, Tally]:
    correct: dict[str, int] = {}
    total: dict[str, int] = {}
    for kind, right in outcomes:
        total[kind] = total.get(kind, 0) + 1
        correct[kind] = correct.get(kind, 0) + right
    kinds = sorted(total, key=lambda kind: (-total[kind], kind))
    return {kind: Tally(correct[kind], total[kind]) for kind in kinds}

"""Beam search with a length penalty: the baseline that aggressive decoding is measured against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redraft.decode.loop import length_limit
from redraft.decode.stepper import BeamStepper, Engine, Feed
from redraft.decode.vocabulary import Vocabulary
from redraft.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Hypothesis:
    ids: tuple[int, ...]
    log_probability: float
    finished: bool = False

    def score(self, penalty: float) -> float:
        """Log-probability over length to the power of the penalty; <eos> counts as a token."""
        return float(self.log_probability / (len(self.ids) + 1) ** penalty)


@dataclass(frozen=True, slots=True)
class BeamResult:
    ids: list[int]
    score: float
    finished: bool
    calls: int


def beam_search(
    engine: Engine, source: Sequence[int], vocabulary: Vocabulary, beams: int = 5, penalty: float = 1.0
) -> BeamResult:
    """Searches with all beams in one decoder call a step.

    Ends when as many hypotheses as there are beams have ended and no open one has a better score than the best of them.
    """
    if beams < 1:
        raise ConfigError(f"a beam search needs at least one beam, not {beams}")
    limit = length_limit(source, engine.max_tokens)
    stepper = engine.start([source])
    alive = [Hypothesis((), 0.0)]
    finished: list[Hypothesis] = []
    calls = 0
    while alive and not _is_decided(finished, alive, beams, penalty):
        candidates = _expand(stepper, alive, vocabulary, beams)
        calls += 1
        origins: list[int] = []
        survivors: list[Hypothesis] = []
        for place, (origin, hypothesis) in enumerate(candidates):
            if hypothesis.finished:
                # As in the usual definition, an ending counts only if it is among the best `beams` continuations.
                if place < beams:
                    finished.append(hypothesis)
            elif len(survivors) < beams and len(hypothesis.ids) <= limit:
                origins.append(origin)
                survivors.append(hypothesis)
        alive = survivors
        if alive:
            stepper.select(origins)
    pool = finished or alive or [Hypothesis((), 0.0)]
    best = max(pool, key=lambda hypothesis: hypothesis.score(penalty))
    return BeamResult(list(best.ids), best.score(penalty), best.finished, calls)


def _is_decided(finished: Sequence[Hypothesis], alive: Sequence[Hypothesis], beams: int, penalty: float) -> bool:
    if len(finished) < beams:
        return False
    if beams == 1:  # greedy decoding: the first end counts
        return True
    return max(one.score(penalty) for one in finished) >= max(one.score(penalty) for one in alive)


def _expand(
    stepper: BeamStepper, alive: Sequence[Hypothesis], vocabulary: Vocabulary, beams: int
) -> list[tuple[int, Hypothesis]]:
    feeds = [Feed(row, [beam.ids[-1] if beam.ids else vocabulary.bos]) for row, beam in enumerate(alive)]
    # Each beam has one ending at most, so twice the beams are enough to find `beams` that go on.
    rankings = stepper.rank(feeds, min(2 * beams, len(vocabulary.starts_word)))
    candidates = [
        (row, _extend(beam, token, log_probability, vocabulary.eos))
        for row, (beam, ranking) in enumerate(zip(alive, rankings, strict=True))
        for token, log_probability in zip(ranking.ids, ranking.log_probabilities, strict=True)
    ]
    return sorted(candidates, key=lambda candidate: -candidate[1].log_probability)


def _extend(beam: Hypothesis, token: int, log_probability: float, eos: int) -> Hypothesis:
    total = beam.log_probability + log_probability
    return Hypothesis(beam.ids, total, True) if token == eos else Hypothesis((*beam.ids, token), total)

"""Gates with cached results: gates of many thresholds are compared while each sentence is decoded only once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from redraft.decode.loop import Decoded, SourceBatch, decode_rows
from redraft.decode.stepper import Engine
from redraft.lab.detection.decoding import Gate, copied, encoder_of
from redraft.lab.detection.heads import Heads, Measure

OutputKey = tuple[tuple[int, ...], frozenset[tuple[int, float]]]
"""Tokens of a sentence, and the places where an edit needs another probability than the threshold."""


def output_keys(batch: SourceBatch) -> list[OutputKey]:
    """For each sentence of a batch, what its output depends on, besides the model and the threshold."""
    rows = zip(batch.sources, batch.limits, strict=True)
    return [(tuple(source), frozenset(limits.items())) for source, limits in rows]


@dataclass(frozen=True, slots=True)
class _Result:
    """What decoder and heads compute for a sentence."""

    decoded: Decoded
    clean: Mapping[tuple[int, Measure], float]
    """The probability that the sentence is correct, by layer and measure."""


@dataclass(slots=True)
class ResultCache:
    """Results of sentences, all decoded with one confidence threshold."""

    heads: Mapping[int, Heads]
    _known: dict[OutputKey, _Result] = field(default_factory=dict)

    def compute(self, engine: Engine, batch: SourceBatch) -> list[_Result]:
        keys = output_keys(batch)
        rows = [row for row, key in enumerate(keys) if key not in self._known]
        if rows:
            missing = batch.select(rows)
            run = encoder_of(engine).encode_in_parts(missing.sources)
            clean: list[dict[tuple[int, Measure], float]] = [{} for _ in rows]
            for layer in sorted(self.heads):
                for found, states in zip(clean, run.states_after(layer), strict=True):
                    for measure in get_args(Measure):
                        found[layer, measure] = self.heads[layer].clean_probability(states, measure)
            decoded = decode_rows(run.start(), missing, engine.max_tokens)
            for row, result, found in zip(rows, decoded, clean, strict=True):
                self._known[keys[row]] = _Result(result, found)
        return [self._known[key] for key in keys]


@dataclass(frozen=True, slots=True)
class CachedGates:
    """Writes what `DetectingDecoder` writes with these gates."""

    gates: Sequence[Gate]
    cache: ResultCache

    def __call__(self, engine: Engine, batch: SourceBatch) -> list[Decoded]:
        results = zip(batch.sources, self.cache.compute(engine, batch), strict=True)
        return [copied(source) if self._stop(one) else one.decoded for source, one in results]

    def _stop(self, result: _Result) -> bool:
        return any(result.clean[gate.heads.layer, gate.measure] >= gate.threshold for gate in self.gates)

"""Decoding after a look at the encoder's states: a gate, span correction, or both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redraft.decode.loop import Decoded, SourceBatch, decode_rows
from redraft.decode.stepper import Engine
from redraft.engines.native.engine import NativeEngine
from redraft.errors import ConfigError
from redraft.lab.detection.heads import Floats, Heads, Measure
from redraft.lab.detection.spans import decode_spans


@dataclass(frozen=True, slots=True)
class Gate:
    """Stops sentences after a layer of the encoder: those with a probability of at least `threshold` to be correct."""

    heads: Heads
    measure: Measure
    threshold: float

    def stops(self, states: Floats) -> bool:
        return self.heads.clean_probability(states, self.measure) >= self.threshold


@dataclass(frozen=True, slots=True)
class SpanDetector:
    """Finds the positions where the decoder is asked: those with a probability of an error of at least `threshold`."""

    heads: Heads
    threshold: float

    def find(self, states: Floats) -> list[bool]:
        found: list[bool] = (self.heads.error_probabilities(states) >= self.threshold).tolist()
        return found


@dataclass(frozen=True, slots=True)
class DetectingDecoder:
    """Decodes like `decode_sources`, but sentences that a gate stops are copied, and only error spans are decoded.

    What is written for a sentence depends on the sentence alone. Without gates and spans it is `decode_sources`.
    """

    gates: Sequence[Gate] = ()
    spans: SpanDetector | None = None

    def __call__(self, engine: Engine, batch: SourceBatch) -> list[Decoded]:
        decoded = [copied(source) for source in batch.sources]
        rows = list(range(len(decoded)))
        run = encoder_of(engine).encode_in_parts(batch.sources)
        for gate in sorted(self.gates, key=lambda gate: gate.heads.layer):
            states = run.states_after(gate.heads.layer)
            left = [place for place, own in enumerate(states) if not gate.stops(own)]
            if not left:
                return decoded
            if len(left) < len(rows):
                run.keep(left)
                rows = [rows[place] for place in left]
        asked: list[list[bool]] = []
        if self.spans is not None:
            found = [self.spans.find(own) for own in run.states_after(self.spans.heads.layer)]
            left = [place for place, positions in enumerate(found) if any(positions)]
            if not left:
                return decoded
            run.keep(left)
            rows, asked = [rows[place] for place in left], [found[place] for place in left]
        kept, stepper = batch.select(rows), run.start()
        if self.spans is not None:
            results = decode_spans(stepper, kept, asked, engine.max_tokens)
        else:
            results = decode_rows(stepper, kept, engine.max_tokens)
        for row, result in zip(rows, results, strict=True):
            decoded[row] = result
        return decoded


def encoder_of(engine: Engine) -> NativeEngine:
    """The engine, if it is one that gives the states of its encoder."""
    if not isinstance(engine, NativeEngine):
        raise ConfigError(f"error detection needs the states of the engine native, not of {engine.name}")
    return engine


def copied(source: Sequence[int]) -> Decoded:
    """The result for a sentence that is not decoded."""
    tokens = len(source) + 1
    return Decoded(list(source), [0.0] * tokens, [1.0] * tokens, True, [])

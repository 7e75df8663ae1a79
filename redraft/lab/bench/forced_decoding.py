"""Timed decoding methods under teacher forcing: drafts, greedy and beam search with a forced output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from redraft.decode.beam import beam_search
from redraft.decode.loop import DecodeOptions, decode_batch, length_limit
from redraft.decode.stepper import BeamStepper, Engine, Feed, Ranking
from redraft.errors import InputError
from redraft.lab.bench.identity import GREEDY
from redraft.lab.bench.teacher_forcing import (
    ForcedEngine,
    PredictionSource,
    TokenPair,
    predict_as_model,
    predict_reference,
)
from redraft.lab.bench.timing import Method
from redraft.lab.data import readers
from redraft.lab.data.pair import Pair
from redraft.tokens.tokenizer import Tokenizer

BEAMS = 5
_UNLIKELY, _IMPOSSIBLE = -100.0, -1e6


def encode(samples: Sequence[Pair], tokenizer: Tokenizer, longest: int) -> list[TokenPair]:
    """Token ids of the samples, without those too long for a model of at most `longest` tokens."""
    pairs = (TokenPair(tokenizer.encode(sample.source), tokenizer.encode(sample.target)) for sample in samples)
    return [
        pair
        for pair in pairs
        if 0 < len(pair.source) < longest and 0 < len(pair.reference) < length_limit(pair.source, longest)
    ]


def read_pairs(path: Path, tokenizer: Tokenizer, longest: int) -> list[TokenPair]:
    """Token ids of the lines of a TSV file (source, tab, reference), without those that `encode` leaves out."""
    faults = readers.Faults()
    samples = list(readers.read_pairs(path, faults, readers.Layout.TSV))
    if faults.first:
        raise InputError(str(faults.first[0]))
    pairs = encode(samples, tokenizer, longest)
    if not pairs:
        raise InputError(f"{path}: no sentence in it is of a length that the models take; use another file")
    return pairs


@dataclass(frozen=True, slots=True)
class ForcedDecoding:
    """Sentences with the output to force on every engine. Without `predict` an engine uses its own predictions."""

    pairs: Sequence[TokenPair]
    tokenizer: Tokenizer
    predict: PredictionSource | None = None

    @classmethod
    def from_model(cls, engine: Engine, tokenizer: Tokenizer, samples: Sequence[Pair]) -> ForcedDecoding:
        """Forces the output of a trained model, so that every engine makes the decoder calls of that model."""
        pairs = []
        for pair in encode(samples, tokenizer, engine.max_tokens):
            written = decode_batch(engine, [pair.source], tokenizer, DecodeOptions())[0]
            if written.finished and written.ids:
                pairs.append(TokenPair(pair.source, written.ids))
        if not pairs:
            raise InputError("none of the sentences is of a length that the model takes; use another file")
        return cls(pairs, tokenizer, predict_as_model(engine, tokenizer))

    @classmethod
    def from_references(cls, tokenizer: Tokenizer, samples: Sequence[Pair], longest: int) -> ForcedDecoding:
        """Forces the references.

        A reference goes on correctly even after a wrong token, so `refine` needs fewer calls than with a model.
        """
        return cls(encode(samples, tokenizer, longest), tokenizer, predict_reference(tokenizer))

    def decoding_method(self, engine: Engine, options: DecodeOptions) -> Method:
        """Greedy decoding or decoding with drafts. Forced predictions are computed here, not while it is timed."""
        predict = self.predict
        engines = [engine if predict is None else ForcedEngine(engine, predict(pair, options)) for pair in self.pairs]

        def decode(number: int) -> int:
            source = self.pairs[number].source
            return len(decode_batch(engines[number], [source], self.tokenizer, options)[0].calls)

        return decode

    def decoding_methods(self, name: str, engine: Engine, policies: Sequence[str]) -> dict[str, Method]:
        """A method for each draft policy, named `name policy`."""
        return {
            f"{name} {'greedy' if policy == GREEDY else policy}": self.decoding_method(
                engine, DecodeOptions(policy=policy)
            )
            for policy in policies
        }

    def beam_search_method(self, engine: Engine) -> Method:
        """Beam search in which the best beam writes the forced output and the other beams last to the end."""

        def decode(number: int) -> int:
            pair = self.pairs[number]
            forced = _ForcedBeamEngine(engine, pair.reference, self.tokenizer.eos)
            return beam_search(forced, pair.source, self.tokenizer, BEAMS).calls

        return decode


class _ForcedBeamEngine:
    name = "forced"

    def __init__(self, engine: Engine, reference: Sequence[int], eos: int) -> None:
        self._engine, self._reference, self._eos = engine, reference, eos
        self.max_tokens = engine.max_tokens

    def start(self, sources: Sequence[Sequence[int]]) -> BeamStepper:
        return _ForcedBeamStepper(self._engine.start(sources), self._reference, self._eos)


class _ForcedBeamStepper:
    def __init__(self, stepper: BeamStepper, reference: Sequence[int], eos: int) -> None:
        self._stepper, self._reference, self._eos = stepper, iter(reference), eos
        self.rewind, self.select, self.extend = stepper.rewind, stepper.select, stepper.extend

    def rank(self, feeds: Sequence[Feed], best: int) -> list[Ranking]:
        token = next(self._reference, self._eos)
        # All beams end in the same step; otherwise the search would go on with those that have not ended.
        worse = _IMPOSSIBLE if token == self._eos else _UNLIKELY
        rankings = self._stepper.rank(feeds, best)
        others = [[other for other in ranking.ids if other not in (token, self._eos)] for ranking in rankings]
        return [Ranking([token, *ids[: best - 1]], [0.0, *([worse] * len(ids[: best - 1]))]) for ids in others]

"""Methods that decode with a model whose answers are dictated, so that calls are those of a model that corrects so.

What a model without training writes is noise, and its calls would say nothing. So the network computes everything, and
is told that it has written something sensible: what a trained model writes, or a reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from redraft.decode.beam import beam_search
from redraft.decode.loop import DecodeOptions, decode_batch, length_limit
from redraft.decode.stepper import BeamStepper, Engine, Feed, Ranking
from redraft.errors import InputError
from redraft.lab.bench.dictation import Dictated, Pair, Teacher, teach_model, teach_reference
from redraft.lab.bench.identity import GREEDY
from redraft.lab.bench.timing import Method
from redraft.lab.data import readers
from redraft.lab.data.pair import Pair as Sample
from redraft.tokens.tokenizer import Tokenizer

BEAMS = 5
_UNLIKELY, _IMPOSSIBLE = -100.0, -1e6


def encode(samples: Sequence[Sample], tokenizer: Tokenizer, longest: int) -> list[Pair]:
    """Samples in ids, without those that a model with so many tokens at most cannot take or write."""
    pairs = (Pair(tokenizer.encode(sample.source), tokenizer.encode(sample.target)) for sample in samples)
    return [
        pair
        for pair in pairs
        if 0 < len(pair.source) < longest and 0 < len(pair.reference) < length_limit(pair.source, longest)
    ]


def read_pairs(path: Path, tokenizer: Tokenizer, longest: int) -> list[Pair]:
    """Lines of source and reference with a tab between, without those that `encode` leaves out."""
    faults = readers.Faults()
    samples = list(readers.read_pairs(path, faults, readers.Layout.TSV))
    if faults.first:
        raise InputError(str(faults.first[0]))
    pairs = encode(samples, tokenizer, longest)
    if not pairs:
        raise InputError(f"{path}: no sentence in it that the models take; give others")
    return pairs


@dataclass(frozen=True, slots=True)
class Lesson:
    """What is to be written, and by whom the answers are given; without a teacher a model answers for itself."""

    pairs: Sequence[Pair]
    tokenizer: Tokenizer
    teach: Teacher | None = None

    @classmethod
    def of_model(cls, engine: Engine, tokenizer: Tokenizer, samples: Sequence[Sample]) -> Lesson:
        """A trained model's own output: whoever is told so makes the very calls that this model makes."""
        pairs = []
        for pair in encode(samples, tokenizer, engine.max_tokens):
            written = decode_batch(engine, [pair.source], tokenizer, DecodeOptions())[0]
            if written.finished and written.ids:
                pairs.append(Pair(pair.source, written.ids))
        if not pairs:
            raise InputError("none of the sentences is of a length that the model takes; give others")
        return cls(pairs, tokenizer, teach_model(engine, tokenizer))

    @classmethod
    def of_references(cls, tokenizer: Tokenizer, samples: Sequence[Sample], longest: int) -> Lesson:
        """A script, which knows where it is going even behind a wrong token: `refine` has it easier than in earnest."""
        return cls(encode(samples, tokenizer, longest), tokenizer, teach_reference(tokenizer))

    def decode_with(self, engine: Engine, options: DecodeOptions) -> Method:
        """Greedily or with drafts. The teacher's answers are asked for here, not when the method is timed."""
        teach = self.teach
        engines = [engine if teach is None else Dictated(engine, teach(pair, options)) for pair in self.pairs]

        def decode(number: int) -> int:
            source = self.pairs[number].source
            return len(decode_batch(engines[number], [source], self.tokenizer, options)[0].calls)

        return decode

    def decode_each(self, name: str, engine: Engine, policies: Sequence[str]) -> dict[str, Method]:
        """A method for each policy, called by the name and the policy."""
        return {
            f"{name} {'greedy' if policy == GREEDY else policy}": self.decode_with(engine, DecodeOptions(policy=policy))
            for policy in policies
        }

    def search_with(self, engine: Engine) -> Method:
        """With five beams, of which the best writes what it is to write and the others stay alive to the end."""

        def decode(number: int) -> int:
            pair = self.pairs[number]
            dictated = _DictatedSearch(engine, pair.reference, self.tokenizer.eos)
            return beam_search(dictated, pair.source, self.tokenizer, BEAMS).calls

        return decode


class _DictatedSearch:
    name = "dictated"

    def __init__(self, engine: Engine, reference: Sequence[int], eos: int) -> None:
        self._engine, self._reference, self._eos = engine, reference, eos
        self.max_tokens = engine.max_tokens

    def start(self, sources: Sequence[Sequence[int]]) -> BeamStepper:
        return _DictatedBeams(self._engine.start(sources), self._reference, self._eos)


class _DictatedBeams:
    def __init__(self, stepper: BeamStepper, reference: Sequence[int], eos: int) -> None:
        self._stepper, self._reference, self._eos = stepper, iter(reference), eos
        self.rewind, self.select, self.extend = stepper.rewind, stepper.select, stepper.extend

    def rank(self, feeds: Sequence[Feed], best: int) -> list[Ranking]:
        token = next(self._reference, self._eos)
        # All beams come to their end at once, or the search would go on for those that have not.
        worse = _IMPOSSIBLE if token == self._eos else _UNLIKELY
        rankings = self._stepper.rank(feeds, best)
        others = [[other for other in ranking.ids if other not in (token, self._eos)] for ranking in rankings]
        return [Ranking([token, *ids[: best - 1]], [0.0, *([worse] * len(ids[: best - 1]))]) for ids in others]

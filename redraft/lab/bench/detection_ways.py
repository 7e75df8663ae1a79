"""Ways to correct with error detection, by name: the whole path of a sentence, with the decoder of this way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from redraft.check.interpreter import apply_suggestions
from redraft.check.solver import SentenceSolver, SolverOptions
from redraft.decode.loop import Decode, Decoded, SourceBatch, decode_sources
from redraft.decode.stepper import Engine
from redraft.engines.native.engine import NativeEngine
from redraft.errors import ConfigError
from redraft.lab.detection.cached_gates import CachedGates, ResultCache
from redraft.lab.detection.decoding import DetectingDecoder, Gate, SpanDetector
from redraft.lab.detection.heads import Heads, Measure, read_heads
from redraft.model.catalogue import locate
from redraft.model.folder import ModelFolder
from redraft.tokens.tokenizer import Tokenizer

PLAIN = "plain"
_MEASURES: Mapping[str, Measure] = {"tokens": "tokens", "pooled": "pooled"}
_FORM = "plain, gate-LAYER-tokens-P, gate-LAYER-pooled-P, spans-P, or several of them joined with +"


def read_way(name: str, heads: Mapping[int, Heads], depth: int) -> DetectingDecoder:
    """The decoder of a way such as `gate-4-pooled-0.98+spans-0.02`; spans are found on the last layer."""
    gates: list[Gate] = []
    spans: SpanDetector | None = None
    for part in name.split("+"):
        match part.split("-"):
            case ["gate", layer, measure, threshold] if measure in _MEASURES:
                found = _find_heads(heads, layer, name)
                gates.append(Gate(found, _MEASURES[measure], _read_threshold(threshold, name)))
            case ["spans", threshold] if spans is None:
                spans = SpanDetector(_find_heads(heads, str(depth), name), _read_threshold(threshold, name))
            case _:
                raise ConfigError(f"{name!r} is not a known way to correct; use {_FORM}")
    return DetectingDecoder(tuple(gates), spans)


def _find_heads(heads: Mapping[int, Heads], layer: str, name: str) -> Heads:
    if not heads:
        raise ConfigError(f"{name!r} needs heads; give their folder with --heads")
    if not layer.isdecimal() or int(layer) not in heads:
        raise ConfigError(f"{name!r}: there are no heads for layer {layer}; there are for {', '.join(map(str, heads))}")
    return heads[int(layer)]


def _read_threshold(text: str, name: str) -> float:
    try:
        threshold = float(text)
    except ValueError:
        threshold = -1.0
    if not 0 <= threshold <= 1:
        raise ConfigError(f"{name!r}: {text!r} is not a probability")
    return threshold


@dataclass(slots=True)
class _CountedDecoder:
    """Decodes and counts: the sentences that the decoder never ran for, and all others, pass by pass."""

    inner: Decode
    calls: int = 0
    stopped: int = 0
    passes: int = 0

    def __call__(self, engine: Engine, batch: SourceBatch) -> list[Decoded]:
        decoded = self.inner(engine, batch)
        self.calls += sum(len(one.calls) for one in decoded)
        self.stopped += sum(not one.calls for one in decoded)
        self.passes += len(decoded)
        return decoded


@dataclass(slots=True)
class Way:
    """A model with the decoder of one way. Nothing is cached, so that every sentence is decoded."""

    name: str
    solver: SentenceSolver
    threshold: float
    counted: _CountedDecoder = field(repr=False)

    @property
    def passes(self) -> int:
        return self.counted.passes

    @property
    def stopped(self) -> int:
        """Passes in which the decoder did not run."""
        return self.counted.stopped

    def correct(self, sentences: Sequence[str]) -> list[str]:
        """The corrected sentences; passes are repeated until a sentence stays as it is, as everywhere."""
        solved = self.solver.solve(sentences, self.threshold)
        return [apply_suggestions(sentence, solved[sentence].suggestions) for sentence in sentences]

    def count_calls(self, sentence: str) -> int:
        """Corrects a sentence and returns the number of decoder calls."""
        before = self.counted.calls
        self.correct([sentence])
        return self.counted.calls - before


def open_ways(names: Sequence[str], model: str, heads: Path | None, *, cached: bool = False) -> dict[str, Way]:
    """All ways with one engine of one thread; the way `plain` is Redraft as it is.

    With `cached`, ways that have only gates share the results of a sentence: for outputs, not for times.
    """
    folder = ModelFolder.open(locate(model))
    tokenizer = Tokenizer.load(folder.tokenizer, folder.config.vocabulary)
    depth = folder.config.encoder_layers
    found = read_heads(heads, folder.config.width, depth) if heads else {}
    engine = NativeEngine(folder, 1)
    cache = ResultCache(found)
    ways = {}
    for name in dict.fromkeys((PLAIN, *names)):
        decoder = DetectingDecoder() if name == PLAIN else read_way(name, found, depth)
        if cached and decoder.spans is None:
            counted = _CountedDecoder(CachedGates(decoder.gates, cache))
        else:
            counted = _CountedDecoder(decode_sources if name == PLAIN else decoder)
        options = SolverOptions(cached_sentences=0)
        solver = SentenceSolver(engine, tokenizer, folder.info, options, counted, folder.known_words)
        ways[name] = Way(name, solver, folder.info.threshold, counted)
    return ways

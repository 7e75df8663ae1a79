"""Time of the work around decoding: sentences, tokens, edits, kinds and places, without the model.

The model decodes every sentence once. Then its outputs are replayed, so that only the other work is timed.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time

from redraft.check.corrector import Corrector
from redraft.check.interpreter import Interpreter
from redraft.check.loading import GPU_BATCH_TOKENS, load
from redraft.check.placing import place_edits
from redraft.check.solver import SentenceSolver, SolverOptions
from redraft.decode.loop import Decode, Decoded, SourceBatch, decode_sources
from redraft.decode.stepper import BeamStepper, Engine
from redraft.errors import RedraftError
from redraft.lab.bench.samples import read_samples
from redraft.lab.bench.uncached import without_cache
from redraft.lab.detection.cached_gates import OutputKey, output_keys
from redraft.tokens.tokenizer import Tokenizer

SENTENCES = 1000
ROUNDS = 5
STEPS = {
    "cut into sentences": Corrector.cut,
    "tokenize": Tokenizer.encode_batch,
    "find unknown words": Interpreter.find_unknown,
    "interpret the output": Interpreter.interpret,
    "combine passes": Interpreter.combine,
    "place edits": place_edits,
    "find unchecked sentences": Corrector.find_unchecked,
}


@dataclass(frozen=True, slots=True)
class TextWork:
    """Time of the text work on some sentences."""

    sentences: int
    bulk: float
    """Milliseconds of processor time a sentence with outputs as bulk decoding gives them, without decoder calls."""
    batches: float
    """The same with decoder calls, from which traces are made."""
    shares: Mapping[str, float]
    """Share of each step in `bulk`, measured with a profiler, which makes small functions seem slower."""


class Recording:
    """What a model wrote for each source."""

    def __init__(self) -> None:
        self._decoded: dict[OutputKey, Decoded] = {}

    def record(self, engine: Engine, batch: SourceBatch) -> list[Decoded]:
        """Decodes a batch."""
        decoded = decode_sources(engine, batch)
        self._decoded.update(zip(output_keys(batch), decoded, strict=True))
        return decoded

    def replay(self, engine: Engine, batch: SourceBatch) -> list[Decoded]:
        """What was decoded for the same sources before."""
        return [self._decoded[key] for key in output_keys(batch)]

    def without_calls(self) -> Recording:
        """The same outputs as bulk decoding gives them."""
        other = Recording()
        other._decoded = {key: replace(one, calls=[]) for key, one in self._decoded.items()}
        return other


@dataclass(slots=True)
class _NoEngine:
    """In place of an engine whose outputs are replayed."""

    max_tokens: int
    name: str = "replay"

    def start(self, sources: Sequence[Sequence[int]]) -> BeamStepper:
        raise NotImplementedError("outputs are replayed")


def run(model: str, sentences: Sequence[str], rounds: int = ROUNDS) -> dict[str, TextWork]:
    """Text work on the sentences that the model changes, on the others, and on all together. The fastest of some
    rounds counts."""
    opened = without_cache(load(model, threads=1))
    recording = Recording()
    results = list(_with_decode(opened, opened.engine, recording.record).pipe(sentences))
    groups = {
        "unchanged": [one.source for one in results if not one.edits],
        "changed": [one.source for one in results if one.edits],
        "all": list(sentences),
    }
    engine = _NoEngine(opened.engine.max_tokens)
    batches = _with_decode(opened, engine, recording.replay)
    bulk = _with_decode(opened, engine, recording.without_calls().replay)
    return {name: _measure(bulk, batches, texts, rounds) for name, texts in groups.items() if texts}


def _measure(bulk: Corrector, batches: Corrector, texts: Sequence[str], rounds: int) -> TextWork:
    shares = find_shares(lambda: _pipe(bulk, texts))
    return TextWork(len(texts), _time(bulk, texts, rounds), _time(batches, texts, rounds), shares)


def find_shares(work: Callable[[], object]) -> dict[str, float]:
    """Share of each step in the time of some work."""
    profile = cProfile.Profile(process_time)
    profile.runcall(work)
    entries = profile.getstats()
    total = sum(entry.inlinetime for entry in entries)
    seconds = {entry.code: entry.totaltime for entry in entries}
    return {step: round(seconds.get(function.__code__, 0.0) / total, 3) for step, function in STEPS.items()}


def _with_decode(corrector: Corrector, engine: Engine, decode: Decode) -> Corrector:
    """A corrector without a cache that decodes with a function."""
    solver = corrector.solver
    options = SolverOptions(solver.options.decode, GPU_BATCH_TOKENS, cached_sentences=0)
    return Corrector(SentenceSolver(engine, solver.tokenizer, solver.info, options, decode, solver.known_words))


def _time(corrector: Corrector, texts: Sequence[str], rounds: int) -> float:
    """Milliseconds of processor time a sentence, in the fastest round."""
    seconds = []
    for _ in range(rounds):
        start = process_time()
        _pipe(corrector, texts)
        seconds.append(process_time() - start)
    return round(min(seconds) / len(texts) * 1000, 4)


def _pipe(corrector: Corrector, texts: Sequence[str]) -> None:
    for _ in corrector.pipe(texts):
        pass


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m redraft.lab.bench.text_work", description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", metavar="FILE", help="M2 file, pairs, or plain lines")
    parser.add_argument("--model", default="en", help="shipped model or model folder (default en)")
    parser.add_argument("--sentences", type=int, default=SENTENCES, help=f"number of sentences (default {SENTENCES})")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"rounds; the fastest counts (default {ROUNDS})")
    arguments = parser.parse_args()
    try:
        sentences = [pair.source for pair in read_samples(arguments.file, arguments.sentences)]
        found = run(arguments.model, sentences, arguments.rounds)
    except RedraftError as error:
        sys.exit(f"redraft: {error}")
    for name, work in found.items():
        sys.stdout.write(f"{name}: {work.sentences:,} sentences, {work.bulk} ms a sentence, ")
        sys.stdout.write(f"{work.batches} with traces; {json.dumps(work.shares)}\n")


if __name__ == "__main__":
    main()

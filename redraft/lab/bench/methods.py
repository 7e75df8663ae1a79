"""Redraft beside other fast ways to correct: error detection (a gate, span correction) and taggers.

`python -m redraft.lab.bench.methods --heads HEADS --way WAY … --tagger FOLDER … --m2 FILE …`

Quality is F0.5 on M2 files and the share of correct sentences that are changed. Time is that of single sentences on one
thread, all ways in turns, on mixtures with different shares of wrong sentences.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from redraft.edits.m2 import M2Sentence
from redraft.errors import InputError
from redraft.lab.bench.detection_ways import PLAIN, open_ways
from redraft.lab.bench.machine import describe
from redraft.lab.bench.samples import spread
from redraft.lab.bench.tagger_way import TaggerWay
from redraft.lab.bench.text_report import print_report
from redraft.lab.bench.timing import Method, processor_ratio, ratio, take_turns
from redraft.lab.data.readers import Faults, read_m2, read_sentences
from redraft.lab.data.tokenization import detokenize
from redraft.lab.evaluate import maxmatch, spans
from redraft.lab.train.module_command import run_command

WRONG_SHARES = (0.05, 0.3, 0.7)
_LINES_READ = 50_000


class Way(Protocol):
    """A way to correct sentences."""

    @property
    def passes(self) -> int:
        """Passes over all sentences so far."""
        ...

    @property
    def stopped(self) -> int:
        """Passes in which a decoder would run but did not."""
        ...

    def correct(self, sentences: Sequence[str]) -> list[str]: ...

    def count_calls(self, sentence: str) -> int:
        """Corrects a sentence and returns the number of decoder calls."""
        ...


@dataclass(frozen=True, slots=True)
class GoldSet:
    name: str
    sentences: Sequence[M2Sentence]

    @property
    def sources(self) -> list[str]:
        return [" ".join(sentence.tokens) for sentence in self.sentences]

    def score(self, outputs: Sequence[str]) -> tuple[float, float, float]:
        """Precision, recall and F0.5 in percent: MaxMatch for CoNLL, spans for the others."""
        score = maxmatch.score if "conll" in self.name else spans.score
        report = score(outputs, self.sentences)
        return 100 * report.precision, 100 * report.recall, 100 * report.f


def read_gold(path: Path, count: int) -> GoldSet:
    """`count` sentences of an M2 file, evenly spaced."""
    sentences = [sentence for sentence in read_m2(path, Faults()) if sentence.tokens]
    if not sentences:
        raise InputError(f"{path}: no sentence in it; use an M2 file")
    return GoldSet(path.name.removesuffix(".m2"), spread(sentences, count))


def read_correct(paths: Sequence[Path], count: int) -> list[str]:
    """`count` sentences of files of clean text, as many of each, evenly spaced over its first lines."""
    share = -(-count // max(1, len(paths)))
    sentences = [
        sentence
        for path in paths
        for sentence in spread(list(islice(read_sentences(path, Faults()), _LINES_READ)), share)
    ]
    return sentences[:count]


def mix(gold: GoldSet, wrong_share: float, count: int) -> list[str]:
    """Sentences with and without edits in this proportion, detokenized, in random order."""
    wrong = [sentence for sentence in gold.sentences if sentence.annotations[min(sentence.annotations)]]
    right = [sentence for sentence in gold.sentences if not sentence.annotations[min(sentence.annotations)]]
    wrong_count = round(wrong_share * count)
    if len(wrong) < wrong_count or len(right) < count - wrong_count:
        raise InputError(f"{gold.name} has too few sentences with or without edits for {count} sentences")
    chosen = [*spread(wrong, wrong_count), *spread(right, count - wrong_count)]
    random.Random(0).shuffle(chosen)
    return [detokenize(" ".join(sentence.tokens)) for sentence in chosen]


def measure_quality(ways: Mapping[str, Way], sets: Sequence[GoldSet], correct: Sequence[str]) -> dict[str, Any]:
    """For each way: scores, correct sentences changed, and sentences of all sets with another output than `plain`."""
    rows: dict[str, Any] = {}
    plain: list[str] = []
    for name, way in ways.items():
        outputs = {gold.name: way.correct(gold.sources) for gold in sets}
        untouched = way.correct(correct)
        everything = [*(line for lines in outputs.values() for line in lines), *untouched]
        plain = everything if name == PLAIN else plain
        scores = {gold.name: gold.score(outputs[gold.name]) for gold in sets}
        rows[name] = {
            **{gold: "{:.1f} / {:.1f} / {:.1f}".format(*figures) for gold, figures in scores.items()},
            "mean_f": round(sum(figures[2] for figures in scores.values()) / max(1, len(scores)), 2),
            "correct_changed": f"{_share(untouched, correct):.2%}",
            "other_output_than_plain": f"{_share(everything, plain):.2%}",
        }
    return rows


def measure_time(ways: Mapping[str, Way], sentences: Sequence[str], repeats: int) -> dict[str, Any]:
    """For each way: time of a sentence, speed relative to `plain`, passes, and those without the decoder."""
    before = {name: (way.stopped, way.passes) for name, way in ways.items()}
    methods: dict[str, Method] = {name: partial(_time_one, way, sentences) for name, way in ways.items()}
    timings = take_turns(methods, [*range(len(sentences))] * repeats)
    rows: dict[str, Any] = {}
    for name, timing in timings.items():
        stopped, passes = before[name]
        passed = ways[name].passes - passes
        figures = timing.to_mapping()
        rows[name] = {
            "mean_ms": round(figures["mean"], 2),
            "p99_ms": round(figures["p99"], 2),
            "mean_processor_ms": round(figures["processor"], 2),
            "times_as_fast": ratio(timings[PLAIN], timing),
            "times_as_fast_by_processor_time": processor_ratio(timings[PLAIN], timing),
            "passes_a_sentence": round(passed / (len(timing.turns) + 1), 2),  # each way warms up on one sentence
            "passes_without_decoder": f"{(ways[name].stopped - stopped) / max(1, passed):.1%}",
        }
    return rows


def _time_one(way: Way, sentences: Sequence[str], number: int) -> int:
    return way.count_calls(sentences[number])


def _share(some: Sequence[str], others: Sequence[str]) -> float:
    return sum(one != other for one, other in zip(some, others, strict=True)) / max(1, len(others))


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    if not (arguments.m2 or arguments.mix or arguments.show):
        raise InputError("nothing to measure on: give M2 files with --m2, one with --mix, or sentences with --show")
    sets = [read_gold(path, arguments.sentences) for path in arguments.m2]
    correct = read_correct(arguments.correct, arguments.correct_sentences) if arguments.correct else []
    report: dict[str, Any] = {"machine": describe("python -m redraft.lab.bench.methods")}
    if sets:
        report["quality"] = measure_quality(_open_ways(arguments, cached=True), sets, correct)
    if arguments.mix:
        gold = read_gold(arguments.mix, sys.maxsize)
        ways = _open_ways(arguments)
        report["time"] = {
            f"{wrong:.0%} wrong": measure_time(ways, mix(gold, wrong, arguments.timed), arguments.repeats)
            for wrong in WRONG_SHARES
        }
    if arguments.show:
        report["answers"] = show_answers(_open_ways(arguments), list(read_sentences(arguments.show, Faults())))
    return report


def _open_ways(arguments: argparse.Namespace, *, cached: bool = False) -> dict[str, Way]:
    ways: dict[str, Way] = {
        **open_ways(arguments.way, arguments.model, arguments.heads, cached=cached),
        **{way.name: way for way in map(TaggerWay, arguments.tagger)},
    }
    return ways


def show_answers(ways: Mapping[str, Way], sentences: Sequence[str]) -> dict[str, Any]:
    """For each sentence what each way makes of it."""
    outputs = {name: way.correct(sentences) for name, way in ways.items()}
    return {
        sentence: {name: lines[number] for name, lines in outputs.items()} for number, sentence in enumerate(sentences)
    }


def main(arguments: Sequence[str] | None = None) -> int:
    return run_command(lambda: _run(_parser().parse_args(arguments)))


def _run(arguments: argparse.Namespace) -> int:
    print_report(measure(arguments), arguments.json)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m redraft.lab.bench.methods", description="Redraft beside other fast ways to correct"
    )
    parser.add_argument("--heads", type=Path, help="folder of heads, written by redraft.lab.detection.train")
    parser.add_argument("--model", default="en", help="installed model or model folder (default: en)")
    parser.add_argument("--way", action="append", default=[], help="way to correct, as gate-4-pooled-0.98; repeatable")
    parser.add_argument(
        "--tagger", type=Path, action="append", default=[], help="folder of a tagger with 8-bit weights; repeatable"
    )
    parser.add_argument(
        "--m2", type=Path, nargs="*", default=[], help="M2 files for F0.5; without them only times are measured"
    )
    parser.add_argument("--correct", type=Path, nargs="*", default=[], help="files of correct sentences")
    parser.add_argument("--mix", type=Path, help="M2 file for times")
    parser.add_argument("--show", type=Path, help="file of sentences; prints what each way makes of them")
    parser.add_argument("--sentences", type=int, default=700, help="sentences of each M2 file (default: 700)")
    parser.add_argument("--correct-sentences", type=int, default=2000, help="correct sentences (default: 2000)")
    parser.add_argument("--timed", type=int, default=200, help="sentences of each mixture (default: 200)")
    parser.add_argument("--repeats", type=int, default=1, help="how often each sentence is timed (default: 1)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())

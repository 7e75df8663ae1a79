"""Latency of single sentences by length and number of edits on several engines, with its lower bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from redraft.check.corrector import Correction, Corrector
from redraft.engines.native.engine import can_run
from redraft.errors import ConfigError
from redraft.lab.bench import lower_bound, startup
from redraft.lab.bench.machine import count_threads
from redraft.lab.bench.timing import Method, Timing, take_turns
from redraft.lab.bench.uncached import load_uncached
from redraft.lab.data.pair import Pair
from redraft.model.catalogue import locate
from redraft.model.folder import GRAPHS, ModelFolder

SENTENCES = 300
LENGTHS = (10, 20, 30, 50)
"""Upper bounds of the groups of sentences by number of tokens; longer sentences are the last group."""
MAX_EDITS = 3
"""Sentences with this many edits or more are one group."""
TYPICAL_TOKENS = 25
TYPICAL_SENTENCES = 8
TYPICAL_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Setup:
    """An engine and a precision, written `native/int8`."""

    engine: str
    precision: str | None = None

    @classmethod
    def parse(cls, text: str) -> Setup:
        engine, _, precision = text.partition("/")
        if precision and precision not in GRAPHS:
            raise ConfigError(f"unknown precision {precision!r}; use native, onnx/int8, onnx/fp32 or torch")
        return cls(engine, precision or None)

    def __str__(self) -> str:
        return f"{self.engine}/{self.precision}" if self.precision else self.engine

    @property
    def weight_precision(self) -> str:
        return self.precision or ("int8" if self.engine == "native" else "fp32")

    def options(self, model: str, threads: int) -> dict[str, Any]:
        """Arguments for `redraft.load`."""
        return {"model": model, "engine": self.engine, "precision": self.precision, "threads": threads}


def find_setups(model: str, names: Sequence[str]) -> list[Setup]:
    """The setups named, or by default the native engine and ONNX Runtime with every precision the model has."""
    if names:
        return [Setup.parse(name) for name in names]
    folder = ModelFolder.open(locate(model), verify=False)
    native = [Setup("native", "int8")] if can_run(folder) else []
    return [*native, *(Setup("onnx", precision) for precision in folder.precisions)]


def run(
    model: str,
    setups: Sequence[Setup],
    pairs: Sequence[Pair],
    threads: int = 0,
    advance: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Times every setup on every sentence. `advance` is called after each sentence."""
    threads = count_threads(threads)
    correctors = {str(setup): load_uncached(**setup.options(model, threads)) for setup in setups}
    results: dict[str, dict[int, Correction]] = {name: {} for name in correctors}

    def correct_with(name: str) -> Method:
        def correct(number: int) -> int:
            results[name][number] = correctors[name].correct(pairs[number].source)
            return results[name][number].trace.calls

        return correct

    timings = take_turns({name: correct_with(name) for name in correctors}, len(pairs), advance)
    tokens = [
        len(ids) for ids in next(iter(correctors.values())).tokenizer.encode_batch([pair.source for pair in pairs])
    ]
    report: dict[str, Any] = {"sentences": len(pairs), "setups": {}}
    for setup in setups:
        name = str(setup)
        corrections = [results[name][number] for number in range(len(pairs))]
        report["setups"][name] = {
            **_summarize(timings[name], tokens, corrections),
            "startup": startup.measure(**setup.options(model, threads)).to_mapping(),
            "typical": _compare_with_bound(correctors[name], setup, corrections, tokens, model, threads),
        }
    return report


def _summarize(timing: Timing, tokens: Sequence[int], corrections: Sequence[Correction]) -> dict[str, Any]:
    edits = [len(correction.edits) for correction in corrections]
    return {
        "all": timing.to_mapping(),
        "by_length": _group(timing, [_length_group(count) for count in tokens], _length_groups()),
        "by_edits": _group(timing, [_edit_group(count) for count in edits], map(_edit_group, range(MAX_EDITS + 1))),
        "points": [list(point) for point in zip(tokens, edits, (round(ms, 3) for ms in timing.clock), strict=True)],
    }


def _group(timing: Timing, groups: Sequence[str], names: Any) -> dict[str, Any]:
    return {
        name: timing.select(number for number, group in enumerate(groups) if group == name).to_mapping()
        for name in names
    }


def _length_groups() -> list[str]:
    starts = (1, *(last + 1 for last in LENGTHS))
    return [*(f"{first} to {last}" for first, last in zip(starts, LENGTHS, strict=False)), f"{starts[-1]} and more"]


def _length_group(tokens: int) -> str:
    return _length_groups()[sum(tokens > last for last in LENGTHS)]


def _edit_group(edits: int) -> str:
    return f"{MAX_EDITS} and more" if edits >= MAX_EDITS else str(edits)


def _compare_with_bound(
    corrector: Corrector,
    setup: Setup,
    corrections: Sequence[Correction],
    tokens: Sequence[int],
    model: str,
    threads: int,
) -> dict[str, Any] | None:
    """The lower bound as a share of the time taken, for unchanged sentences of about 25 tokens."""
    unchanged = [number for number, result in enumerate(corrections) if result.trace.calls == 1 and not result.edits]
    chosen = sorted(unchanged, key=lambda number: abs(tokens[number] - TYPICAL_TOKENS))[:TYPICAL_SENTENCES]
    if not chosen:
        return None
    texts = [corrections[number].source for number in chosen]
    # Each round goes through all sentences, so that no sentence is corrected twice in a row.
    rounds = [number for _ in range(TYPICAL_ROUNDS) for number in range(len(texts))]
    timing = take_turns({"typical": lambda number: corrector.correct(texts[number]).trace.calls}, rounds)["typical"]
    config = ModelFolder.open(locate(model), verify=False).config
    length = round(median(tokens[number] for number in chosen)) + 1  # with <eos> in the source, <bos> in the target
    precision = setup.weight_precision
    work = lower_bound.count_work(config, precision, length, [length])
    bound = lower_bound.LowerBound(work, lower_bound.measure_rates(work.bytes, precision, threads))
    milliseconds, fastest = median(timing.clock), min(timing.clock)
    return {
        "tokens": length - 1,
        "sentences": len(chosen),
        "milliseconds": round(milliseconds, 3),
        "fastest_milliseconds": round(fastest, 3),
        "lower_bound": bound.to_mapping(),
        "bound_share": round(bound.milliseconds / milliseconds, 4),
        "bound_share_of_fastest": round(bound.milliseconds / fastest, 4),
    }

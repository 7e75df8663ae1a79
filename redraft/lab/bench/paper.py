"""The tables of the paper measured on this machine, with Redraft's draft policies beside the paper's rule."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redraft.decode.beam import beam_search
from redraft.decode.loop import Decoded, DecodeOptions, decode_batch
from redraft.decode.stepper import Engine
from redraft.decode.trace import trace_sentence
from redraft.edits.m2 import M2Sentence
from redraft.engines.opening import open_engine
from redraft.lab.bench import published
from redraft.lab.bench.forced_decoding import BEAMS, ForcedDecoding
from redraft.lab.bench.models import write_untrained
from redraft.lab.bench.samples import read_samples, spread
from redraft.lab.bench.teacher_forcing import ReferenceEngine, TokenPair
from redraft.lab.bench.timing import Method, Timing, ratio, take_turns
from redraft.lab.data.readers import Faults, read_m2
from redraft.lab.evaluate import maxmatch
from redraft.model.catalogue import locate
from redraft.model.config import ModelConfig
from redraft.model.folder import ModelFolder, Precision
from redraft.tokens.tokenizer import Tokenizer

SENTENCES = 60
DEPTH_SENTENCES = 20
THREADS = (1, 2)
WIDTH = 512
"""Width of the untrained models; the paper's is 1,024, which takes a laptop minutes."""
_FFN, _HEAD = 4, 64
BEAM, GREEDY = f"beam {BEAMS}", "greedy"
DRAFTS = ("suffix", "realign", "refine")
"""The paper's rule first."""
COMPARED = (DRAFTS[0], DRAFTS[-1])
_BASE_DEPTHS, _SHALLOW, _BART = (6, 6), (9, 3), (12, 2)
_CHINESE_VOCABULARY = 8400
Advance = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """Model, files and sizes of the measurement."""

    model: str
    path: Path | None = None
    chinese: Path | None = None
    sentences: int = SENTENCES
    depth_sentences: int = DEPTH_SENTENCES
    threads: Sequence[int] = THREADS
    precision: Precision = "int8"
    width: int = WIDTH

    @property
    def steps(self) -> int:
        """The number of calls of `advance`."""
        tables = 2 + (self.chinese is not None)
        return 2 * self.sentences + len(published.EXAMPLES) + (tables + len(self.threads) - 1) * self.depth_sentences


def run(plan: Plan, advance: Advance = lambda: None) -> dict[str, Any]:
    """Measures every table. `advance` is called `plan.steps` times."""
    folder = ModelFolder.open(locate(plan.model), verify=False)
    tokenizer = Tokenizer.load(folder.tokenizer)
    engine = open_engine(folder, threads=max(plan.threads), precision=plan.precision)
    samples = read_samples(plan.path, plan.sentences, raw=False)
    sources = [
        ids for ids in tokenizer.encode_batch([sample.source for sample in samples]) if len(ids) < engine.max_tokens
    ]
    forced = ForcedDecoding.from_model(engine, tokenizer, spread(samples, plan.depth_sentences))
    decoding = measure_decoding(engine, tokenizer, sources, advance)
    if plan.path is not None and ".m2" in plan.path.suffixes and len(sources) == len(samples):
        decoding["scores"] = _score(decoding["outputs"], _gold(plan.path, plan.sentences))
    del decoding["outputs"]
    report = {
        "sentences": len(sources),
        "width": plan.width,
        "decoding": decoding,
        "longest_drafts": measure_longest_drafts(engine, tokenizer, sources, advance),
        "examples": list(show_examples(engine, tokenizer, advance)),
        "published": published.speedups(),
    }
    with tempfile.TemporaryDirectory() as place:
        models = _UntrainedModels(Path(place), folder, plan)
        report["depths"] = measure_depths(models, forced, advance)
        report["processors"] = measure_processors(models, forced, advance)
        if plan.chinese is not None:
            report["chinese"] = measure_chinese(models, plan, advance)
    return report


def measure_decoding(
    engine: Engine, tokenizer: Tokenizer, sources: Sequence[Sequence[int]], advance: Advance
) -> dict[str, Any]:
    """The first table and the figure: the trained model with its own output."""
    outputs: dict[str, dict[int, list[int]]] = {name: {} for name in (BEAM, GREEDY, *DRAFTS)}

    def search(number: int) -> int:
        found = beam_search(engine, sources[number], tokenizer, BEAMS)
        outputs[BEAM][number] = found.ids
        return found.calls

    def decode_with(name: str) -> Method:
        options = _options(name)

        def decode(number: int) -> int:
            decoded = decode_batch(engine, [sources[number]], tokenizer, options)[0]
            outputs[name][number] = decoded.ids
            return len(decoded.calls)

        return decode

    methods = {BEAM: search, **{name: decode_with(name) for name in (GREEDY, *DRAFTS)}}
    timings = take_turns(methods, len(sources), advance)
    return {
        "methods": {name: _with_speedup(timing, timings[BEAM]) for name, timing in timings.items()},
        "unlike_greedy": {name: _count_differences(outputs[name], outputs[GREEDY]) for name in DRAFTS},
        "points": [
            [_edit_ratio(source, outputs[GREEDY][number]), *_speedups(timings, number)]
            for number, source in enumerate(sources)
        ],
        "outputs": {
            name: [tokenizer.decode(found[number]) for number in sorted(found)] for name, found in outputs.items()
        },
    }


def _options(name: str, longest: int | None = None) -> DecodeOptions:
    """The paper's L_max counts the model's own token after the draft; `max_draft` does not."""
    policy = "none" if name == GREEDY else name
    return DecodeOptions(policy=policy, max_draft=None if longest is None else longest - 1)


def _with_speedup(timing: Timing, base: Timing) -> dict[str, Any]:
    return {**timing.to_mapping(), "speedup": ratio(base, timing)}


def _count_differences(outputs: Mapping[int, list[int]], greedy: Mapping[int, list[int]]) -> int:
    return sum(outputs[number] != greedy[number] for number in greedy)


def _speedups(timings: Mapping[str, Timing], number: int) -> list[float]:
    greedy = timings[GREEDY].clock[number]
    return [round(greedy / timings[name].clock[number], 3) for name in COMPARED]


def _edit_ratio(source: Sequence[int], target: Sequence[int]) -> float:
    """Edit distance in tokens divided by the length of the source, as in the paper's figure."""
    row = list(range(len(target) + 1))
    for index, old in enumerate(source, start=1):
        before, row[0] = row[0], index
        for place, new in enumerate(target, start=1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (old != new))
    return round(row[-1] / max(1, len(source)), 4)


def _gold(path: Path, sentences: int) -> list[M2Sentence]:
    return spread([sentence for sentence in read_m2(path, Faults()) if sentence.tokens], sentences)


def _score(outputs: Mapping[str, Sequence[str]], gold: Sequence[M2Sentence]) -> dict[str, Any]:
    scores = {}
    for name, lines in outputs.items():
        report = maxmatch.score(lines, gold)
        scores[name] = {"precision": report.precision, "recall": report.recall, "f": report.f}
    return scores


def measure_longest_drafts(
    engine: Engine, tokenizer: Tokenizer, sources: Sequence[Sequence[int]], advance: Advance
) -> dict[str, Any]:
    """The table of L_max, the longest draft."""

    def decode_with(options: DecodeOptions) -> Method:
        return lambda number: len(decode_batch(engine, [sources[number]], tokenizer, options)[0].calls)

    rows = {
        f"{name} {longest or 'unlimited'}": decode_with(_options(name, longest))
        for longest in published.LONGEST_DRAFTS
        for name in COMPARED
    }
    timings = take_turns(rows, len(sources), advance)
    return {name: _with_speedup(timing, timings[f"{COMPARED[0]} 1"]) for name, timing in timings.items()}


def show_examples(engine: Engine, tokenizer: Tokenizer, advance: Advance) -> Iterator[dict[str, Any]]:
    """The table of examples, with the paper's output, which needs no model, and with the output of this model."""
    for number, example in enumerate(published.EXAMPLES, start=1):
        advance()
        pair = TokenPair(tokenizer.encode(example.source), tokenizer.encode(example.output))
        if max(len(pair.source), len(pair.reference)) >= engine.max_tokens:
            continue
        forced = {
            name: decode_batch(ReferenceEngine(pair, tokenizer), [pair.source], tokenizer, _options(name))[0]
            for name in (GREEDY, *DRAFTS)
        }
        own = {name: decode_batch(engine, [pair.source], tokenizer, _options(name))[0] for name in (GREEDY, *DRAFTS)}
        yield {
            "number": number,
            "source": example.source,
            "edit_ratio": _edit_ratio(pair.source, pair.reference),
            "published": {"blocks": example.blocks, "speedup": example.speedup},
            "calls_for_paper_output": {name: len(decoded.calls) for name, decoded in forced.items()},
            "calls_for_own_output": {name: len(decoded.calls) for name, decoded in own.items()},
            "blocks": {name: _blocks(example.source, own[name], tokenizer) for name in COMPARED},
        }


def _blocks(source: str, decoded: Decoded, tokenizer: Tokenizer) -> list[dict[str, Any]]:
    trace = trace_sentence(source, "", "", decoded, tokenizer.decode)
    return [{"text": block.text, "parallel": block.parallel} for block in trace.blocks]


class _UntrainedModels:
    """Untrained models by depths and vocabulary, each written once."""

    def __init__(self, place: Path, trained: ModelFolder, plan: Plan) -> None:
        self._place, self._trained, self.plan = place, trained, plan
        self._written: dict[tuple[int, ...], ModelFolder] = {}

    def write(self, depths: tuple[int, int], vocabulary: int | None = None) -> ModelFolder:
        width = self.plan.width
        shape = self._trained.config
        config = ModelConfig(
            vocabulary=vocabulary or shape.vocabulary,
            width=width,
            ffn=_FFN * width,
            heads=max(1, width // _HEAD),
            encoder_layers=depths[0],
            decoder_layers=depths[1],
            max_tokens=shape.max_tokens,
        )
        key = (*depths, config.vocabulary)
        if key not in self._written:
            path = self._place / "-".join(map(str, key))
            self._written[key] = write_untrained(path, config, self._trained.tokenizer)
        return self._written[key]

    def open(self, depths: tuple[int, int], threads: int, vocabulary: int | None = None) -> Engine:
        return open_engine(self.write(depths, vocabulary), threads=threads, precision=self.plan.precision)


def measure_depths(models: _UntrainedModels, forced: ForcedDecoding, advance: Advance) -> dict[str, Any]:
    """The table of encoder and decoder depths."""
    methods: dict[str, Method] = {}
    for depths in published.DEPTHS:
        engine = models.open(depths, max(models.plan.threads))
        for name in (GREEDY, *COMPARED):
            methods[f"{published.name_depths(depths)} {name}"] = forced.decoding_method(engine, _options(name))
    timings = take_turns(methods, len(forced.pairs), advance)
    base = timings[f"{published.name_depths(_BASE_DEPTHS)} {GREEDY}"]
    return {name: _with_speedup(timing, base) for name, timing in timings.items()}


def measure_processors(models: _UntrainedModels, forced: ForcedDecoding, advance: Advance) -> dict[str, Any]:
    """The table of speedups on a CPU by threads, and 12+2 of the final table with the same baseline."""
    report = {}
    for threads in models.plan.threads:
        methods = {}
        for depths in (_BASE_DEPTHS, _SHALLOW, _BART):
            engine = models.open(depths, threads)
            methods[f"{published.name_depths(depths)} {BEAM}"] = forced.beam_search_method(engine)
            for name in (GREEDY, *COMPARED):
                methods[f"{published.name_depths(depths)} {name}"] = forced.decoding_method(engine, _options(name))
        timings = take_turns(methods, len(forced.pairs), advance)
        base = timings[f"{published.name_depths(_BASE_DEPTHS)} {BEAM}"]
        report[str(threads)] = {name: _with_speedup(timing, base) for name, timing in timings.items()}
    return report


def measure_chinese(models: _UntrainedModels, plan: Plan, advance: Advance) -> dict[str, Any]:
    """The Chinese rows of the final table: characters are tokens, and the references are forced."""
    samples = read_samples(plan.chinese, plan.depth_sentences, raw=False)
    texts = [side for sample in samples for side in (sample.source, sample.target)]
    tokenizer = Tokenizer.train_characters(texts, _CHINESE_VOCABULARY)
    engines = {
        depths: models.open(depths, max(plan.threads), _CHINESE_VOCABULARY) for depths in (_BASE_DEPTHS, _SHALLOW)
    }
    forced = ForcedDecoding.from_references(tokenizer, samples, engines[_SHALLOW].max_tokens)
    methods = {f"{published.name_depths(_BASE_DEPTHS)} {BEAM}": forced.beam_search_method(engines[_BASE_DEPTHS])}
    for name in (GREEDY, *COMPARED):
        methods[f"{published.name_depths(_SHALLOW)} {name}"] = forced.decoding_method(engines[_SHALLOW], _options(name))
    timings = take_turns(methods, len(forced.pairs), advance)
    base = timings[f"{published.name_depths(_BASE_DEPTHS)} {BEAM}"]
    return {name: _with_speedup(timing, base) for name, timing in timings.items()}

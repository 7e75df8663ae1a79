"""Throughput of Redraft beside CTranslate2 and Hugging Face transformers on many sentences, in one run.

The other libraries run the same network with other positions (see `peers`). They get tokens, sorted by length and in
the batches that are fastest for them, and write as many tokens as the longest source of a batch has. Redraft corrects
texts, from the text to its edits, and reads corrected sentences again. So the others are measured twice: on the
sentences, and on all texts that Redraft decodes.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from redraft.check.corrector import Corrector
from redraft.engines.native.engine import NativeEngine
from redraft.engines.native.library import floats
from redraft.lab.bench.lower_bound import LowerBound, Rates, Work, count_work, measure_rates, time_fastest
from redraft.lab.bench.machine import count_threads, resident_megabytes
from redraft.lab.bench.models import write_sinusoidal
from redraft.lab.bench.peers import load_pegasus, read_weights, token_name, write_ctranslate
from redraft.lab.bench.uncached import load_uncached
from redraft.model.catalogue import locate
from redraft.model.config import ModelConfig
from redraft.model.folder import ModelFolder

SENTENCES = 256
ROUNDS = 3
BATCH_SIZES = (16, 32, 64)
"""Sentences in a batch of the other libraries; the fastest is chosen on a quarter of the sentences."""
_SLOW_SHARE = 4
"""Transformers gets every fourth sentence: it takes many times as long."""
_ROWS = 128
"""Rows of the products whose rate is measured."""
Tokens = Sequence[Sequence[int]]
Timed = Callable[[], None]


@dataclass(slots=True)
class Measured:
    """A way to get through the sentences, and its seconds by the clock and on the processor in each round."""

    work: Timed
    sentences: int
    floor: float
    """The least time that the hardware allows for the same work, in seconds."""
    clock: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def measure(self) -> None:
        clock, processor = time.perf_counter(), time.process_time()
        self.work()
        self.clock.append(time.perf_counter() - clock)
        self.processor.append(time.process_time() - processor)

    def to_mapping(self, tokens_a_sentence: float) -> dict[str, float]:
        """The fastest round counts: other programs can only slow it down."""
        rate = self.sentences / min(self.clock)
        return {
            "sentences_per_second": round(rate, 1),
            "tokens_per_second": round(rate * tokens_a_sentence),
            "sentences_per_processor_second": round(self.sentences / min(self.processor), 1),
            "share_of_lower_bound": round(self.floor / min(self.clock), 3),
        }


def run(
    model: str, sentences: Sequence[str], threads: int = 0, advance: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Times every method in every round, with one thread and with `threads`. `advance` is called after each."""
    counts = sorted({1, count_threads(threads)})
    folder = ModelFolder.open(locate(model), verify=False)
    correctors = {count: load_uncached(model=model, threads=count) for count in counts}
    passes, verified = _find_passes(correctors[counts[-1]], sentences)
    encode = correctors[1].tokenizer.encode_batch
    once, often = encode(list(sentences)), encode(passes)
    rates = {count: _measure_rates(folder, correctors[count], count) for count in counts}
    floors = {count: _floor(folder.config, rates[count], often, verified) for count in counts}
    methods = {name: one for count in counts for name, one in _redraft(correctors, sentences, count, floors).items()}
    for one in methods.values():
        one.work()
    megabytes = resident_megabytes()
    chosen: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as place:
        sinusoidal = write_sinusoidal(folder, Path(place) / "model")
        weights = read_weights(sinusoidal)
        write_ctranslate(sinusoidal, weights, Path(place) / "ctranslate2")
        for count in counts:
            translate, setting = _best_ctranslate2(Path(place) / "ctranslate2", once, folder.eos, count)
            chosen[f"ctranslate2, {_threads(count)}"] = setting
            for label, texts in (("sentences", once), ("all texts", often)):
                floor = _floor(folder.config, rates[count], texts, sum(map(len, texts)))
                work = _bind(translate, texts)
                methods[f"ctranslate2 int8 greedy, {label}, {_threads(count)}"] = Measured(work, len(sentences), floor)
        some = once[::_SLOW_SHARE]
        floor = _floor(folder.config, rates[counts[-1]], some, sum(map(len, some)))
        generate = _transformers(load_pegasus(sinusoidal, weights, counts[-1]), folder.eos, BATCH_SIZES[1])
        name = f"transformers fp32 greedy, sentences, {_threads(counts[-1])}"
        methods[name] = Measured(_bind(generate, some), len(some), floor)
        for _ in range(ROUNDS):
            for one in methods.values():
                one.measure()
                advance()
    tokens = sum(map(len, once)) / len(sentences)
    figures = {name: one.to_mapping(tokens) for name, one in methods.items()}
    return {
        "sentences": len(sentences),
        "tokens": sum(map(len, once)),
        "texts_decoded": len(passes),
        "megabytes": megabytes,
        "fastest_settings": chosen,
        "methods": figures,
        "ratios": _ratios(figures, counts),
    }


def count_steps(threads: int) -> int:
    """How often `run` calls `advance`."""
    return ROUNDS * (4 * len({1, count_threads(threads)}) + 1)


def _threads(count: int) -> str:
    return f"{count} thread{'s' * (count > 1)}"


def _bind(work: Callable[[Tokens], None], texts: Tokens) -> Timed:
    return lambda: work(texts)


def _find_passes(corrector: Corrector, sentences: Sequence[str]) -> tuple[list[str], int]:
    """All texts that are decoded for the sentences, and the number of tokens that the decoder verifies."""
    traces = [trace for result in corrector.pipe(sentences) for trace in result.trace.sentences]
    passes = [one for trace in traces for one in trace.passes]
    return [one.source for one in passes], sum(one.verified for one in passes)


def _measure_rates(folder: ModelFolder, corrector: Corrector, threads: int) -> Rates:
    """The highest rates: those of ONNX Runtime or, for products, of the native engine if that is faster."""
    rates = measure_rates(count_work(folder.config, "int8", 1, [1]).bytes, "int8", threads)
    own = _product_rate(corrector.engine) if isinstance(corrector.engine, NativeEngine) else 0.0
    return Rates(rates.bytes_per_second, max(rates.operations_per_second, own))


def _product_rate(engine: NativeEngine) -> float:
    """Operations a second in products with the output matrix."""
    hidden = np.random.default_rng(1).standard_normal((_ROWS, engine.config.width), dtype=np.float32)
    logits = np.empty((_ROWS, engine.config.vocabulary), dtype=np.float32)
    seconds = time_fastest(lambda: engine.call("logits", floats(hidden), _ROWS, floats(logits)))
    return 2 * _ROWS * engine.config.width * engine.config.vocabulary / seconds


def _floor(config: ModelConfig, rates: Rates, texts: Tokens, verified: int) -> float:
    """Seconds to multiply all tokens by all weights, which are read once."""
    work: Work = count_work(config, "int8", sum(len(text) + 1 for text in texts), [verified])
    return LowerBound(work, rates).milliseconds / 1000


def _redraft(
    correctors: Mapping[int, Corrector], sentences: Sequence[str], count: int, floors: Mapping[int, float]
) -> dict[str, Measured]:
    corrector = correctors[count]

    def one_at_a_time() -> None:
        for sentence in sentences:
            corrector.correct(sentence)

    def together() -> None:
        for _ in corrector.pipe(sentences):
            pass

    return {
        f"redraft, one sentence at a time, {_threads(count)}": Measured(one_at_a_time, len(sentences), floors[count]),
        f"redraft pipe, {_threads(count)}": Measured(together, len(sentences), floors[count]),
    }


def _batches(texts: Tokens, size: int) -> list[list[Sequence[int]]]:
    ordered = sorted(texts, key=len, reverse=True)
    return [ordered[start : start + size] for start in range(0, len(ordered), size)]


def _best_ctranslate2(path: Path, texts: Tokens, eos: int, threads: int) -> tuple[Callable[[Tokens], None], str]:
    """CTranslate2 with the fastest of several settings: workers of one thread or one of all, and sizes of batches."""
    import ctranslate2

    def translate(translator: Any, size: int) -> Callable[[Tokens], None]:
        def work(texts: Tokens) -> None:
            waiting: list[Any] = []
            for batch in _batches(texts, size):
                sources = [[token_name(index) for index in (*source, eos)] for source in batch]
                length = max(1, *map(len, batch))
                waiting += translator.translate_batch(
                    sources,
                    beam_size=1,
                    min_decoding_length=length,
                    max_decoding_length=length,
                    asynchronous=True,
                )
            for one in waiting:
                one.result()

        return work

    found: list[tuple[float, str, Callable[[Tokens], None]]] = []
    for workers, each in sorted({(threads, 1), (1, threads)}):
        translator = ctranslate2.Translator(
            str(path), device="cpu", compute_type="int8", inter_threads=workers, intra_threads=each
        )
        for size in BATCH_SIZES:
            work = translate(translator, size)
            start = time.perf_counter()
            work(texts[::4])
            setting = f"{workers} worker{'s' * (workers > 1)} of {_threads(each)}, batches of {size}"
            found.append((time.perf_counter() - start, setting, work))
    _, setting, work = min(found, key=lambda one: one[0])
    return work, setting


def _transformers(network: Any, eos: int, size: int) -> Callable[[Tokens], None]:
    import torch

    @torch.inference_mode()
    def work(texts: Tokens) -> None:
        for batch in _batches(texts, size):
            length = max(1, *map(len, batch))
            ids = torch.zeros(len(batch), length + 1, dtype=torch.long)
            mask = torch.zeros_like(ids)
            for row, source in enumerate(batch):
                ids[row, : len(source) + 1] = torch.tensor([*source, eos])
                mask[row, : len(source) + 1] = 1
            network.generate(
                ids,
                attention_mask=mask,
                num_beams=1,
                do_sample=False,
                min_new_tokens=length,
                max_new_tokens=length,
            )

    return work


def _ratios(figures: Mapping[str, Mapping[str, float]], counts: Sequence[int]) -> dict[str, dict[str, float]]:
    """Quotients of sentences a second, by the clock and by processor time, which other programs disturb less."""
    most = _threads(counts[-1])
    pairs = {
        "pipe / one sentence at a time": (f"redraft pipe, {most}", f"redraft, one sentence at a time, {most}"),
        "pipe / ctranslate2, sentences": (f"redraft pipe, {most}", f"ctranslate2 int8 greedy, sentences, {most}"),
        "pipe / ctranslate2, all texts": (f"redraft pipe, {most}", f"ctranslate2 int8 greedy, all texts, {most}"),
        "pipe / transformers": (f"redraft pipe, {most}", f"transformers fp32 greedy, sentences, {most}"),
        f"pipe with {most} / with 1 thread": (f"redraft pipe, {most}", "redraft pipe, 1 thread"),
    }
    measures = {"clock": "sentences_per_second", "processor": "sentences_per_processor_second"}
    return {
        name: {label: round(figures[one][key] / figures[other][key], 2) for label, key in measures.items()}
        for name, (one, other) in pairs.items()
    }

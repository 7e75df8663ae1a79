"""Throughput and exactness of decoding many sentences on a GPU: `python -m redraft.lab.bench.gpu_throughput FILE`.

Compares bulk decoding (`redraft.engines.cuda.bulk`) with `decode_batch` on the engines torch and cuda, with a network
of the same shape in Hugging Face transformers, and with the floor: one pass of encoder and decoder over the same text.
These are timed from token ids to token ids, labelling and `Corrector.pipe` from text on. Differences are counted from
one-at-a-time decoding.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from redraft.check.corrector import Correction
from redraft.check.loading import GPU_BATCH_TOKENS
from redraft.chunks import chunks
from redraft.decode.loop import Decoded, DecodeOptions, decode_batch
from redraft.decode.stepper import Engine
from redraft.errors import InputError, RedraftError
from redraft.lab.bench.gpu_setting import Setting, describe_speed, forget_memory, time_best, time_launch
from redraft.lab.bench.hugging_face import generate_in_batches
from redraft.lab.bench.machine import describe as describe_machine
from redraft.lab.data.readers import Faults, read_sources
from redraft.model.catalogue import locate
from redraft.model.folder import ModelFolder
from redraft.text.span import Span
from redraft.tokens.tokenizer import Tokenizer

SIZES = ((512, 4096, 4096), (1024, 8192, 8192), (2048, 16384, 16384), (4096, 32768, 16384))
"""Rows, tokens of a decoder call and tokens of an encoder call; the first are those of the engine cuda for texts."""
TINY_SIZES = ((8, 256, 256),)
BATCHES = (128, 512)
_READ = 4096
"""Sentences given to a bulk decoder at a time."""
Part = Callable[[], dict[str, Any]]


def measure_bulk(setting: Setting, sizes: tuple[int, int, int], sampling: bool = False) -> dict[str, Any]:
    """Bulk decoding from arrays of ids to arrays of ids, and where its time goes."""
    from redraft.engines.cuda.bulk.sentences import SourceSentences

    forget_memory(setting)
    decoder = setting.open_bulk(sizes, sampling=sampling)
    sources = setting.repeat(setting.sentences)
    batches = [
        SourceSentences.build(part, setting.tokenizer.eos, first * _READ)
        for first, part in enumerate(chunks(sources, _READ))
    ]

    def run() -> None:
        done = sum(len(part) for part in decoder.stream(batches))
        if done != len(sources):
            raise RedraftError(f"{done} of {len(sources)} sentences were decoded")

    for _ in decoder.stream(batches[:1]):  # compiles kernels and captures graphs
        pass
    before = decoder.rounds, decoder.groups
    seconds = time_best(setting, run, 1)
    rounds, groups = decoder.rounds - before[0], decoder.groups - before[1]
    seconds = min(seconds, time_best(setting, run, 1))
    encoder = time_launch(setting, decoder._launch_encoder)
    one_round = time_launch(setting, decoder._launch_round)
    return {
        **describe_speed(setting, sources, seconds),
        "rounds": rounds,
        "encoder_calls": groups,
        "encoder_ms": round(1000 * encoder, 3),
        "round_ms": round(1000 * one_round, 3),
        "device_share": round((encoder * groups + one_round * rounds) / seconds, 3),
    }


def measure_labelling(setting: Setting, sizes: tuple[int, int, int]) -> dict[str, Any]:
    """From text to lines of source and correction, as `redraft distill` does it, with the text in other processes."""
    from redraft.lab.data.synthesis import BATCH, cut_into_batches
    from redraft.lab.train.bulk_teacher import BulkTeacher

    forget_memory(setting)
    teacher = BulkTeacher(setting.open_bulk(sizes), setting.folder.tokenizer)

    def run(count: int) -> int:
        batches = cut_into_batches(setting.repeat_texts(count))
        return sum(labelled.lines.count(b"\n") for labelled in teacher.label_batches(batches))

    run(min(BATCH, setting.sentences))
    written = 0

    def run_all() -> None:
        nonlocal written
        written = run(setting.sentences)

    seconds = time_best(setting, run_all, 1)
    found = describe_speed(setting, setting.repeat(setting.sentences), seconds)
    return found | {"written": written, "workers": teacher.workers}


def measure_pipe(setting: Setting) -> dict[str, Any]:
    """`Corrector.pipe`, from text to edits, in one process."""
    forget_memory(setting)
    corrector = setting.open_corrector()
    texts = setting.repeat_texts(setting.sentences)
    for _ in corrector.pipe(texts[:_READ]):  # compiles kernels and captures graphs
        pass
    changed = 0

    def run() -> None:
        nonlocal changed
        changed = sum(bool(correction.edits) for correction in corrector.pipe(texts))

    seconds = time_best(setting, run, 1)
    found = describe_speed(setting, setting.repeat(setting.sentences), seconds)
    return found | {"changed": changed, "in_bulk": corrector.in_bulk().solves_in_bulk}


def measure_floor(setting: Setting, sizes: tuple[int, int, int]) -> dict[str, Any]:
    """One pass of encoder and decoder over the text, packed like in bulk decoding, and nothing else."""
    import torch

    from redraft.engines.cuda.bulk.decoder import Launch
    from redraft.engines.cuda.bulk.packed_network import PackedNetwork
    from redraft.engines.cuda.bulk.packing import Packing
    from redraft.engines.cuda.bulk.rounds import PackedFeed

    forget_memory(setting)
    decoder = setting.open_bulk(sizes)
    network = decoder._network
    assert isinstance(network, PackedNetwork)
    places = min(sizes[1:])
    sources = setting.repeat(setting.sentences)
    group: list[Sequence[int]] = []
    used = 0
    for source in sources:
        if used + len(source) + 1 > places or len(group) == sizes[0]:
            break
        group.append(source)
        used += len(source) + 1
    ids = torch.zeros(places, dtype=torch.int64)
    ids[:used] = torch.tensor([token for source in group for token in (*source, setting.tokenizer.eos)])
    counts = torch.zeros(sizes[0], dtype=torch.int64)
    counts[: len(group)] = torch.tensor([len(source) + 1 for source in group])
    ids, counts = ids.to(setting.device), counts.to(setting.device)
    rows, starts = torch.arange(sizes[0], device=setting.device), torch.zeros_like(counts)
    out = torch.zeros(2, places, dtype=torch.int32, device=setting.device)

    def compute() -> None:
        packing = Packing.build(counts, places)
        network.encode_packed(packing, ids, rows)
        network.predict_packed(
            PackedFeed(packing, ids, packing.index, starts, starts[packing.sentence.clamp(max=sizes[0] - 1)]),
            counts,
            out,
        )

    with torch.inference_mode():
        graph = setting.device.type == "cuda"
        launch = Launch(compute, setting.device, graph, torch.cuda.graph_pool_handle() if graph else None)
        launch()
        seconds = time_launch(setting, launch)
    return describe_speed(setting, group, seconds) | {"pass_ms": round(1000 * seconds, 3)}


def measure_loop(setting: Setting, engine: Engine, batch: int) -> dict[str, Any]:
    """`decode_batch` in batches of similar length."""
    forget_memory(setting)
    sources = sorted(setting.repeat(setting.slow_sentences), key=len)
    options = DecodeOptions(threshold=setting.threshold)

    def run() -> None:
        for part in chunks(sources, batch):
            decode_batch(engine, part, setting.tokenizer, options)

    run()
    return describe_speed(setting, sources, time_best(setting, run, 1))


def measure_peer(setting: Setting, batch: int) -> dict[str, Any]:
    forget_memory(setting)
    sources = sorted(setting.repeat(setting.slow_sentences), key=len)
    config, eos = setting.folder.config, setting.tokenizer.eos
    run = generate_in_batches(config, eos, batch, str(setting.device), setting.dtype)
    run(sources[:batch])
    return describe_speed(setting, sources, time_best(setting, lambda: run(sources), 1))


def count_bulk_differences(setting: Setting, sizes: tuple[int, int, int]) -> dict[str, Any]:
    """Sentences whose output in bulk depends on the sentences beside them."""
    forget_memory(setting)
    decoder = setting.open_bulk(sizes)
    together = decoder.decode(setting.sources)
    alone = [decoder.decode([source])[0] for source in setting.sources]
    report = _compare(
        together,
        {"bulk, one at a time": alone, "bulk, in reverse order": decoder.decode(setting.sources[::-1])[::-1]},
    )
    report["numbers unlike bulk one at a time"] = sum(
        (one.log_probabilities, one.confidences) != (other.log_probabilities, other.confidences)
        for one, other in zip(together, alone, strict=True)
    )
    return report


def count_engine_differences(setting: Setting, sizes: tuple[int, int, int]) -> dict[str, Any]:
    """Sentences whose output in bulk is unlike that of single precision and of the engine cuda."""
    import torch

    from redraft.engines.cuda.engine import CudaEngine
    from redraft.engines.torch import TorchEngine

    forget_memory(setting)
    options = DecodeOptions(threshold=setting.threshold)
    graphs: Engine = CudaEngine(setting.model, setting.tokenizer.eos)
    greedy = replace(options, policy="none")
    single = TorchEngine.load(setting.folder, str(setting.device), torch.float32).model
    return _compare(
        setting.open_bulk(sizes).decode(setting.sources),
        {
            "bulk in single precision": setting.open_bulk(sizes, single).decode(setting.sources),
            "decode_batch on cuda, one at a time": [
                decode_batch(graphs, [source], setting.tokenizer, options)[0] for source in setting.sources
            ],
            "greedy on cuda, one at a time": [
                decode_batch(graphs, [source], setting.tokenizer, greedy)[0] for source in setting.sources
            ],
        },
    )


def count_pipe_differences(setting: Setting) -> dict[str, Any]:
    """Texts to which `pipe` gives other edits than the same texts get one at a time."""
    forget_memory(setting)
    corrector = setting.open_corrector()
    together = corrector.pipe(setting.texts)
    alone = map(corrector.correct, setting.texts)
    differ = sum(_changes(one) != _changes(other) for one, other in zip(together, alone, strict=True))
    return {"sentences": len(setting.texts), "correct, one at a time": differ}


def _changes(correction: Correction) -> list[tuple[Span, str]]:
    return [(edit.span, edit.replacement) for edit in correction.edits]


def _compare(bulk: Sequence[Decoded], others: dict[str, Sequence[Decoded]]) -> dict[str, Any]:
    report: dict[str, Any] = {"sentences": len(bulk)}
    for name, decoded in others.items():
        pairs = zip(bulk, decoded, strict=True)
        report[name] = sum((one.ids, one.finished) != (other.ids, other.finished) for one, other in pairs)
    return report


def list_parts(setting: Setting, peers: bool) -> Iterator[tuple[str, Part]]:
    from redraft.engines.cuda.engine import CudaEngine
    from redraft.engines.torch import TorchEngine

    for sizes in setting.sizes:
        yield f"floor {sizes}", lambda sizes=sizes: measure_floor(setting, sizes)  # type: ignore[misc]
        yield f"bulk {sizes}", lambda sizes=sizes: measure_bulk(setting, sizes)  # type: ignore[misc]
    middle = setting.sizes[len(setting.sizes) // 2]
    yield "bulk, sampling", lambda: measure_bulk(setting, middle, sampling=True)
    yield "labelling, from text to text", lambda: measure_labelling(setting, middle)
    yield "pipe, from text to edits", lambda: measure_pipe(setting)
    engines: list[Engine] = [TorchEngine(setting.model, setting.tokenizer.eos)]
    engines.append(CudaEngine(setting.model, setting.tokenizer.eos))
    for engine in engines:
        for batch in BATCHES:
            name = f"decode_batch {engine.name}, {batch} in a batch"
            yield name, lambda engine=engine, batch=batch: measure_loop(setting, engine, batch)  # type: ignore[misc]
    for batch in BATCHES if peers else ():
        yield f"HF greedy, {batch} in a batch", lambda batch=batch: measure_peer(setting, batch)  # type: ignore[misc]
    yield "differences within bulk", lambda: count_bulk_differences(setting, middle)
    yield "differences from other engines", lambda: count_engine_differences(setting, middle)
    yield "differences of pipe", lambda: count_pipe_differences(setting)


def choose_parts(parts: Iterable[tuple[str, Part]], chosen: Sequence[str]) -> list[tuple[str, Part]]:
    """The parts with one of the chosen texts in their name."""
    listed = list(parts)
    for text in chosen:
        if not any(text in name for name, _ in listed):
            raise InputError(
                f"no part has {text!r} in its name; the parts are: {'; '.join(name for name, _ in listed)}"
            )
    return [(name, part) for name, part in listed if any(text in name for text in chosen)]


def open_setting(arguments: argparse.Namespace) -> Setting:
    import torch

    from redraft.engines.torch import TorchEngine
    from redraft.lab.train.process_group import default_device

    device = default_device()
    if device == "cpu" and not arguments.tiny:
        raise RedraftError("torch finds no GPU; use --tiny to try the benchmark on the CPU")
    folder = ModelFolder.open(locate(arguments.model))
    tokenizer = Tokenizer.load(folder.tokenizer)
    read = list(read_sources([arguments.file], Faults()))[: 6 if arguments.tiny else None]
    fitting = [
        (text, source)
        for text, source in zip(read, tokenizer.encode_batch(read), strict=True)
        if 0 < len(source) < folder.config.max_tokens
    ]
    if not fitting:
        raise InputError(f"{arguments.file}: no sentence in it is of a length that the model takes; use another file")
    dtype = getattr(torch, arguments.dtype if device == "cuda" else "float32")
    return Setting(
        folder,
        tokenizer,
        TorchEngine.load(folder, device, dtype).model,
        [text for text, _ in fitting],
        [source for _, source in fitting],
        sentences=8 if arguments.tiny else arguments.sentences,
        slow_sentences=4 if arguments.tiny else arguments.slow_sentences,
        threshold=folder.info.threshold if arguments.threshold is None else arguments.threshold,
        sizes=TINY_SIZES if arguments.tiny else SIZES,
        batch_tokens=1 if arguments.tiny else GPU_BATCH_TOKENS,
    )


def measure(arguments: argparse.Namespace, write: Callable[[str], object]) -> dict[str, Any]:
    import torch

    setting = open_setting(arguments)
    machine = describe_machine(f"python -m redraft.lab.bench.gpu_throughput {arguments.file.name}", "triton")
    if setting.device.type == "cuda":
        machine["processor"] = torch.cuda.get_device_name()
    figures: dict[str, Any] = {
        "dtype": str(setting.dtype).removeprefix("torch."),
        "threshold": setting.threshold,
        "file_sentences": len(setting.sources),
        "parts": {},
    }
    report = {"machine": machine, "figures": figures}
    write(f"{machine['processor']}, {figures['dtype']}, threshold {setting.threshold}\n")
    for name, part in choose_parts(list_parts(setting, arguments.peers), arguments.part or ("",)):
        begun = time.perf_counter()
        try:
            found = part()
        except Exception:  # the other parts are measured even if one fails
            found = {"error": traceback.format_exc(limit=-6)}
        found["seconds"] = round(time.perf_counter() - begun, 1)
        figures["parts"][name] = found
        write(f"{name}: {found['error'] if 'error' in found else json.dumps(found)}\n")
        if arguments.json:
            arguments.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    add_shares(figures["parts"])
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print_table(figures["parts"], write)
    return report


def add_shares(parts: dict[str, dict[str, Any]]) -> None:
    """Adds to each speed its share of the highest floor."""
    speed = "source_tokens_per_second"
    floor = max(
        (found[speed] for name, found in parts.items() if name.startswith("floor") and speed in found), default=0
    )
    for found in parts.values():
        if speed in found and floor:
            found["share_of_floor"] = round(found[speed] / floor, 4)


def print_table(parts: dict[str, dict[str, Any]], write: Callable[[str], object]) -> None:
    write(f"\n{'':<44}{'sentences/s':>13}{'tokens/s':>13}{'of floor':>10}{'MB':>9}\n")
    for name, found in parts.items():
        if "sentences_per_second" in found:
            figures = found["sentences_per_second"], found["source_tokens_per_second"]
            share = f"{100 * found['share_of_floor']:.1f}%" if "share_of_floor" in found else ""
            write(f"{name:<44}{figures[0]:>13,.0f}{figures[1]:>13,.0f}{share:>10}{found['megabytes']:>9,.0f}\n")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m redraft.lab.bench.gpu_throughput", description=__doc__)
    parser.add_argument("file", type=Path, help="text, one sentence per line; of .tsv and .m2 files the sources")
    parser.add_argument("--model", default="en", help="shipped model or model folder (default en)")
    parser.add_argument("--dtype", choices=("float16", "bfloat16", "float32"), default="float16")
    parser.add_argument("--threshold", type=float, help="confidence threshold (default: that of the model)")
    parser.add_argument(
        "--sentences", type=int, default=100_000, help="sentences to time bulk decoding on (default 100000)"
    )
    parser.add_argument(
        "--slow-sentences", type=int, default=2048, help="sentences to time other methods on (default 2048)"
    )
    parser.add_argument("--json", type=Path, help="file to write all figures to")
    parser.add_argument("--no-peers", dest="peers", action="store_false", help="leave out Hugging Face transformers")
    parser.add_argument(
        "--part",
        action="append",
        help="measure only the parts whose name contains this, such as labelling or differences; may be repeated",
    )
    parser.add_argument("--tiny", action="store_true", help="a few sentences, for a trial without a GPU")
    try:
        measure(parser.parse_args(), sys.stdout.write)
    except RedraftError as error:
        sys.exit(f"redraft: {error}")


if __name__ == "__main__":
    main()

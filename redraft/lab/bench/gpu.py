"""Speed and exactness of decoding on a GPU: `python -m redraft.lab.bench.gpu PAIRS.tsv`.

The large models have random weights, so their output would be noise. Under teacher forcing they write each sentence's
reference, or the output of the shipped model ("model-output"). A reference goes on correctly even after a wrong token,
so `refine` needs fewer calls than with a trained model; on the other hand references have more edits than a model
makes. The shipped model itself is measured with its own predictions.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from redraft.chunks import chunks
from redraft.decode.loop import Decoded, DecodeOptions, decode_batch
from redraft.decode.stepper import BeamStepper, Engine, Feed
from redraft.errors import RedraftError
from redraft.lab.bench.forced_decoding import ForcedDecoding, read_pairs
from redraft.lab.bench.hugging_face import generate_untrained
from redraft.lab.bench.identity import GREEDY
from redraft.lab.bench.machine import describe as describe_machine
from redraft.lab.bench.teacher_forcing import TokenPair, predict_as_model, predict_reference
from redraft.lab.bench.timing import Method, Timing, ratio, take_turns
from redraft.model.catalogue import locate
from redraft.model.config import ModelConfig, preset
from redraft.model.folder import TOKENIZER, ModelFolder
from redraft.tokens.tokenizer import Tokenizer

if TYPE_CHECKING:
    import torch

    from redraft.engines.cuda.engine import CudaEngine
    from redraft.model.transformer import Transformer

SHAPES = ("big-6+6", "big-9+3")
BATCHES = (1, 8, 32, 128, 512)
BATCH = 32
"""The batch size for which identity with greedy decoding is counted too."""
SLOW_METHODS = 12
"""Number of sentences, evenly spaced, that the other library and eager decoding are timed on."""
SUFFIX, REFINE = "suffix", "refine"
GRAPHS = "graphs"
"""First word in the names of the methods with CUDA graphs; all others are slow."""
EMBEDDED = "embedded"
"""The part of the report about the shipped model; the other parts are about shapes."""


@dataclass(frozen=True, slots=True)
class Setting:
    device: str
    dtype: torch.dtype
    seconds: float
    sentences: int
    tokenizer: Tokenizer
    tiny: bool
    fused: bool = False


def make_model(config: ModelConfig, setting: Setting) -> Transformer:
    import torch

    from redraft.model.transformer import Transformer

    torch.manual_seed(1)
    with torch.device(setting.device):
        return Transformer(config).to(setting.dtype).eval()


def measure_shape(config: ModelConfig, folder: Path, pairs: Sequence[TokenPair], setting: Setting) -> dict[str, Any]:
    from redraft.engines.cuda.engine import CudaEngine
    from redraft.engines.torch import TorchEngine

    model = make_model(config, setting)
    graphs = CudaEngine(model, setting.tokenizer.eos, setting.fused)
    eager = TorchEngine(model, setting.tokenizer.eos)
    timed = pairs[: setting.sentences]
    forced = ForcedDecoding(timed, setting.tokenizer, predict_reference(setting.tokenizer))
    report: dict[str, Any] = {}
    methods: dict[str, Method] = {}
    try:
        methods = generate_untrained(config, timed, setting.tokenizer.eos, setting.device, setting.dtype)
    except Exception:  # Redraft is measured even if transformers cannot run
        report["peer_error"] = traceback.format_exc(limit=3)
    methods |= forced.decoding_methods("eager", eager, (GREEDY, REFINE))
    methods |= forced.decoding_methods(GRAPHS, graphs, (GREEDY, SUFFIX, REFINE))
    try:
        small = TorchEngine.load(ModelFolder.open(folder), setting.device, setting.dtype)
        own = predict_as_model(CudaEngine(small.model, setting.tokenizer.eos, setting.fused), setting.tokenizer)
        methods |= replace(forced, predict=own).decoding_methods(f"{GRAPHS} model-output", graphs, (SUFFIX, REFINE))
    except Exception:  # nor does a folder without weights stop the measurement
        report["model_output_error"] = traceback.format_exc(limit=3)
    return report | compare(methods, graphs, timed, setting)


def compare(
    methods: Mapping[str, Method], graphs: CudaEngine, pairs: Sequence[TokenPair], setting: Setting
) -> dict[str, Any]:
    slow = [name for name in methods if not name.startswith(GRAPHS)]
    every = max(1, len(pairs) // SLOW_METHODS)
    warm_up(methods, pairs, slow, range(0, len(pairs), every))
    timings = take_turns(methods, len(pairs), seldom=slow, every=every, seconds=setting.seconds)
    return describe(timings, graphs.model, setting) | {"launches": time_launches(graphs, pairs, setting)}


def warm_up(
    methods: Mapping[str, Method], pairs: Sequence[TokenPair], slow: Sequence[str], seldom: Sequence[int]
) -> None:
    """Captures graphs and compiles kernels before anything is timed: one sentence of every padded length.

    The slow methods, which do not pad, warm up on the sentences that they are timed on.
    """
    from redraft.engines.cuda.engine import find_shape

    seen = {find_shape(1, len(pair.source) + 1): index for index, pair in enumerate(pairs)}
    for name, method in methods.items():
        for index in seldom if name in slow else seen.values():
            method(index)


def describe(timings: Mapping[str, Timing], model: Transformer, setting: Setting) -> dict[str, Any]:
    best = timings[f"{GRAPHS} {REFINE}"]
    slowest = next(iter(timings.values()))
    decoder = sum(weight.nbytes for name, weight in model.weights().items() if not name.startswith("encoder"))
    encoder = sum(weight.nbytes for name, weight in model.weights().items() if name.startswith("encoder"))
    bytes_moved = encoder + decoder * float(np.mean(best.calls))
    lower_bound = bytes_moved / bandwidth(setting) * 1000
    return {
        "methods": {name: timing.to_mapping() for name, timing in timings.items()},
        "speed": {name: ratio(slowest, timing) for name, timing in timings.items()},
        "weights_mb": round((encoder + decoder) / 1e6, 1),
        "lower_bound_ms": round(lower_bound, 4),
    }


def bandwidth(setting: Setting) -> float:
    """Bytes a second that a large copy reads and writes."""
    import torch

    size = (1 << 20) if setting.tiny else (1 << 30)
    block = torch.zeros(size, dtype=torch.uint8, device=setting.device)
    other = torch.empty_like(block)
    best = 0.0
    for _ in range(5):
        synchronize(setting)
        before = time.perf_counter()
        other.copy_(block)
        synchronize(setting)
        best = max(best, 2 * size / (time.perf_counter() - before))
    return best


def synchronize(setting: Setting) -> None:
    import torch

    if setting.device == "cuda":
        torch.cuda.synchronize()


def time_launches(engine: CudaEngine, pairs: Sequence[TokenPair], setting: Setting) -> dict[str, float]:
    """Milliseconds of the first launch (encoder and draft) and of a later one, at the median length.

    The time of the host is included.
    """
    pair = sorted(pairs, key=lambda pair: len(pair.source))[len(pairs) // 2]
    ids = [setting.tokenizer.bos, *pair.source]
    first, later = [], []
    for _ in range(5 if setting.tiny else 200):
        stepper = engine.start([pair.source])
        before = time.perf_counter()
        stepper.extend([Feed(0, ids)])
        middle = time.perf_counter()
        stepper.rewind(0, len(ids) // 2)
        stepper.extend([Feed(0, ids[len(ids) // 2 :])])
        first.append(middle - before)
        later.append(time.perf_counter() - middle)
    median = {"first": float(np.median(first)) * 1000, "later": float(np.median(later)) * 1000}
    return {"tokens": len(ids), **{name: round(value, 4) for name, value in median.items()}}


def check_kernels(setting: Setting) -> dict[str, Any]:
    """Compares fused kernels with eager torch in single precision; if they differ, plain torch is used."""
    import torch

    from redraft.engines.cuda.engine import CudaEngine
    from redraft.engines.torch import TorchEngine

    single = replace(setting, dtype=torch.float32)
    worst: dict[str, float] = {}
    fused = False
    for name, changes in {"rotary": {}, "learned": {"positions": "learned", "norm": "post"}}.items():
        model = make_model(preset("small", decoder_layers=2, encoder_layers=2, **changes), single)
        batch = [[7 + index * step % 15_000 for index in range(40)] for step in (3, 5, 11)]
        try:
            ours = CudaEngine(model, setting.tokenizer.eos)
            steppers = ours.start(batch), TorchEngine(model, setting.tokenizer.eos).start(batch)
            worst[name] = max(_compare(*steppers, batch, tokens) for tokens in (30, 1, 9))
            fused = ours.fused
        except Exception:
            return {"fused": False, "error": traceback.format_exc(limit=-6)}
    return {"fused": fused and max(worst.values()) < 0.01, "largest_difference": worst}


def _compare(ours: BeamStepper, theirs: BeamStepper, batch: Sequence[Sequence[int]], tokens: int) -> float:
    feeds = [Feed(row, source[:tokens]) for row, source in enumerate(batch)]
    pairs = zip(ours.extend(feeds), theirs.extend(feeds), strict=True)
    return max(
        abs(a - b) for one, two in pairs for a, b in zip(one.log_probabilities, two.log_probabilities, strict=True)
    )


def measure_model(folder: ModelFolder, pairs: Sequence[TokenPair], setting: Setting) -> dict[str, Any]:
    """The shipped model: latency, identity with greedy decoding one by one and in batches, throughput."""
    import torch

    from redraft.engines.cuda.engine import CudaEngine
    from redraft.engines.torch import TorchEngine

    eager = TorchEngine.load(folder, setting.device, setting.dtype)
    graphs = CudaEngine(eager.model, folder.eos, setting.fused)
    forced = ForcedDecoding(pairs[: setting.sentences], setting.tokenizer)
    methods = forced.decoding_methods("eager", eager, (GREEDY, REFINE))
    methods |= forced.decoding_methods(GRAPHS, graphs, (GREEDY, SUFFIX, REFINE))
    exact = TorchEngine.load(folder, setting.device, torch.float32)
    return {
        **compare(methods, graphs, forced.pairs, setting),
        "identity": count_differences(graphs, exact, pairs, setting),
        "sentences_a_second": measure_throughput(graphs, pairs, setting),
    }


def decode_all(engine: Engine, pairs: Sequence[TokenPair], batch: int, policy: str, setting: Setting) -> list[Decoded]:
    """Decodes in batches of sentences of similar length; results are in the order of the pairs."""
    order = sorted(range(len(pairs)), key=lambda index: len(pairs[index].source))
    options = DecodeOptions(policy=policy)
    decoded: dict[int, Decoded] = {}
    for part in chunks(order, batch):
        results = decode_batch(engine, [pairs[index].source for index in part], setting.tokenizer, options)
        decoded.update(zip(part, results, strict=True))
    return [decoded[index] for index in range(len(pairs))]


def count_differences(graphs: Engine, exact: Engine, pairs: Sequence[TokenPair], setting: Setting) -> dict[str, Any]:
    """Number of sentences whose output differs from greedy decoding on the same engine, and from single precision."""
    report: dict[str, Any] = {"sentences": len(pairs)}
    several = 8 if setting.tiny else BATCH
    outputs: dict[tuple[int, str], list[list[int]]] = {}
    for batch, policies in ((1, (GREEDY, SUFFIX, "realign", REFINE)), (several, (GREEDY, REFINE))):
        for policy in policies:
            decoded = decode_all(graphs, pairs, batch, policy, setting)
            outputs[batch, policy] = [one.ids for one in decoded]
            where = "alone" if batch == 1 else f"batch {batch}"
            calls = sum(len(one.calls) for one in decoded) / len(pairs)
            unlike = _differences(outputs[batch, policy], outputs[batch, GREEDY])
            report[f"{where} {policy}"] = {"unlike_greedy": unlike, "calls": round(calls, 3)}
    report["alone unlike in a batch"] = _differences(outputs[1, REFINE], outputs[several, REFINE])
    single = [one.ids for one in decode_all(exact, pairs, several, REFINE, setting)]
    report["unlike single precision"] = _differences(outputs[1, REFINE], single)
    return report


def _differences(one: Sequence[list[int]], other: Sequence[list[int]]) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def measure_throughput(engine: Engine, pairs: Sequence[TokenPair], setting: Setting) -> dict[str, float]:
    """Sentences a second by batch size, the best of two runs after a warm-up."""
    found = {}
    for batch in BATCHES[:2] if setting.tiny else BATCHES:
        some = pairs[: 64 if batch == 1 else len(pairs)]
        decode_all(engine, some, batch, REFINE, setting)
        best = 0.0
        for _ in range(2):
            before = time.perf_counter()
            decode_all(engine, some, batch, REFINE, setting)
            best = max(best, len(some) / (time.perf_counter() - before))
        found[str(batch)] = round(best, 1)
    return found


def print_report(report: Mapping[str, Any], write: Callable[[str], object]) -> None:
    figures = report["figures"]
    write(f"{report['machine']['processor']}, {figures['dtype']}; kernels {figures['kernels']}\n")
    for name, part in figures["parts"].items():
        if "error" in part:
            write(f"\n{name}: failed\n{part['error']}\n")
            continue
        write(f"\n{name}: {part['weights_mb']} MB of weights, lower bound {part['lower_bound_ms']} ms, ")
        write(f"launches {part['launches']}\n")
        write(f"  {'':<18}{'n':>5}{'mean':>9}{'p50':>9}{'p90':>9}{'p99':>9}{'calls':>8}{'speed':>8}\n")
        for method, figures in part["methods"].items():
            columns = "".join(f"{figures[column]:>9.3f}" for column in ("mean", "p50", "p90", "p99"))
            ratio = part["speed"][method]
            write(f"  {method:<18}{figures['sentences']:>5}{columns}{figures['calls']:>8.2f}{ratio:>8.1f}\n")
        for extra in ("peer_error", "model_output_error", "identity", "sentences_a_second"):
            if extra in part:
                write(f"  {extra}: {json.dumps(part[extra])}\n")


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    import torch

    from redraft.lab.train.process_group import default_device

    device = default_device()
    if device == "cpu" and not arguments.tiny:
        raise RedraftError("torch finds no GPU; use --tiny to try the benchmark on the CPU")
    folder = locate(arguments.model)
    tokenizer = Tokenizer.load(folder / TOKENIZER)
    dtype = getattr(torch, arguments.dtype if device == "cuda" else "float32")
    sentences = 2 if arguments.tiny else arguments.sentences
    setting = Setting(device, dtype, arguments.seconds, sentences, tokenizer, arguments.tiny)
    pairs = read_pairs(arguments.pairs, tokenizer, longest=180)
    if arguments.tiny:
        pairs = sorted(pairs, key=lambda pair: len(pair.source))[len(pairs) // 8 :][:4]
    kernels = check_kernels(setting)
    setting = replace(setting, fused=kernels["fused"])
    machine = describe_machine(f"python -m redraft.lab.bench.gpu {arguments.pairs.name}", "triton")
    if device == "cuda":
        machine["processor"] = torch.cuda.get_device_name()
    done: dict[str, Any] = {}
    figures = {"dtype": str(dtype).removeprefix("torch."), "pairs": len(pairs), "kernels": kernels, "parts": done}
    report = {"machine": machine, "figures": figures}
    small = {"vocabulary": tokenizer.size, "width": 64, "ffn": 128, "heads": 4} if arguments.tiny else {}
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        name: lambda name=name: measure_shape(preset(name, **small), folder, pairs, setting)  # type: ignore[misc]
        for name in SHAPES
    }
    parts[EMBEDDED] = lambda: measure_model(ModelFolder.open(folder), pairs, setting)
    for name, part in parts.items():
        begun = time.perf_counter()
        try:
            done[name] = part()
        except Exception:  # the other parts are measured even if one fails
            done[name] = {"error": traceback.format_exc(limit=-6)}
        done[name]["seconds"] = round(time.perf_counter() - begun, 1)
        if arguments.json:
            arguments.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return report


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m redraft.lab.bench.gpu", description=__doc__)
    parser.add_argument("pairs", type=Path, help="lines of source, tab, reference")
    parser.add_argument("--model", default="en", help="shipped model or model folder (default en)")
    parser.add_argument("--dtype", choices=("float16", "bfloat16", "float32"), default="float16")
    parser.add_argument("--seconds", type=float, default=15.0, help="time limit for timing one model (default 15)")
    parser.add_argument(
        "--sentences", type=int, default=300, help="number of pairs to time (default 300); identity is counted on all"
    )
    parser.add_argument("--json", type=Path, help="file to write all figures to")
    parser.add_argument(
        "--tiny", action="store_true", help="a few sentences and tiny models, for a trial without a GPU"
    )
    try:
        print_report(measure(parser.parse_args()), sys.stdout.write)
    except RedraftError as error:
        sys.exit(f"redraft: {error}")


if __name__ == "__main__":
    main()

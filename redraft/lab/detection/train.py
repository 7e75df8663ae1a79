"""`python -m redraft.lab.detection.train`: trains heads on the states of a model's encoder, which stays as it is."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from redraft.engines.native.engine import NativeEngine
from redraft.lab.bench.text_report import render
from redraft.lab.detection.examples import ExampleSources, read_examples
from redraft.lab.detection.fitting import FitOptions, fit_heads, measure
from redraft.lab.detection.heads import HeadsInfo, write_heads
from redraft.lab.detection.states import LABELS, collect_states
from redraft.lab.train.module_command import run_command
from redraft.model.catalogue import locate
from redraft.model.folder import ModelFolder
from redraft.tokens.tokenizer import Tokenizer

_TESTED = 0.1
"""Share of the sentences that heads are tested on."""


def main(arguments: list[str] | None = None) -> int:
    return run_command(lambda: train(_parser().parse_args(arguments)))


def train(arguments: argparse.Namespace) -> int:
    """Writes a folder of heads for each kind of labels, and prints what they separate on sentences set apart."""
    folder = ModelFolder.open(locate(arguments.model))
    tokenizer = Tokenizer.load(folder.tokenizer, folder.config.vocabulary)
    engine = NativeEngine(folder, 1)
    layers = sorted({*arguments.layer, folder.config.encoder_layers})
    sources = ExampleSources(
        arguments.pairs, arguments.clean, arguments.table, arguments.pair_count, arguments.clean_count, arguments.seed
    )
    states = collect_states(engine, tokenizer, read_examples(sources), layers, folder.info.threshold)
    tested, trained = states.split(int(len(states.counts) * _TESTED))
    for labels in LABELS:
        heads = [fit_heads(trained, layer, labels, FitOptions()) for layer in layers]
        info = HeadsInfo(folder.info.name, folder.config.width, labels, len(trained.counts))
        write_heads(arguments.output / labels, heads, info)
        figures = {f"labels of the {labels}, layer {one.layer}": measure(one, tested) for one in heads}
        sys.stdout.write(render(figures) + "\n")
    changed = tested.sentence_labels("model").mean()
    sys.stdout.write(f"{len(tested.counts)} sentences tested; the model changes {changed:.1%} of them\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m redraft.lab.detection.train", description=__doc__)
    parser.add_argument("model", help="installed model or model folder with 8-bit weights")
    parser.add_argument("--pairs", type=Path, nargs="+", required=True, help="files of learners' sentences")
    parser.add_argument("--clean", type=Path, nargs="+", required=True, help="files of clean text")
    parser.add_argument("--table", type=Path, required=True, help="error table for synthetic errors")
    parser.add_argument("--output", type=Path, required=True, help="folder for the heads of each kind of labels")
    parser.add_argument("--layer", type=int, action="append", default=[], help="early layer; repeatable")
    parser.add_argument("--pair-count", type=int, default=8_000, help="sentences of pairs (default: 8000)")
    parser.add_argument("--clean-count", type=int, default=16_000, help="clean sentences (default: 16000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the choice of sentences (default: 0)")
    return parser


if __name__ == "__main__":
    sys.exit(main())

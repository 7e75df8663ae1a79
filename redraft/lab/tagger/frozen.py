"""`python -m redraft.lab.tagger.frozen`: trains a tagger's linear layer on the states of a model's encoder, which stays
as it is.

It takes minutes on a CPU, since every sentence is encoded once, by the native engine.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import torch

from redraft.engines.native.engine import NativeEngine
from redraft.errors import InputError
from redraft.lab.data.pair import Pair
from redraft.lab.data.readers import Faults, read_pairs, read_sentences
from redraft.lab.tagger.folder import Floats, TaggerOptions, quantize_tagger
from redraft.lab.tagger.labels import TagLabeller
from redraft.lab.tagger.network import TaggerNetwork, encoder_config
from redraft.lab.tagger.tagger_writer import write_tagger
from redraft.lab.tagger.tags import KEEP
from redraft.lab.tagger.vocabulary import TagVocabulary
from redraft.lab.train.checkpoint import read_tensors
from redraft.lab.train.module_command import run_command
from redraft.model.catalogue import locate
from redraft.model.folder import ModelFolder
from redraft.tokens.tokenizer import Tokenizer

_ENCODED = 64
"""Sentences that are encoded together."""
_LINES_READ = 50_000
"""Lines of each file of clean text that sentences are taken from."""
_T = TypeVar("_T")
Halves = npt.NDArray[np.float16]
Labels = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TaggedStates:
    """States of the encoder, a row for each word, and the numbers and weights of their tags."""

    states: Halves  # (words, width)
    labels: Labels  # (words,)
    weights: Floats  # (words,)


@dataclass(frozen=True, slots=True)
class FitOptions:
    epochs: int = 6
    batch: int = 2048
    learning_rate: float = 2e-3
    seed: int = 0


def read_examples(pairs: Sequence[Path], clean: Sequence[Path], counts: tuple[int, int], seed: int) -> list[Pair]:
    """Pairs, and clean sentences whose target is the source, as many of each as `counts`, in random order."""
    shuffle = random.Random(seed)
    faults = Faults()
    found = [pair for path in pairs for pair in read_pairs(path, faults)]
    sentences = [line for path in clean for line in islice(read_sentences(path, faults), _LINES_READ)]
    examples = [*_draw(found, counts[0], shuffle), *(Pair(one, one) for one in _draw(sentences, counts[1], shuffle))]
    if not examples:
        raise InputError("there are no pairs in these files; give files of pairs with --pairs")
    shuffle.shuffle(examples)
    return examples


def _draw(items: list[_T], count: int, shuffle: random.Random) -> list[_T]:
    return shuffle.sample(items, min(count, len(items)))


def collect_states(
    engine: NativeEngine,
    tokenizer: Tokenizer,
    vocabulary: TagVocabulary,
    examples: Sequence[Pair],
    kept_share: float,
    seed: int = 0,
) -> TaggedStates:
    """The states of all words that get another tag than KEEP, and of a share of the others, which weigh more for it."""
    draw = random.Random(seed)
    kept = vocabulary.numbers[KEEP]
    states: list[Halves] = []
    labels: list[int] = []
    labeller = TagLabeller(vocabulary, tokenizer, changed_weight=1.0)
    for start in range(0, len(examples), _ENCODED):
        part = [labeller.label(pair, tokenizer.encode, index=0) for pair in examples[start : start + _ENCODED]]
        fitting = [one for one in part if 0 < len(one.source) <= engine.max_tokens]
        for one, rows in zip(fitting, engine.encode_states([one.source for one in fitting]), strict=True):
            # Slots without a tag have no weight. The last one, of the start of the sentence, is drawn first.
            slots = [len(one.source), *range(len(one.source))]
            tagged = [slot for slot in slots if one.weights[slot]]
            chosen = [slot for slot in tagged if one.labels[slot] != kept or draw.random() < kept_share]
            states.append(rows[chosen].astype(np.float16))
            labels += [one.labels[slot] for slot in chosen]
    if not labels:
        raise InputError("no sentence of these files has a word that can be tagged")
    numbers = np.array(labels, dtype=np.int64)
    weights = np.where(numbers == kept, 1 / kept_share, 1.0).astype(np.float32)
    return TaggedStates(np.concatenate(states), numbers, weights)


def fit_layer(found: TaggedStates, tags: int, options: FitOptions) -> torch.nn.Linear:
    """The linear layer with the least cross-entropy. Its rate falls to zero."""
    torch.manual_seed(options.seed)
    layer = torch.nn.Linear(found.states.shape[1], tags)
    torch.nn.init.zeros_(layer.weight)
    totals = np.bincount(found.labels, found.weights, tags) + 1.0
    with torch.no_grad():
        layer.bias.copy_(torch.from_numpy(np.log(totals / totals.sum())))
    states, labels, weights = map(torch.from_numpy, (found.states, found.labels, found.weights))
    steps = options.epochs * -(-len(labels) // options.batch)
    optimizer = torch.optim.Adam(layer.parameters(), options.learning_rate)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, steps)
    for epoch in range(options.epochs):
        total = 0.0
        order = torch.randperm(len(labels))
        for start in range(0, len(labels), options.batch):
            rows = order[start : start + options.batch]
            with torch.autocast("cpu", torch.bfloat16):
                logits = layer(states[rows].float())
            losses = torch.nn.functional.cross_entropy(logits.float(), labels[rows], reduction="none")
            loss = (losses * weights[rows]).sum() / weights[rows].sum()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
            total += loss.item() * len(rows)
        sys.stderr.write(f"epoch {epoch + 1} of {options.epochs}: loss {total / len(labels):.4f}\n")
    return layer


def build_network(model: ModelFolder, layer: torch.nn.Linear) -> TaggerNetwork:
    """The encoder of a model with a linear layer."""
    network = TaggerNetwork(encoder_config(model.config), layer.out_features)
    network.load_encoder(read_tensors(model.weights))
    network.tag_layer = layer
    return network


def train(arguments: argparse.Namespace) -> int:
    model = ModelFolder.open(locate(arguments.model))
    tokenizer = Tokenizer.load(model.tokenizer, model.config.vocabulary)
    vocabulary = TagVocabulary.read(arguments.tags)
    counts = (arguments.pair_count, arguments.clean_count)
    examples = read_examples(arguments.pairs, arguments.clean, counts, arguments.seed)
    sys.stderr.write(f"{len(examples)} sentences to encode\n")
    engine = NativeEngine(model, arguments.threads)
    found = collect_states(engine, tokenizer, vocabulary, examples, arguments.kept_share, arguments.seed)
    sys.stderr.write(f"{len(found.labels)} words, {len(vocabulary.tags)} tags\n")
    layer = fit_layer(found, len(vocabulary.tags), FitOptions(arguments.epochs, seed=arguments.seed))
    network = build_network(model, layer)
    card = f"# Encoder of {model.info.name}\n\nThe encoder of the model, as it is, for a tagger.\n"
    tagger = write_tagger(
        arguments.output / "model",
        network.state_dict(),
        network.config,
        model.tokenizer,
        model.info,
        card,
        vocabulary,
        TaggerOptions(),
    )
    quantize_tagger(tagger, arguments.output / "int8")
    sys.stdout.write(f"the tagger is in {arguments.output / 'int8'}\n")
    return 0


def main(arguments: list[str] | None = None) -> int:
    return run_command(lambda: train(_parser().parse_args(arguments)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m redraft.lab.tagger.frozen",
        description="Train the linear layer of a tagger on the encoder of a model, which stays as it is.",
    )
    parser.add_argument("model", help="installed model or model folder with 8-bit weights")
    parser.add_argument("--tags", type=Path, required=True, help="tag vocabulary")
    parser.add_argument("--pairs", type=Path, nargs="+", required=True, help="files of pairs")
    parser.add_argument("--clean", type=Path, nargs="*", default=[], help="files of clean text, to be left as it is")
    parser.add_argument("--pair-count", type=int, default=40_000, help="number of pairs (default: 40000)")
    parser.add_argument("--clean-count", type=int, default=10_000, help="number of clean sentences (default: 10000)")
    parser.add_argument("--kept-share", type=float, default=0.2, help="share of kept words to train on (default: 0.2)")
    parser.add_argument("--epochs", type=int, default=6, help="number of epochs (default: 6)")
    parser.add_argument("--threads", type=int, default=0, help="threads; default one for each usable core")
    parser.add_argument("--seed", type=int, default=0, help="random seed (default: 0)")
    parser.add_argument(
        "--output", type=Path, required=True, help="folder for the tagger, with 16-bit and 8-bit weights"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())

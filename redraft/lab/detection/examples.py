"""Sentences to train heads on: learners' pairs, clean text with synthetic errors, and clean text as it is."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

from redraft.errors import ConfigError, InputError
from redraft.lab.data.noise import Noiser
from redraft.lab.data.pair import Pair
from redraft.lab.data.readers import Faults, read_pairs, read_sentences
from redraft.lab.data.table import ErrorTable

_T = TypeVar("_T")
_LINES_READ = 20_000
"""Lines of each file of clean text that sentences are taken from."""


@dataclass(frozen=True, slots=True)
class ExampleSources:
    pairs: Sequence[Path]
    clean: Sequence[Path]
    table: Path
    """The error table for synthetic errors."""
    pair_count: int = 8_000
    clean_count: int = 16_000
    """Half of them get synthetic errors."""
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.pairs or not self.clean:
            raise InputError("no files of pairs or no files of clean text; heads are trained on both")
        if min(self.pair_count, self.clean_count) < 1:
            raise ConfigError("pair_count and clean_count must be at least 1")


def read_examples(sources: ExampleSources) -> list[Pair]:
    """Pairs in random order; the order and the choice depend on the seed."""
    shuffle = random.Random(sources.seed)
    faults = Faults()
    annotated = [pair for path in sources.pairs for pair in read_pairs(path, faults, every_annotator=False)]
    annotated = _draw(annotated, sources.pair_count, shuffle)
    share = -(-sources.clean_count // len(sources.clean))
    clean = [sentence for path in sources.clean for sentence in _draw_sentences(path, share, shuffle)]
    clean = _draw(clean, sources.clean_count, shuffle)
    examples = [*annotated, *_add_errors(clean, sources)]
    shuffle.shuffle(examples)
    return examples


def _draw_sentences(path: Path, count: int, shuffle: random.Random) -> list[str]:
    return _draw(list(islice(read_sentences(path, Faults()), _LINES_READ)), count, shuffle)


def _draw(items: list[_T], count: int, shuffle: random.Random) -> list[_T]:
    return shuffle.sample(items, min(count, len(items)))


def _add_errors(clean: Sequence[str], sources: ExampleSources) -> Iterator[Pair]:
    noiser = Noiser(ErrorTable.load(sources.table), sources.seed)
    for index, sentence in enumerate(clean):
        yield noiser.pair(sentence, index) if index % 2 else Pair(sentence, sentence)

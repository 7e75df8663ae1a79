"""Keeps the pairs that a model agrees with: a filter for mined edits, and for errors that another model wrote.

With `gain(a, b) = log P(b | a) - log P(a | a)`, how much rather the model changes a into b than leaves it alone, there
are two measures of a pair:

- The *preference* is `gain(source, target) - gain(target, source)`. For a correction, the model would rather turn the
  source into the target than back; for a change of wording, either way is about as likely.
- The *gain* is `gain(source, target)`. It is very low where the source looks correct: nothing in it leads to the
  target, and a model that is trained on such pairs learns to rewrite.

    python -m redraft.lab.train.agreement MODEL INPUT OUTPUT

does the same as `redraft prepare --agrees-with` on machines that have torch, numpy, tokenizers and safetensors alone.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from redraft.chunks import chunks
from redraft.engines.torch import TorchEngine, without_cudnn_attention
from redraft.lab.data.pair import Pair
from redraft.lab.data.readers import Faults, read_pairs
from redraft.lab.data.text_output import write_lines
from redraft.lab.train.module_command import ModelAndSources, add_model_options, run_command
from redraft.lab.train.process_group import default_device
from redraft.lab.train.progress_lines import CountProgress
from redraft.model.folder import ModelFolder
from redraft.model.transformer import Transformer
from redraft.tokens.tokenizer import Tokenizer

LEAST_PREFERENCE = 2.0
"""In nats: the target is preferred by a factor of about seven."""
Measure = Literal["preference", "gain"]
CHUNK = 8192
"""Pairs that are sorted by length together."""
BATCH = 64
GPU_BATCH = 256

Ids = Sequence[Sequence[int]]
"""The token ids of several sentences."""


@dataclass
class AgreementFilter:
    """Scores pairs with a model, and keeps those whose `measure` is at least `least` nats."""

    model: Transformer
    tokenizer: Tokenizer
    least: float = LEAST_PREFERENCE
    measure: Measure = "preference"
    batch: int = BATCH
    read: int = field(default=0, init=False)
    kept: int = field(default=0, init=False)
    too_long: int = field(default=0, init=False)

    @classmethod
    def open(
        cls,
        folder: ModelFolder,
        device: str = "",
        least: float = LEAST_PREFERENCE,
        measure: Measure = "preference",
    ) -> AgreementFilter:
        """The model of a folder on a device, such as cuda; by default on a GPU if torch finds one."""
        chosen = device or default_device()
        engine = TorchEngine.load(folder, chosen, torch.bfloat16 if chosen.startswith("cuda") else torch.float32)
        batch = GPU_BATCH if chosen.startswith("cuda") else BATCH
        return cls(engine.model, Tokenizer.load(folder.tokenizer, folder.config.vocabulary), least, measure, batch)

    def apply(self, pairs: Iterable[Pair], advance: Callable[[int], None] = lambda count: None) -> Iterator[Pair]:
        """The pairs to keep, in their order. Pairs that are too long for the model are dropped and counted. `advance`
        is called with the number of pairs of each batch."""
        score = self.gains if self.measure == "gain" else self.preferences
        for chunk in chunks(pairs, CHUNK):
            for pair, figure in zip(chunk, score(chunk, advance), strict=True):
                self.read += 1
                self.too_long += figure is None
                if figure is not None and figure >= self.least:
                    self.kept += 1
                    yield pair

    def report(self) -> str:
        """Numbers of pairs, in the form of the reports of other filters."""
        disagreed = self.read - self.kept - self.too_long
        reason = "not preferred by the model" if self.measure == "preference" else "too unlikely by the model"
        return (
            f"{self.read:>10,} read by the model\n{self.too_long:>10,} dropped: too long for the model\n"
            f"{disagreed:>10,} dropped: {reason}\n{self.kept:>10,} kept"
        )

    def preferences(
        self, pairs: Sequence[Pair], advance: Callable[[int], None] = lambda count: None
    ) -> list[float | None]:
        """How much the model prefers each correction; None for a pair that is too long."""

        def prefer(before: Ids, after: Ids) -> Tensor:
            return self._gains(before, after) - self._gains(after, before)

        return self._measure(pairs, prefer, advance)

    def gains(self, pairs: Sequence[Pair], advance: Callable[[int], None] = lambda count: None) -> list[float | None]:
        """How much likelier than its source the model finds each correction; None for a pair that is too long."""
        return self._measure(pairs, self._gains, advance)

    def _measure(
        self, pairs: Sequence[Pair], measure: Callable[[Ids, Ids], Tensor], advance: Callable[[int], None]
    ) -> list[float | None]:
        """A figure for each pair, from the ids of its sides; pairs of similar length are measured together."""
        sources = self.tokenizer.encode_batch([pair.source for pair in pairs])
        targets = self.tokenizer.encode_batch([pair.target for pair in pairs])
        lengths = [max(len(source), len(target)) for source, target in zip(sources, targets, strict=True)]
        limit = self.model.config.max_tokens
        order = sorted((index for index in range(len(pairs)) if lengths[index] < limit), key=lengths.__getitem__)
        found: list[float | None] = [None] * len(pairs)
        if len(order) < len(pairs):
            advance(len(pairs) - len(order))
        for chosen in chunks(order, self.batch):
            before, after = [sources[index] for index in chosen], [targets[index] for index in chosen]
            for index, figure in zip(chosen, measure(before, after).tolist(), strict=True):
                found[index] = figure
            advance(len(chosen))
        return found

    @torch.inference_mode()
    @without_cudnn_attention()
    def _gains(self, sources: Ids, targets: Ids) -> Tensor:
        eos = self.tokenizer.eos
        lengths = torch.tensor([len(source) + 1 for source in sources], device=self._device)
        memory = self.model.encode(self._pad([[*source, eos] for source in sources]), lengths)

        def score(texts: Sequence[Sequence[int]]) -> Tensor:
            fed = self._pad([[self.tokenizer.bos, *text] for text in texts])
            positions = torch.arange(fed.shape[1], device=self._device).expand_as(fed)
            logits = self.model.decode(fed, positions, memory, self.model.new_cache(*fed.shape)).float()
            labels = self._pad([[*text, eos] for text in texts], padding=-100)
            return -F.cross_entropy(logits.transpose(1, 2), labels, reduction="none").sum(dim=1)

        return score(targets) - score(sources)

    @property
    def _device(self) -> torch.device:
        return self.model.embedding.weight.device

    def _pad(self, rows: Sequence[Sequence[int]], padding: int = 0) -> Tensor:
        longest = max(map(len, rows))
        return torch.tensor([[*row, *[padding] * (longest - len(row))] for row in rows], device=self._device)


def choose_measure(min_preference: float | None, min_gain: float | None) -> tuple[float, Measure]:
    """The least value of a filter and its measure, by options of which one at most is set by the user."""
    if min_gain is not None:
        return min_gain, "gain"
    return LEAST_PREFERENCE if min_preference is None else min_preference, "preference"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m redraft.lab.train.agreement", description="Keep the pairs whose correction a model agrees with."
    )
    parser.add_argument("model", type=Path, help="model folder")
    parser.add_argument("input", type=Path, help="pairs: source, tab, target")
    parser.add_argument("output", type=Path, help="pairs to write, a .tsv, .tsv.xz or .tsv.gz file")
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--min-preference", type=float, default=LEAST_PREFERENCE, help="in nats; default %(default)s")
    limit.add_argument("--min-gain", type=float, help="minimum gain in nats, instead of a preference")
    add_model_options(parser)
    options = parser.parse_args(arguments)

    def run() -> int:
        used = ModelAndSources.open(options.model, options.source_list, [options.input])
        least = choose_measure(options.min_preference, options.min_gain)
        agreement = AgreementFilter.open(used.folder, options.device, *least)
        pairs = list(read_pairs(options.input, Faults()))
        kept = agreement.apply(pairs, CountProgress("pairs", len(pairs)))
        write_lines(options.output, (f"{pair.source}\t{pair.target}" for pair in kept))
        used.record(options.output)
        print(agreement.report())  # noqa: T201
        return 0

    return run_command(run)


if __name__ == "__main__":
    sys.exit(main())

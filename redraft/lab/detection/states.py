"""States of sentences after some layers of the encoder, with labels: what heads are trained and tested on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from redraft.decode.loop import DecodeOptions, SourceBatch, decode_rows
from redraft.engines.native.engine import NativeEngine
from redraft.lab.data.pair import Pair
from redraft.lab.detection.heads import normalize, pool
from redraft.lab.detection.labels import edit_starts
from redraft.tokens.tokenizer import Tokenizer

Bools = npt.NDArray[np.bool_]
Halves = npt.NDArray[np.float16]
LABELS = ("pair", "model")
_BATCH = 16


@dataclass(frozen=True, slots=True)
class LabelledStates:
    """Normalized states of all tokens, one sentence after another, in half precision to save memory."""

    counts: npt.NDArray[np.int64]
    """Tokens of each sentence, with <eos>."""
    tokens: dict[int, Halves]
    """By layer: (tokens, width)."""
    pooled: dict[int, Halves]
    """By layer: (sentences, 2 · width)."""
    labels: dict[str, Bools]
    """`pair`: an edit of the pair begins at the token; `model`: an edit that the model makes."""

    def sentence_labels(self, labels: str) -> Bools:
        """Whether there is an edit in each sentence."""
        starts = np.concatenate(([0], np.cumsum(self.counts)[:-1]))
        found: Bools = np.logical_or.reduceat(self.labels[labels], starts)
        return found

    def split(self, sentences: int) -> tuple[LabelledStates, LabelledStates]:
        """The first sentences and the others."""
        tokens = int(self.counts[:sentences].sum())
        first, rest = slice(0, sentences), slice(sentences, None)
        return self._cut(first, slice(0, tokens)), self._cut(rest, slice(tokens, None))

    def _cut(self, sentences: slice, tokens: slice) -> LabelledStates:
        return LabelledStates(
            self.counts[sentences],
            {layer: states[tokens] for layer, states in self.tokens.items()},
            {layer: states[sentences] for layer, states in self.pooled.items()},
            {name: values[tokens] for name, values in self.labels.items()},
        )


def collect_states(
    engine: NativeEngine,
    tokenizer: Tokenizer,
    pairs: Sequence[Pair],
    layers: Sequence[int],
    threshold: float,
    advance: Callable[[int], Any] = lambda sentences: None,
) -> LabelledStates:
    """Encodes and decodes the sources; the model's labels are the edits that it makes with this threshold.

    Sentences that are empty or too long are left out. `advance` is called with the number of sentences of each batch.
    """
    parts: dict[int, list[Halves]] = {layer: [] for layer in layers}
    pooled: dict[int, list[Halves]] = {layer: [] for layer in layers}
    labels: dict[str, list[Bools]] = {name: [] for name in LABELS}
    counts: list[int] = []
    encoded = zip(
        tokenizer.encode_batch([pair.source for pair in pairs]),
        tokenizer.encode_batch([pair.target for pair in pairs]),
        strict=True,
    )
    fitting = [(source, target) for source, target in encoded if 0 < len(source) <= engine.max_tokens * 2 // 3]
    for start in range(0, len(fitting), _BATCH):
        batch = fitting[start : start + _BATCH]
        sources = [source for source, _ in batch]
        run = engine.encode_in_parts(sources)
        for layer in sorted(layers):
            for states in map(normalize, run.states_after(layer)):
                parts[layer].append(states.astype(np.float16))
                pooled[layer].append(pool(states).astype(np.float16))
        options = DecodeOptions(threshold=threshold)
        decoded = decode_rows(run.start(), SourceBatch.plain(sources, tokenizer, options), engine.max_tokens)
        for (source, target), result in zip(batch, decoded, strict=True):
            counts.append(len(source) + 1)
            labels["pair"].append(_mark(source, target, tokenizer))
            labels["model"].append(_mark(source, result.ids if result.finished else source, tokenizer))
        advance(len(batch))
    return LabelledStates(
        np.array(counts, dtype=np.int64),
        {layer: np.concatenate(states) for layer, states in parts.items()},
        {layer: np.stack(states) for layer, states in pooled.items()},
        {name: np.concatenate(values) for name, values in labels.items()},
    )


def _mark(source: Sequence[int], target: Sequence[int], tokenizer: Tokenizer) -> Bools:
    marks = np.zeros(len(source) + 1, dtype=np.bool_)
    marks[edit_starts(source, target, tokenizer)] = True
    return marks

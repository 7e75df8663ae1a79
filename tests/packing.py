"""Packs sentences for tests: two to a window, then padding."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from redraft.model.windows import PADDING, Packed


def pack(sentences: Sequence[Sequence[int]], window: int = 32) -> Packed:
    """Sentences of at most half a window. A source and its target get windows of the same number."""
    ids, positions, segments = [], [], []
    for first in range(0, len(sentences), 2):
        pair = sentences[first : first + 2]
        ids.append([token for sentence in pair for token in sentence])
        positions.append([place for sentence in pair for place in range(len(sentence))])
        segments.append([number for number, sentence in enumerate(pair, 1) for _ in sentence])
        for row in (ids[-1], positions[-1], segments[-1]):
            row.extend([PADDING] * (window - len(row)))
    return Packed(_flatten(ids), _flatten(positions), _flatten(segments), window)


def _flatten(rows: list[list[int]]) -> torch.Tensor:
    return torch.tensor(rows).flatten()

"""Sentences of different lengths side by side in one row of tokens, without padding between them."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from redraft.engines.cuda.plain import QUERY_BLOCK


@dataclass(frozen=True, slots=True)
class Packing:
    """The places of the tokens of B sentences among P places. Places behind the last token are padding."""

    counts: Tensor  # (B,)
    offsets: Tensor  # (B,), the place of each sentence's first token
    sentence: Tensor  # (P,), B for padding
    index: Tensor  # (P,), a token's index in its sentence; 0 for padding
    block_sentence: Tensor  # (blocks,): the sentence of a block of queries; B if the block is empty
    block_first: Tensor  # (blocks,): index of the block's first token in its sentence

    @classmethod
    def build(cls, counts: Tensor, places: int) -> Packing:
        """`counts` have a sum of `places` at most."""
        sentence, index, offsets = _lay_out(counts, places)
        blocks = (counts + QUERY_BLOCK - 1) // QUERY_BLOCK
        most = -(-places // QUERY_BLOCK) + len(counts)
        block_sentence, block, _ = _lay_out(blocks, most)
        return cls(counts, offsets, sentence, index, block_sentence, block * QUERY_BLOCK)

    def unpack(self, x: Tensor, width: int) -> Tensor:
        """(P, …) → (B, width, …). Behind a sentence's tokens are others."""
        place = self.offsets[:, None] + torch.arange(width, device=x.device)
        return x[place.clamp(max=len(x) - 1)]

    def pack(self, x: Tensor) -> Tensor:
        """(B, width, …) → (P, …)."""
        return x[self.sentence.clamp(max=len(x) - 1), self.index]


def _lay_out(counts: Tensor, places: int) -> tuple[Tensor, Tensor, Tensor]:
    """The row of each place and its index in the row, if rows of these counts lie side by side, and each row's offset.

    Places beyond them get the row len(counts) and the index 0.
    """
    ends = counts.cumsum(0)
    offsets = ends - counts
    place = torch.arange(places, device=counts.device)
    row = torch.searchsorted(ends, place, right=True)
    index = place - offsets[row.clamp(max=len(counts) - 1)]
    return row, index.masked_fill(row == len(counts), 0), offsets

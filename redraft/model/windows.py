"""Packed batches for training, and attention inside them.

Sentences lie side by side in *windows* of a fixed number of tokens, several to a window, and none crosses the end of
one. A source and its target lie in windows of the same number. So attention never looks beyond a window, and a mask
keeps it inside each sentence: every shape is fixed, and next to nothing of a row is padding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec

import torch
import torch.nn.functional as F
from torch import Tensor

PADDING = 0
LARGEST_TILE = 128
"""Tokens of a window that the kernel takes in at once; larger windows are left to PyTorch."""
SMALLEST_TILE = 16
"""Fewest rows and columns of a product on the GPU. Heads are taken in by halves, so they need twice as much."""

Attend = Callable[[Tensor, Tensor, Tensor], Tensor]
"""Queries, keys, values (…, H, h) → the attended values (…, H, h)."""


@dataclass(frozen=True, slots=True)
class Packed:
    """One side of a batch. `segments` numbers the pairs of a window from 1 on, the same on both sides; PADDING marks
    the rest. Positions start anew in each sentence, so none reaches the size of a window."""

    ids: Tensor  # (P,)
    positions: Tensor  # (P,)
    segments: Tensor  # (P,)
    window: int


@dataclass(frozen=True, slots=True)
class Turn:
    """Cosines and sines of the angles by which rotary positions turn queries or keys: (…, 1, h/2) each."""

    cos: Tensor
    sin: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        left, right = x.chunk(2, dim=-1)
        cos, sin = self.cos.to(x.dtype), self.sin.to(x.dtype)
        return torch.cat((left * cos - right * sin, right * cos + left * sin), dim=-1)

    def at(self, positions: Tensor) -> Turn:
        """The turns of some positions, given those of positions 0, 1, 2, …"""
        return Turn(self.cos[positions], self.sin[positions])


def packed_attention(
    queries: Packed, keys: Packed, head_width: int, turn: Turn | None = None, causal: bool = False
) -> Attend:
    """Attention that stays inside each sentence of a packed batch. `turn` holds rotary positions 0, 1, … of a window:
    queries and keys come unturned, so that the kernel can turn them where it has loaded them anyway."""
    if queries.ids.is_cuda and has_kernel(queries.window, head_width):
        from redraft.model.window_kernel import window_attention

        turns = None if turn is None else torch.cat((turn.cos, turn.sin), dim=-1).squeeze(1)

        def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            return window_attention(q, k, v, queries, keys, turns, causal)

        return attend
    mask = window_mask(queries, keys, causal)
    turns_of_sides = None if turn is None else (turn.at(queries.positions), turn.at(keys.positions))

    def attend_masked(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        if turns_of_sides is not None:
            turn_queries, turn_keys = turns_of_sides
            q, k = turn_queries(q), turn_keys(k)
        windows = [x.view(-1, queries.window, *x.shape[1:]) for x in (q, k, v)]
        return masked_attention(mask)(*windows).flatten(0, 1)

    return attend_masked


def window_mask(queries: Packed, keys: Packed, causal: bool) -> Tensor:
    """(windows, 1, queries, keys), true where a query sees a key. Padding sees all, so that no row is empty; nothing
    sees padding but padding."""
    own, other = (side.segments.view(-1, side.window) for side in (queries, keys))
    mask = (own[:, :, None] == other[:, None, :]) | (own == PADDING)[:, :, None]
    if causal:
        mask = mask.tril()
    return mask[:, None]


def masked_attention(mask: Tensor) -> Attend:
    """Attention over padded rows, (B, tokens, H, h); mask broadcasts to (B, H, queries, keys)."""

    def attend(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        q, k, v = (x.transpose(1, 2) for x in (queries, keys, values))
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2)

    return attend


@cache
def has_kernel(window: int, head_width: int) -> bool:
    fits = SMALLEST_TILE <= window <= LARGEST_TILE and 2 * SMALLEST_TILE <= head_width <= LARGEST_TILE
    powers_of_two = window.bit_count() == head_width.bit_count() == 1
    return fits and powers_of_two and find_spec("triton") is not None

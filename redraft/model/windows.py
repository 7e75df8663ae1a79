"""Packed batches for training, and attention inside them.

Sentences lie side by side in *windows* of a fixed number of tokens, several in a window, and none crosses the end of
one. A source and its target are in windows of the same number. So attention is computed within windows, and a mask
keeps it inside each sentence: all shapes are fixed, and little of a batch is padding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec

import torch
import torch.nn.functional as F
from torch import Tensor

PADDING = 0
LARGEST_TILE = 128
"""Largest window of the kernel; for larger ones PyTorch's attention is used."""
SMALLEST_TILE = 16
"""Smallest matrix product on the GPU. The kernel splits heads into halves, so they must be twice as wide."""

Attend = Callable[[Tensor, Tensor, Tensor], Tensor]
"""Queries, keys, values (…, H, h) → the attended values (…, H, h)."""


@dataclass(frozen=True, slots=True)
class Packed:
    """One side of a batch. `segments` numbers the pairs of a window from 1 on, the same on both sides, and is PADDING
    elsewhere. Positions start at 0 in each sentence, so they are below the size of a window."""

    ids: Tensor  # (P,)
    positions: Tensor  # (P,)
    segments: Tensor  # (P,)
    window: int


@dataclass(frozen=True, slots=True)
class Rotation:
    """Rotary positions: cosines and sines of the angles by which queries or keys are rotated, (…, 1, h/2) each."""

    cos: Tensor
    sin: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        left, right = x.chunk(2, dim=-1)
        cos, sin = self.cos.to(x.dtype), self.sin.to(x.dtype)
        return torch.cat((left * cos - right * sin, right * cos + left * sin), dim=-1)

    def at(self, positions: Tensor) -> Rotation:
        """The rotation of some positions, given that of positions 0, 1, 2, …"""
        return Rotation(self.cos[positions], self.sin[positions])


def packed_attention(
    queries: Packed, keys: Packed, head_width: int, rotation: Rotation | None = None, causal: bool = False
) -> Attend:
    """Attention inside each sentence of a packed batch. `rotation` is that of positions 0, 1, … of a window. Queries
    and keys are given without it: the kernel rotates them when it has loaded them."""
    if queries.ids.is_cuda and has_kernel(queries.window, head_width):
        from redraft.model.window_kernel import window_attention

        angles = None if rotation is None else torch.cat((rotation.cos, rotation.sin), dim=-1).squeeze(1)

        def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            return window_attention(q, k, v, queries, keys, angles, causal)

        return attend
    mask = window_mask(queries, keys, causal)
    both = None if rotation is None else (rotation.at(queries.positions), rotation.at(keys.positions))

    def attend_masked(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        if both is not None:
            rotate_queries, rotate_keys = both
            q, k = rotate_queries(q), rotate_keys(k)
        windows = [x.view(-1, queries.window, *x.shape[1:]) for x in (q, k, v)]
        attend = product_attention if q.device.type == "cpu" else masked_attention
        return attend(mask)(*windows).flatten(0, 1)

    return attend_masked


def window_mask(queries: Packed, keys: Packed, causal: bool) -> Tensor:
    """(windows, 1, queries, keys), true where a query sees a key. Padding sees everything, so that no row is empty;
    other queries see no padding."""
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


def product_attention(mask: Tensor) -> Attend:
    """The same as matrix products. On a CPU their gradient takes less than half the time of PyTorch's attention."""

    def attend(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        q, k, v = (x.transpose(1, 2) for x in (queries, keys, values))  # (B, H, tokens, h)
        hidden = torch.zeros(mask.shape, dtype=q.dtype, device=q.device).masked_fill_(~mask, -math.inf)
        scores: Tensor = (q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2) + hidden
        return (scores.softmax(dim=-1) @ v).transpose(1, 2)

    return attend


@cache
def has_kernel(window: int, head_width: int) -> bool:
    fits = SMALLEST_TILE <= window <= LARGEST_TILE and 2 * SMALLEST_TILE <= head_width <= LARGEST_TILE
    powers_of_two = window.bit_count() == head_width.bit_count() == 1
    return fits and powers_of_two and find_spec("triton") is not None

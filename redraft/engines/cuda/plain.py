"""The operations between a layer's matrix products in plain torch; `kernels` has the same in fewer launches.

Shapes: B sentences in a call, N tokens of each (S for sources), M of both, d width, H heads, h head width.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import torch
import torch.nn.functional as F
from torch import Tensor, nn

QUERY_BLOCK = 16
"""Number of tokens of a sentence that one program of the attention kernel computes."""


@dataclass(frozen=True, slots=True)
class Rotary:
    """Cosines and sines of every position, (positions, h/2) each in single precision, and the turn in plain torch: of
    queries or keys (B, N, H, h) at positions (B, N)."""

    cosines: Tensor
    sines: Tensor
    turn: Callable[[Tensor, Tensor], Tensor]


@dataclass(frozen=True, slots=True)
class Places:
    """For each of the B sentences of a call: its row in the caches, the number of tokens in that row, the number fed
    now, and the length of the source."""

    rows: Tensor
    starts: Tensor
    counts: Tensor
    lengths: Tensor


class Blocks(Protocol):
    """The functions of this module and of `kernels`."""

    def add_norm(self, x: Tensor, change: Tensor, norm: nn.LayerNorm) -> tuple[Tensor, Tensor]: ...
    def choose(self, logits: Tensor, out: Tensor) -> None: ...
    def attend_source(self, qkv: Tensor, places: Places, rotary: Rotary | None) -> Tensor: ...
    def attend_target(self, qkv: Tensor, cache: Tensor, places: Places, rotary: Rotary | None) -> Tensor: ...
    def attend_memory(self, queries: Tensor, memory: Tensor, places: Places, rotary: Rotary | None) -> Tensor: ...


def add_norm(x: Tensor, change: Tensor, norm: nn.LayerNorm) -> tuple[Tensor, Tensor]:
    """x + change, and that normalized: (M, d) each."""
    total = x + change
    return total, norm(total)


def choose(logits: Tensor, out: Tensor) -> None:
    """Writes the likeliest ids to out[0] and the bits of their log-probabilities to out[1]: (2, B, N) of int32."""
    values = logits.view(*out.shape[1:], -1)
    values = values.float() if values.dtype.itemsize < 4 else values
    best, ids = values.max(dim=-1)
    out[0].copy_(ids)
    out[1].copy_((best - values.logsumexp(dim=-1)).float().view(torch.int32))


def attend_source(qkv: Tensor, places: Places, rotary: Rotary | None) -> Tensor:
    """The encoder's attention: queries, keys and values (B, S, 3, H, h) → (B, S, H·h)."""
    queries, keys, values = qkv.unbind(2)
    positions = torch.arange(qkv.shape[1], device=qkv.device).expand(qkv.shape[:2])
    mask = (positions < places.lengths[:, None])[:, None, None]
    return _attend(queries, keys, values, positions, positions, mask, rotary)


def attend_target(qkv: Tensor, cache: Tensor, places: Places, rotary: Rotary | None) -> Tensor:
    """The decoder's attention: qkv (B, N, 3, H, h) goes into the cache (rows, slots, 2, H, h), and each query sees its
    row's slots up to its own → (B, N, H·h). Keys in the cache are not rotated. The last slot is for padding."""
    tokens, last = qkv.shape[1], cache.shape[1] - 1
    positions = _positions(places, tokens)
    no_token = torch.arange(tokens, device=qkv.device) >= places.counts[:, None]
    cache[places.rows[:, None], positions.masked_fill(no_token, last)] = qkv[:, :, 1:]
    keys, values = cache[places.rows].unbind(2)
    slots = torch.arange(last + 1, device=qkv.device).expand(len(qkv), -1)
    mask = (slots[:, None] <= positions[..., None])[:, None]
    return _attend(qkv[:, :, 0], keys, values, positions, slots, mask, rotary)


def attend_memory(queries: Tensor, memory: Tensor, places: Places, rotary: Rotary | None) -> Tensor:
    """Cross-attention: queries (B, N, H, h) over keys and values (rows, S, 2, H, h), unturned → (B, N, H·h)."""
    keys, values = memory[places.rows].unbind(2)
    slots = torch.arange(keys.shape[1], device=queries.device).expand(len(queries), -1)
    mask = (slots < places.lengths[:, None])[:, None, None]
    return _attend(queries, keys, values, _positions(places, queries.shape[1]), slots, mask, rotary)


def _positions(places: Places, tokens: int) -> Tensor:
    return places.starts[:, None] + torch.arange(tokens, device=places.starts.device)


def _attend(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    query_positions: Tensor,
    key_positions: Tensor,
    mask: Tensor,
    rotary: Rotary | None,
) -> Tensor:
    if rotary is not None:
        queries, keys = rotary.turn(queries, query_positions), rotary.turn(keys, key_positions)
    q, k, v = (x.transpose(1, 2) for x in (queries, keys, values))
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).flatten(2)

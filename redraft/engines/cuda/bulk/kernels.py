"""Kernels for bulk decoding: attention over packed tokens, and sampling.

Functions that triton compiles have no type annotations, because it rejects names that it does not know.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from redraft.engines.cuda.bulk.packing import Packing
from redraft.engines.cuda.kernels import attend
from redraft.engines.cuda.plain import QUERY_BLOCK, Places, Rotary

_LOGIT_BLOCK = 4096


class FusedAttention:
    """The functions of `packed_network.PlainAttention`."""

    def attend_source(self, qkv: Tensor, packing: Packing, slots: int, rotary: Rotary | None) -> Tensor:
        # All sentences begin at 0, and the rows are not used without a cache.
        nothing = torch.zeros_like(packing.counts)
        places = Places(nothing, nothing, packing.counts, packing.counts)
        return _launch_packed(qkv[:, 0], qkv[:, 1:], None, packing, places, rotary, causal=False)

    def attend_target(
        self, qkv: Tensor, cache: Tensor, packing: Packing, places: Places, rotary: Rotary | None
    ) -> Tensor:
        return _launch_packed(qkv[:, 0], qkv[:, 1:], cache, packing, places, rotary, causal=True)

    def attend_memory(
        self, queries: Tensor, memory: Tensor, packing: Packing, places: Places, rotary: Rotary | None
    ) -> Tensor:
        return _launch_packed(queries, None, memory, packing, places, rotary, causal=False)


def _launch_packed(
    queries: Tensor,
    new: Tensor | None,
    cache: Tensor | None,
    packing: Packing,
    places: Places,
    rotary: Rotary | None,
    causal: bool,
) -> Tensor:
    """Queries (P, H, h), `new` (P, 2, H, h) and `cache` (rows, slots, 2, H, h) → (P, H·h). One program computes a
    block of queries of one sentence, so there are as many programs as tokens need, however long sentences may be."""
    tokens, heads, width = queries.shape
    out = queries.new_zeros(tokens, heads * width)
    fresh, old = (queries if part is None else part for part in (new, cache))
    old_strides = (0, 0, 0) if cache is None else cache.stride()[:3]
    cosines, sines = (queries, queries) if rotary is None else (rotary.cosines, rotary.sines)
    attend[(len(packing.block_sentence), heads, 1)](
        *(queries, fresh, old, out, places.rows, places.starts, places.counts, places.lengths, cosines, sines),
        *(packing.block_sentence, packing.block_first, packing.offsets, len(packing.counts)),
        *(0, queries.stride(0), 0, fresh.stride(0), fresh.stride(1)),
        *(*old_strides, tokens, heads * width, width**-0.5, cosines.shape[0] - 1),
        WIDTH=width,
        HALF=max(16, triton.next_power_of_2(width // 2)),
        QUERIES=QUERY_BLOCK,
        KEYS=32,  # always the same, or the order of a sum would depend on the other sentences
        CAUSAL=causal,
        NEW=new is not None,
        CACHED=cache is not None,
        ROTARY=rotary is not None,
        PACKED=True,
        num_stages=1,
    )
    return out


def sample(logits: Tensor, hashes: Tensor, temperature: float, out: Tensor) -> None:
    """`sampling.sample` in one launch."""
    _sample[(len(hashes),)](*(logits, hashes, out, logits.shape[-1], len(hashes), 1 / temperature), BLOCK=_LOGIT_BLOCK)


@triton.jit  # type: ignore[untyped-decorator]
def _sample(logits, hashes, out, size, positions, scale, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    position = tl.program_id(0)
    row = logits + position.to(tl.int64) * size
    place_hash = tl.load(hashes + position).to(tl.uint32)
    best = -float("inf")
    best_value = 0.0
    best_id = tl.full((), 0, tl.int32)
    highest = -float("inf")
    total = 0.0
    for first in range(0, size, BLOCK):
        ids = first + tl.arange(0, BLOCK)
        values = tl.load(row + ids, mask=ids < size, other=-float("inf")).to(tl.float32) * scale
        bits = ids.to(tl.uint32) * 0x9E3779B9 ^ place_hash
        bits = (bits ^ (bits >> 16)) * 0x7FEB352D
        bits = (bits ^ (bits >> 15)) * 0x846CA68B
        bits = bits ^ (bits >> 16)
        uniform = ((bits >> 9).to(tl.float32) + 0.5) * (1.0 / 8388608.0)
        scores = values - tl.log(-tl.log(uniform))
        high_score = tl.max(scores, axis=0)
        place = tl.min(tl.where(scores == high_score, ids, size), axis=0)
        value = tl.max(tl.where(ids == place, values, -float("inf")), axis=0)
        better = high_score > best
        best_id = tl.where(better, place, best_id)
        best_value = tl.where(better, value, best_value)
        best = tl.maximum(best, high_score)
        new_highest = tl.maximum(highest, tl.max(values, axis=0))
        total = total * tl.exp(highest - new_highest) + tl.sum(tl.exp(values - new_highest), axis=0)
        highest = new_highest
    tl.store(out + position, best_id.to(tl.int32))
    log_probability = best_value - highest - tl.log(total)
    tl.store(out + positions + position, log_probability.to(tl.int32, bitcast=True))

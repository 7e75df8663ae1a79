"""The operations between a layer's matrix products, each in one launch: the same functions as in `plain`.

On a GPU the time of a small model depends on the number of its kernels, not on arithmetic. So one kernel rotates,
writes and reads keys and computes attention; one adds a residual and normalizes; one turns logits into a token.

No result depends on a token's place in a call, or on the other tokens: every row is a program of its own, and attention
reads the slots of a target in blocks that begin at slot 0, whether a key is new or from the cache.
Functions that triton compiles have no type annotations, because it rejects names that it does not know.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor, nn

from redraft.engines.cuda.plain import QUERY_BLOCK, Places, Rotary

_LOGIT_BLOCK = 4096


def add_norm(x: Tensor, change: Tensor, norm: nn.LayerNorm) -> tuple[Tensor, Tensor]:
    total, normed = torch.empty_like(x), torch.empty_like(x)
    width = x.shape[1]
    block = triton.next_power_of_2(width)
    _add_norm[(x.shape[0],)](x, change, total, normed, norm.weight, norm.bias, width, norm.eps, BLOCK=block)
    return total, normed


def choose(logits: Tensor, out: Tensor) -> None:
    positions = out[0].numel()
    _choose[(positions,)](logits, out, logits.shape[-1], positions, BLOCK=_LOGIT_BLOCK)


def attend_source(qkv: Tensor, places: Places, rotary: Rotary | None) -> Tensor:
    return _launch(qkv[:, :, 0], qkv[:, :, 1:], None, places, rotary, causal=False)


def attend_target(qkv: Tensor, cache: Tensor, places: Places, rotary: Rotary | None) -> Tensor:
    return _launch(qkv[:, :, 0], qkv[:, :, 1:], cache, places, rotary, causal=True)


def attend_memory(queries: Tensor, memory: Tensor, places: Places, rotary: Rotary | None) -> Tensor:
    return _launch(queries, None, memory, places, rotary, causal=False)


def _launch(
    queries: Tensor, new: Tensor | None, cache: Tensor | None, places: Places, rotary: Rotary | None, causal: bool
) -> Tensor:
    """`new` (B, N, 2, H, h) and `cache` (rows, slots, 2, H, h) hold keys and values."""
    batch, tokens, heads, width = queries.shape
    out = queries.new_empty(batch, tokens, heads * width)
    fresh, old = (queries if part is None else part for part in (new, cache))
    cosines, sines = (queries, queries) if rotary is None else (rotary.cosines, rotary.sines)
    grid = (triton.cdiv(tokens, QUERY_BLOCK), heads, batch)
    unused = places.rows
    attend[grid](
        *(queries, fresh, old, out, places.rows, places.starts, places.counts, places.lengths, cosines, sines),
        *(unused, unused, unused, batch),
        *(queries.stride(0), queries.stride(1), fresh.stride(0), fresh.stride(1), fresh.stride(2)),
        *(old.stride(0), old.stride(1), old.stride(2), tokens, heads * width, width**-0.5, cosines.shape[0] - 1),
        WIDTH=width,
        HALF=max(16, triton.next_power_of_2(width // 2)),
        QUERIES=QUERY_BLOCK,
        KEYS=32 if tokens <= 32 else 64,
        CAUSAL=causal,
        NEW=new is not None,
        CACHED=cache is not None,
        ROTARY=rotary is not None,
        PACKED=False,
        num_stages=1,  # the loop is short, and deeper pipelines take more shared memory than small GPUs have
    )
    return out


@triton.jit  # type: ignore[untyped-decorator]
def _add_norm(  # type: ignore[no-untyped-def]
    x, change, total, normed, weight, bias, width, epsilon, BLOCK: tl.constexpr
):
    offsets = tl.arange(0, BLOCK)
    inside = offsets < width
    row = tl.program_id(0).to(tl.int64) * width
    both = tl.load(x + row + offsets, mask=inside, other=0.0).to(tl.float32)
    both += tl.load(change + row + offsets, mask=inside, other=0.0).to(tl.float32)
    # Rounded as it is stored, so that what is normalized is what the next layers add to.
    rounded = both.to(total.dtype.element_ty)
    tl.store(total + row + offsets, rounded, mask=inside)
    both = rounded.to(tl.float32)
    mean = tl.sum(both, axis=0) / width
    centred = tl.where(inside, both - mean, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / width + epsilon)
    gain = tl.load(weight + offsets, mask=inside, other=0.0).to(tl.float32)
    shift = tl.load(bias + offsets, mask=inside, other=0.0).to(tl.float32)
    tl.store(normed + row + offsets, (centred * scale * gain + shift).to(normed.dtype.element_ty), mask=inside)


@triton.jit  # type: ignore[untyped-decorator]
def _choose(logits, out, size, positions, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    position = tl.program_id(0)
    row = logits + position.to(tl.int64) * size
    best = -float("inf")
    best_id = tl.full((), 0, tl.int32)
    total = 0.0
    for first in range(0, size, BLOCK):
        ids = first + tl.arange(0, BLOCK)
        values = tl.load(row + ids, mask=ids < size, other=-float("inf")).to(tl.float32)
        highest = tl.max(values, axis=0)
        # Of equal logits the first wins, as in torch.
        place = tl.min(tl.where(values == highest, ids, size), axis=0)
        best_id = tl.where(highest > best, place, best_id)
        new_best = tl.maximum(best, highest)
        total = total * tl.exp(best - new_best) + tl.sum(tl.exp(values - new_best), axis=0)
        best = new_best
    tl.store(out + position, best_id.to(tl.int32))
    tl.store(out + positions + position, (-tl.log(total)).to(tl.int32, bitcast=True))


@triton.jit
def _turn(left, right, cosines, sines, inside):  # type: ignore[no-untyped-def]
    cosine = tl.load(cosines, mask=inside, other=0.0)
    sine = tl.load(sines, mask=inside, other=0.0)
    x, y = left.to(tl.float32), right.to(tl.float32)
    return (x * cosine - y * sine).to(left.dtype), (y * cosine + x * sine).to(left.dtype)


@triton.jit  # type: ignore[untyped-decorator]
def attend(  # type: ignore[no-untyped-def]  # noqa: PLR0912, PLR0915
    q,
    new,
    cache,
    out,
    rows,
    starts,
    counts,
    lengths,
    cosines,
    sines,
    block_sentence,
    block_first,
    offsets,
    sentences,
    q_sentence,
    q_token,
    new_sentence,
    new_token,
    new_part,
    cache_row,
    cache_slot,
    cache_part,
    tokens,
    model_width,
    scale,
    last_position,
    WIDTH: tl.constexpr,
    HALF: tl.constexpr,
    QUERIES: tl.constexpr,
    KEYS: tl.constexpr,
    CAUSAL: tl.constexpr,
    NEW: tl.constexpr,
    CACHED: tl.constexpr,
    ROTARY: tl.constexpr,
    PACKED: tl.constexpr,
):
    """One head of one sentence for a block of queries. A head is held in halves, which rotary positions mix.

    Packed sentences lie side by side at their offsets, and a block without a sentence computes nothing; others are
    `tokens` long with padding."""
    middle: tl.constexpr = WIDTH // 2
    head = tl.program_id(1) * WIDTH
    if PACKED:
        found = tl.load(block_sentence + tl.program_id(0)).to(tl.int32)
        sentence = tl.minimum(found, sentences - 1)
        first_query = tl.load(block_first + tl.program_id(0)).to(tl.int32)
        offset = tl.load(offsets + sentence).to(tl.int64)
        own = tl.where(found < sentences, tl.load(counts + sentence).to(tl.int32), 0)
        limit = tl.where(found < sentences, tl.load(lengths + sentence).to(tl.int32), 0)
        first_row = offset * model_width
    else:
        sentence = tl.program_id(2)
        first_query = tl.program_id(0) * QUERIES
        offset = sentence.to(tl.int64)
        own = tokens
        limit = tl.load(lengths + sentence).to(tl.int32)
        first_row = offset * tokens * model_width
    index = first_query + tl.arange(0, QUERIES)
    start = tl.load(starts + sentence).to(tl.int32)
    if CAUSAL:
        limit = start + tl.load(counts + sentence).to(tl.int32)
        if PACKED:
            limit = start + own
    half = tl.arange(0, HALF)
    within = half[None, :] < middle
    asked = (index[:, None] < own) & within
    position = start + index
    if PACKED:
        q += offset * q_token
        new += offset * new_token
    else:
        q += offset * q_sentence
        new += offset * new_sentence
    place = q + index[:, None] * q_token + head + half[None, :]
    q_left = tl.load(place, mask=asked, other=0.0)
    q_right = tl.load(place + middle, mask=asked, other=0.0)
    if ROTARY:
        angles = tl.minimum(position, last_position)[:, None] * middle + half[None, :]
        q_left, q_right = _turn(q_left, q_right, cosines + angles, sines + angles, asked)

    fresh = new + head
    kept = cache + tl.load(rows + sentence) * cache_row + head
    if NEW and CACHED:
        # All programs read slots from `start` on from `new`, so none has to wait for these writes.
        is_token = (index[:, None] < limit - start) & within
        source = fresh + index[:, None] * new_token + half[None, :]
        target = kept + position[:, None] * cache_slot + half[None, :]
        tl.store(target, tl.load(source, mask=is_token, other=0.0), mask=is_token)
        tl.store(target + middle, tl.load(source + middle, mask=is_token, other=0.0), mask=is_token)
        tl.store(target + cache_part, tl.load(source + new_part, mask=is_token, other=0.0), mask=is_token)
        ending = tl.load(source + new_part + middle, mask=is_token, other=0.0)
        tl.store(target + cache_part + middle, ending, mask=is_token)

    end = limit
    if CAUSAL:
        end = tl.minimum(limit, start + first_query + QUERIES)
    if PACKED:
        end = tl.where(own > 0, end, 0)
    highest = tl.full((QUERIES,), -1e30, tl.float32)
    total = tl.zeros((QUERIES,), tl.float32)
    sum_left = tl.zeros((QUERIES, HALF), tl.float32)
    sum_right = tl.zeros((QUERIES, HALF), tl.float32)
    for first in range(0, end, KEYS):
        slot = first + tl.arange(0, KEYS)
        known = (slot[:, None] < limit) & within
        if NEW and CACHED:
            is_new = known & (slot[:, None] >= start)
            is_old = known & (slot[:, None] < start)
            new_place = fresh + (slot[:, None] - start) * new_token + half[None, :]
            old_place = kept + slot[:, None] * cache_slot + half[None, :]
            k_left = tl.load(new_place, mask=is_new, other=0.0) + tl.load(old_place, mask=is_old, other=0.0)
            k_right = tl.load(new_place + middle, mask=is_new, other=0.0)
            k_right += tl.load(old_place + middle, mask=is_old, other=0.0)
            v_left = tl.load(new_place + new_part, mask=is_new, other=0.0)
            v_left += tl.load(old_place + cache_part, mask=is_old, other=0.0)
            v_right = tl.load(new_place + new_part + middle, mask=is_new, other=0.0)
            v_right += tl.load(old_place + cache_part + middle, mask=is_old, other=0.0)
        else:
            if NEW:
                key_place = fresh + slot[:, None] * new_token + half[None, :]
                part = new_part
            else:
                key_place = kept + slot[:, None] * cache_slot + half[None, :]
                part = cache_part
            k_left = tl.load(key_place, mask=known, other=0.0)
            k_right = tl.load(key_place + middle, mask=known, other=0.0)
            v_left = tl.load(key_place + part, mask=known, other=0.0)
            v_right = tl.load(key_place + part + middle, mask=known, other=0.0)
        if ROTARY:
            key_angles = slot[:, None] * middle + half[None, :]
            k_left, k_right = _turn(k_left, k_right, cosines + key_angles, sines + key_angles, known)
        scores = tl.dot(q_left, tl.trans(k_left), input_precision="ieee")
        scores += tl.dot(q_right, tl.trans(k_right), input_precision="ieee")
        visible = slot[None, :] < limit
        if CAUSAL:
            visible = visible & (slot[None, :] <= position[:, None])
        scores = tl.where(visible, scores * scale, -float("inf"))
        new_highest = tl.maximum(highest, tl.max(scores, axis=1))
        weights = tl.exp(scores - new_highest[:, None])
        decay = tl.exp(highest - new_highest)
        total = total * decay + tl.sum(weights, axis=1)
        cast = weights.to(q.dtype.element_ty)
        sum_left = sum_left * decay[:, None] + tl.dot(cast, v_left, input_precision="ieee")
        sum_right = sum_right * decay[:, None] + tl.dot(cast, v_right, input_precision="ieee")
        highest = new_highest
    # A padding row has no keys: its result is zero rather than NaN.
    total = tl.maximum(total, 1e-30)
    written = out + first_row + index[:, None] * model_width + head + half[None, :]
    tl.store(written, (sum_left / total[:, None]).to(out.dtype.element_ty), mask=asked)
    tl.store(written + middle, (sum_right / total[:, None]).to(out.dtype.element_ty), mask=asked)

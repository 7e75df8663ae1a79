"""Attention inside the windows of a packed batch: one GPU kernel forward and one backward.

One thread block holds all scores of a window: queries, keys and values are read once, the result is written once, and
the backward pass computes the scores again. General kernels for sentences of many lengths use tiles of 128 too, but
spend a whole tile on a sentence of 30 tokens.

Rotary positions are applied in the kernel, because a separate pass would read and write all queries and keys once more.
They rotate the left half of a head with the right one, so queries and keys are loaded as halves. Functions that triton
compiles have no type annotations: triton refuses names that it does not know.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from redraft.model.windows import Packed

_HIDDEN = tl.constexpr(-1.0e9)
_WARPS = 8


@triton.jit  # type: ignore[untyped-decorator]
def _rotate(left, right, positions, angles, rows, direction, WIDTH: tl.constexpr):  # type: ignore[no-untyped-def]
    """Both halves rotated by the angles of their positions, or back if `direction` is -1. A row of `angles` holds the
    cosines of a position, then its sines."""
    places = angles + tl.load(positions + rows) * WIDTH + tl.arange(0, WIDTH // 2)[None, :]
    cos, sin = tl.load(places), tl.load(places + WIDTH // 2) * direction
    return left * cos - right * sin, right * cos + left * sin


@triton.jit  # type: ignore[untyped-decorator]
def _load_rotated(  # type: ignore[no-untyped-def]
    x, stride, positions, angles, rows, head, WIDTH: tl.constexpr, ROTARY: tl.constexpr
):
    """The halves of a window's queries or keys, (TOKENS, WIDTH / 2) each."""
    places = x + rows * stride + head * WIDTH + tl.arange(0, WIDTH // 2)[None, :]
    left, right = tl.load(places), tl.load(places + WIDTH // 2)
    dtype = left.dtype
    if ROTARY:
        left, right = _rotate(left.to(tl.float32), right.to(tl.float32), positions, angles, rows, 1.0, WIDTH)
    return left.to(dtype), right.to(dtype)


@triton.jit  # type: ignore[untyped-decorator]
def _store_rotated_back(  # type: ignore[no-untyped-def]
    x, left, right, positions, angles, rows, head, HEADS: tl.constexpr, WIDTH: tl.constexpr, ROTARY: tl.constexpr
):
    """Stores the gradient of the loaded values, given that of what `_load_rotated` returned."""
    places = x + rows * (HEADS * WIDTH) + head * WIDTH + tl.arange(0, WIDTH // 2)[None, :]
    if ROTARY:
        left, right = _rotate(left, right, positions, angles, rows, -1.0, WIDTH)
    tl.store(places, left.to(x.dtype.element_ty))
    tl.store(places + WIDTH // 2, right.to(x.dtype.element_ty))


@triton.jit  # type: ignore[untyped-decorator]
def _scores(  # type: ignore[no-untyped-def]
    q_left, q_right, k_left, k_right, own_segments, other_segments, start, scale,
    TOKENS: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """(TOKENS, TOKENS): queries times keys, and _HIDDEN where a query must not see a key."""
    place = tl.arange(0, TOKENS)
    own = tl.load(own_segments + start + place)
    other = tl.load(other_segments + start + place)
    seen = (own[:, None] == other[None, :]) | (own[:, None] == 0)
    if CAUSAL:
        seen = seen & (place[:, None] >= place[None, :])
    products = tl.dot(q_right, tl.trans(k_right), tl.dot(q_left, tl.trans(k_left)))
    return tl.where(seen, products * scale, _HIDDEN)


@triton.jit  # type: ignore[untyped-decorator]
def _window_forward(  # type: ignore[no-untyped-def]
    queries, keys, values, own, other, own_positions, other_positions, angles, result, totals,
    query_stride, key_stride, value_stride, scale,
    HEADS: tl.constexpr, TOKENS: tl.constexpr, WIDTH: tl.constexpr, CAUSAL: tl.constexpr, ROTARY: tl.constexpr,
):  # fmt: skip
    start, head = tl.program_id(0).to(tl.int64) * TOKENS, tl.program_id(1)
    place, part = tl.arange(0, TOKENS), tl.arange(0, WIDTH)
    rows, columns = start + place[:, None], head * WIDTH + part[None, :]
    q_left, q_right = _load_rotated(queries, query_stride, own_positions, angles, rows, head, WIDTH, ROTARY)
    k_left, k_right = _load_rotated(keys, key_stride, other_positions, angles, rows, head, WIDTH, ROTARY)
    v = tl.load(values + rows * value_stride + columns)
    scores = _scores(q_left, q_right, k_left, k_right, own, other, start, scale, TOKENS, CAUSAL)
    highest = tl.max(scores, 1)
    weights = tl.exp(scores - highest[:, None])
    total = tl.sum(weights, 1)
    attended = tl.dot(weights.to(v.dtype), v) / total[:, None]
    tl.store(result + rows * (HEADS * WIDTH) + columns, attended.to(v.dtype))
    tl.store(totals + (start + place) * HEADS + head, highest + tl.log(total))


@triton.jit  # type: ignore[untyped-decorator]
def _window_backward(  # type: ignore[no-untyped-def]
    queries, keys, values, own, other, own_positions, other_positions, angles, result, totals, gradient,
    query_gradient, key_gradient, value_gradient,
    query_stride, key_stride, value_stride, gradient_stride, scale,
    HEADS: tl.constexpr, TOKENS: tl.constexpr, WIDTH: tl.constexpr, CAUSAL: tl.constexpr, ROTARY: tl.constexpr,
):  # fmt: skip
    start, head = tl.program_id(0).to(tl.int64) * TOKENS, tl.program_id(1)
    place, part = tl.arange(0, TOKENS), tl.arange(0, WIDTH)
    rows, columns = start + place[:, None], head * WIDTH + part[None, :]
    flat = rows * (HEADS * WIDTH) + columns
    q_left, q_right = _load_rotated(queries, query_stride, own_positions, angles, rows, head, WIDTH, ROTARY)
    k_left, k_right = _load_rotated(keys, key_stride, other_positions, angles, rows, head, WIDTH, ROTARY)
    v = tl.load(values + rows * value_stride + columns)
    d = tl.load(gradient + rows * gradient_stride + columns)
    attended = tl.load(result + flat)
    scores = _scores(q_left, q_right, k_left, k_right, own, other, start, scale, TOKENS, CAUSAL)
    weights = tl.exp(scores - tl.load(totals + (start + place) * HEADS + head)[:, None])
    tl.store(value_gradient + flat, tl.dot(tl.trans(weights.to(d.dtype)), d).to(v.dtype))
    shared = tl.sum(attended.to(tl.float32) * d.to(tl.float32), 1)
    score_gradient = (weights * (tl.dot(d, tl.trans(v)) - shared[:, None]) * scale).to(v.dtype)
    left, right = tl.dot(score_gradient, k_left), tl.dot(score_gradient, k_right)
    _store_rotated_back(query_gradient, left, right, own_positions, angles, rows, head, HEADS, WIDTH, ROTARY)
    score_gradient = tl.trans(score_gradient)
    left, right = tl.dot(score_gradient, q_left), tl.dot(score_gradient, q_right)
    _store_rotated_back(key_gradient, left, right, other_positions, angles, rows, head, HEADS, WIDTH, ROTARY)


@torch.library.custom_op("redraft::window_attention", mutates_args=())
def _attend(
    queries: Tensor, keys: Tensor, values: Tensor, own: Tensor, other: Tensor,
    own_positions: Tensor, other_positions: Tensor, angles: Tensor | None, window: int, causal: bool,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The attended values (P, H, h), and the logarithm of the sum of each query's weights (P, H)."""
    tokens, heads, width = queries.shape
    result, totals = queries.new_empty(queries.shape), queries.new_empty((tokens, heads), dtype=torch.float32)
    _window_forward[(tokens // window, heads)](
        queries, keys, values, own, other, own_positions, other_positions, angles, result, totals,
        queries.stride(0), keys.stride(0), values.stride(0), width**-0.5,
        HEADS=heads, TOKENS=window, WIDTH=width, CAUSAL=causal, ROTARY=angles is not None, num_warps=_WARPS,
    )  # fmt: skip
    return result, totals


@torch.library.custom_op("redraft::window_attention_backward", mutates_args=())
def _attend_backward(
    gradient: Tensor, queries: Tensor, keys: Tensor, values: Tensor, own: Tensor, other: Tensor,
    own_positions: Tensor, other_positions: Tensor, angles: Tensor | None,
    result: Tensor, totals: Tensor, window: int, causal: bool,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    tokens, heads, width = queries.shape
    gradients = queries.new_empty(queries.shape), keys.new_empty(keys.shape), values.new_empty(values.shape)
    _window_backward[(tokens // window, heads)](
        queries, keys, values, own, other, own_positions, other_positions, angles, result, totals, gradient, *gradients,
        queries.stride(0), keys.stride(0), values.stride(0), gradient.stride(0), width**-0.5,
        HEADS=heads, TOKENS=window, WIDTH=width, CAUSAL=causal, ROTARY=angles is not None, num_warps=_WARPS,
    )  # fmt: skip
    return gradients


@_attend.register_fake
def _(queries: Tensor, *_: Any) -> Any:
    return queries.new_empty(queries.shape), queries.new_empty(queries.shape[:2], dtype=torch.float32)


@_attend_backward.register_fake
def _(gradient: Tensor, queries: Tensor, keys: Tensor, values: Tensor, *_: Any) -> Any:
    return queries.new_empty(queries.shape), keys.new_empty(keys.shape), values.new_empty(values.shape)


def _setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    *tensors, ctx.window, ctx.causal = inputs
    ctx.save_for_backward(*tensors, *output)


def _differentiate(context: Any, gradient: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
    gradients = _attend_backward(_by_heads(gradient), *context.saved_tensors, context.window, context.causal)
    return (*gradients, *[None] * 7)


_attend.register_autograd(_differentiate, setup_context=_setup_context)


def window_attention(
    q: Tensor, k: Tensor, v: Tensor, queries: Packed, keys: Packed, angles: Tensor | None, causal: bool
) -> Tensor:
    """q, k and v (P, H, h) → the attended values (P, H, h). A row of `angles` (window, h) holds the cosines of a
    position's angles, then their sines; None if positions are not rotary."""
    sides = queries.segments, keys.segments, queries.positions, keys.positions
    result, _ = _attend(_by_heads(q), _by_heads(k), _by_heads(v), *sides, angles, queries.window, causal)
    return result  # type: ignore[no-any-return]


def _by_heads(x: Tensor) -> Tensor:
    """The tensor, or a copy of it in which the heads of a token are contiguous, as the kernels need them."""
    return x if x.stride(2) == 1 and x.stride(1) == x.shape[2] else x.contiguous()

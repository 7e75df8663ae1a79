"""Compares the kernel with plain attention, forward and backward; fails if they differ. On a GPU if there is one."""

from __future__ import annotations

from itertools import product

import torch
from torch import Tensor

from redraft.model.transformer import frequencies
from redraft.model.window_kernel import window_attention
from redraft.model.windows import PADDING, Packed, Rotation, masked_attention, window_mask

WINDOW, HEADS, WIDTH = 128, 2, 64


def draw_side(counts: list[int], device: str) -> Packed:
    """Windows of `counts` random sentences each, then padding. Both sides of a batch must have the same counts: a
    query whose sentence is missing on the other side sees nothing, and what it attends to is undefined."""
    positions, segments = (torch.zeros(len(counts), WINDOW, dtype=torch.int32) for _ in range(2))
    for window, count in enumerate(counts):
        start = 0
        for number in range(1, count + 1):
            length = int(torch.randint(5, (WINDOW - 7) // count, ()))
            here = slice(start, start + length)
            positions[window, here], segments[window, here] = torch.arange(length, dtype=torch.int32), number
            start += length
    assert (segments[:, -1] == PADDING).all()
    ids, positions, segments = (x.flatten().to(device) for x in (segments, positions, segments))
    return Packed(ids, positions, segments, WINDOW)


def attend_plainly(joint: Tensor, own: Packed, other: Packed, rotation: Rotation | None, causal: bool) -> Tensor:
    q, k, v = joint.unbind(1)
    if rotation is not None:
        q, k = rotation.at(own.positions)(q), rotation.at(other.positions)(k)
    windows = [part.unflatten(0, (-1, WINDOW)) for part in (q, k, v)]
    return masked_attention(window_mask(own, other, causal))(*windows).flatten(0, 1)


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype, tolerance = (torch.bfloat16, 2e-2) if device == "cuda" else (torch.float32, 1e-4)
    torch.manual_seed(0)
    counts = torch.randint(2, 7, (64 if device == "cuda" else 2,)).tolist()
    source, target = draw_side(counts, device), draw_side(counts, device)
    angles = torch.arange(WINDOW, device=device)[:, None] * frequencies(WIDTH, torch.device(device))
    rotation = Rotation(angles.cos()[:, None], angles.sin()[:, None])
    angles = torch.cat((angles.cos(), angles.sin()), dim=-1)
    kinds = {"encoder": (source, source, False), "decoder": (target, target, True), "cross": (target, source, False)}
    for (kind, (own, other, causal)), rotary in product(kinds.items(), (False, True)):
        joint = torch.randn(len(own.ids), 3, HEADS, WIDTH, device=device, dtype=dtype, requires_grad=True)
        slope = torch.randn(len(own.ids), HEADS, WIDTH, device=device, dtype=dtype)
        q, k, v = joint.unbind(1)
        found = window_attention(q, k, v, own, other, angles if rotary else None, causal)
        (gradient,) = torch.autograd.grad(found, joint, slope)
        exact = joint.detach().double().requires_grad_()
        expected = attend_plainly(exact, own, other, rotation if rotary else None, causal)
        (expected_gradient,) = torch.autograd.grad(expected, exact, slope.double())
        pairs = [("result", found, expected)]
        parts = zip("qkv", gradient.unbind(1), expected_gradient.unbind(1), strict=True)
        pairs += [(f"gradient of {name}", a, b) for name, a, b in parts]
        for name, a, b in pairs:
            error = float(((a.double() - b).norm() / b.norm()).detach())
            print(f"{kind}, rotary={rotary}, {name}: relative error {error:.1e}")  # noqa: T201
            assert error < tolerance


if __name__ == "__main__":
    main()

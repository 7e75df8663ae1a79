"""Triton's interpreter runs the kernels on the CPU. It is chosen when they are made, hence a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import torch
from torch import Tensor, nn

from redraft.engines.cuda import plain as cuda_plain
from redraft.engines.cuda.plain import Blocks, Places, Rotary
from redraft.model.transformer import Rotation

SLOTS, SPARE = 50, 1
HEADS, WIDTH = 1, 6


def run(dtype: torch.dtype, fused: Blocks) -> None:
    torch.manual_seed(3)
    for turning in (False, True):
        compare_attention(dtype, make_rotary(dtype) if turning else None, fused)
    compare_norm(dtype, fused)
    compare_choice(dtype, fused)


def make_rotary(dtype: torch.dtype) -> Rotary:
    angles = torch.rand(100, WIDTH // 2) * 6

    def turn(x: Tensor, positions: Tensor) -> Tensor:
        found = angles[positions][:, :, None]
        return Rotation(found.cos(), found.sin())(x.float()).to(dtype)

    return Rotary(angles.cos(), angles.sin(), turn)


def compare_attention(dtype: torch.dtype, rotary: Rotary | None, fused: Blocks) -> None:
    """Three calls of a target, the second over what the first left in the cache and with fewer tokens than places."""
    caches = [torch.zeros(4, SLOTS + SPARE, 2, HEADS, WIDTH, dtype=dtype) for _ in range(2)]
    memory = torch.randn(4, 40, 2, HEADS, WIDTH).to(dtype)
    rows, lengths = torch.tensor([2, 0]), torch.tensor([40, 1])
    for starts, counts in (([0, 0], [35, 2]), ([20, 2], [1, 18]), ([21, 1], [20, 1])):
        places = Places(rows, torch.tensor(starts), torch.tensor(counts), lengths)
        qkv = torch.randn(2, 40, 3, HEADS, WIDTH).to(dtype)
        for cache, blocks in zip(caches, (cuda_plain, fused), strict=True):
            cache[:, -1] = 0
            attended = [
                blocks.attend_target(qkv, cache, places, rotary),
                blocks.attend_memory(qkv[:, :, 0], memory, places, rotary),
            ]
            if starts == [0, 0]:
                attended.append(blocks.attend_source(qkv, places, rotary))
            if blocks is cuda_plain:
                expected = attended
        for index, (one, other) in enumerate(zip(attended, expected, strict=True)):
            for sentence in range(2):
                # What is behind a row's tokens is nobody's concern.
                tokens = lengths[sentence] if index == 2 else counts[sentence]
                close(one[sentence, :tokens], other[sentence, :tokens])
        for row, start, count in zip(rows, starts, counts, strict=True):
            assert torch.equal(caches[0][row, : start + count], caches[1][row, : start + count])


def compare_norm(dtype: torch.dtype, fused: Blocks) -> None:
    norm = nn.LayerNorm(24).to(dtype)
    nn.init.normal_(norm.weight)
    nn.init.normal_(norm.bias)
    x, change = (torch.randn(3, 24).to(dtype) for _ in range(2))
    for one, other in zip(fused.add_norm(x, change, norm), cuda_plain.add_norm(x, change, norm), strict=True):
        close(one, other)


def compare_choice(dtype: torch.dtype, fused: Blocks) -> None:
    logits = torch.randn(4, 5000).to(dtype)
    logits[0, [4500, 4999]] = 30.0  # a tie beyond the first block
    logits[1, [70, 4600]] = 30.0  # a tie across blocks
    logits[[2, 3], [9, 4]] = 40.0
    outs = [torch.zeros(2, 2, 2, dtype=torch.int32) for _ in range(2)]
    for out, blocks in zip(outs, (cuda_plain, fused), strict=True):
        blocks.choose(logits, out)
    assert torch.equal(outs[0][0], outs[1][0])
    assert outs[0][0].tolist() == [[4500, 70], [9, 4]]
    close(outs[0][1].view(torch.float32), outs[1][1].view(torch.float32))


def close(one: Tensor, other: Tensor) -> None:
    room = 1e-4 if one.dtype == torch.float32 else 1e-2
    torch.testing.assert_close(one, other, atol=room, rtol=room)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_the_kernels_compute_what_torch_computes(dtype):
    pytest.importorskip("triton")
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    done = subprocess.run(
        [sys.executable, __file__, dtype], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]


if __name__ == "__main__":
    from redraft.engines.cuda import kernels as cuda_kernels

    run(getattr(torch, sys.argv[1]), cuda_kernels)

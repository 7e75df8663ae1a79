"""Triton's interpreter runs the kernels on the CPU. It is chosen when they are made, hence a process of its own."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
from scripted import Letters
from torch import Tensor, nn

from redraft.engines.cuda import plain as cuda_plain
from redraft.engines.cuda.bulk.decoder import BulkDecoder, BulkOptions
from redraft.engines.cuda.bulk.packed_network import PackedAttention, PlainAttention
from redraft.engines.cuda.bulk.packing import Packing
from redraft.engines.cuda.bulk.rounds import Rounds
from redraft.engines.cuda.bulk.sampling import Sampling, hash_places, sample
from redraft.engines.cuda.bulk.token_table import TokenTable
from redraft.engines.cuda.plain import Blocks, Places, Rotary
from redraft.model.config import preset
from redraft.model.transformer import Rotation, Transformer

SLOTS, SPARE = 50, 1
HEADS, WIDTH = 1, 6


def run(dtype: torch.dtype) -> None:
    from redraft.engines.cuda import kernels as fused
    from redraft.engines.cuda.bulk import kernels as bulk
    from redraft.engines.cuda.bulk.fused_rounds import FusedRounds

    torch.manual_seed(3)
    for turning in (False, True):
        rotary = make_rotary(dtype) if turning else None
        compare_attention(dtype, rotary, fused)
        compare_packed_attention(dtype, rotary, bulk.FusedAttention())
    compare_samples(dtype, bulk.sample)
    if dtype == torch.float32:
        compare_rounds(FusedRounds)
        compare_decoders()
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


def compare_packed_attention(dtype: torch.dtype, rotary: Rotary | None, fused: PackedAttention) -> None:
    """Two calls of four sentences, one of which feeds nothing; the second call is over what the first left."""
    caches = [torch.zeros(5, SLOTS + SPARE, 2, HEADS, WIDTH, dtype=dtype) for _ in range(2)]
    memory = torch.randn(5, 40, 2, HEADS, WIDTH).to(dtype)
    rows, lengths = torch.arange(4), torch.tensor([40, 1, 17, 3])
    for starts, counts in (([0, 0, 0, 0], [35, 2, 0, 18]), ([20, 2, 0, 1], [1, 18, 0, 17])):
        packing = Packing.build(torch.tensor(counts), 60)
        places = Places(rows, torch.tensor(starts), packing.counts, lengths)
        qkv = torch.randn(60, 3, HEADS, WIDTH).to(dtype)
        found = [
            [
                attention.attend_target(qkv, cache, packing, places, rotary),
                attention.attend_memory(qkv[:, 0], memory, packing, places, rotary),
                attention.attend_source(qkv, packing, SLOTS, rotary),
            ]
            for cache, attention in zip(caches, (PlainAttention(), fused), strict=True)
        ]
        for one, other in zip(*found, strict=True):
            close(one[: sum(counts)], other[: sum(counts)])
        for row, start, count in zip(rows, starts, counts, strict=True):
            assert torch.equal(caches[0][row, : start + count], caches[1][row, : start + count])


def compare_rounds(fused: type[Rounds]) -> None:
    """Rounds of eight sentences with random predictions, most of them copies, and all numbers after each round."""
    vocabulary = Letters(9)
    table = TokenTable.build(vocabulary, 9, torch.device("cpu"))
    settings: dict[str, Any] = {"rows": 8, "tokens": 60, "max_tokens": 12, "bos": 1, "eos": 2, "table": table}
    for threshold in (0.0, 0.5):
        both = [kind(**settings, threshold=threshold) for kind in (Rounds, fused)]
        packing = Packing.build(torch.tensor([12, 5, 1, 9, 13, 10, 2, 8]), 60)
        ids = torch.randint(3, 9, (60,))
        ids[packing.offsets + packing.counts - 1] = 2
        limits = torch.where(torch.rand(60) < 0.5, -math.inf, torch.rand(60).log())
        for rounds in both:
            rounds.begin(torch.arange(8), packing, ids, torch.arange(8), limits)
        for _ in range(14):
            feed, other = (rounds.draft() for rounds in both)
            assert torch.equal(feed.ids, other.ids)
            predicted, following = torch.randint(2, 9, (60,)), feed.ids.roll(-1)
            predicted = torch.where(torch.rand(60) < 0.75, following, predicted).int()
            predicted[torch.rand(60) < 0.1] = 2
            log_probabilities = torch.rand(60).log()
            for rounds in both:
                rounds.accept(feed, predicted, log_probabilities)
            compare_state(*both)
        assert both[0].done.all() and both[0].finished.sum() > 1


def compare_state(one: Rounds, other: Rounds) -> None:
    for name in ("written", "limit", "last", "done", "finished"):
        assert torch.equal(getattr(one, name)[:-1], getattr(other, name)[:-1]), name
    for name in ("position", "edit_start", "before_jump"):
        assert torch.equal(getattr(one.followers, name)[:-1], getattr(other.followers, name)[:-1]), name
    for row, written in enumerate((one.written + one.finished)[:-1].tolist()):
        for name in ("target", "log_probabilities", "origins"):
            assert torch.equal(getattr(one, name)[row, :written], getattr(other, name)[row, :written]), name


def compare_decoders() -> None:
    """A whole decoder with all kernels, on a network so small that the interpreter is quick."""
    config = preset("tiny", vocabulary=20, width=32, heads=1, ffn=32, encoder_layers=1, decoder_layers=1, max_tokens=8)
    model = Transformer(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(2.0)
    options = BulkOptions(0.1, rows=1, tokens=4, encoder_tokens=9, sampling=Sampling(seed=4))
    plain, fused = (
        BulkDecoder.open(model, Letters(20), options, kernels).decode([[5, 9]]) for kernels in (False, True)
    )
    assert [(one.ids, one.finished) for one in plain] == [(one.ids, one.finished) for one in fused]


def compare_samples(dtype: torch.dtype, fused: Callable[[Tensor, Tensor, float, Tensor], None]) -> None:
    logits = torch.randn(6, 5000).to(dtype) * 3
    hashes = hash_places(9, torch.arange(6), torch.arange(6) * 7)
    outs = [torch.zeros(2, 6, dtype=torch.int32) for _ in range(2)]
    for out, draw in zip(outs, (sample, fused), strict=True):
        draw(logits, hashes, 0.8, out)
    assert torch.equal(outs[0][0], outs[1][0])
    assert len(outs[0][0].unique()) == 6
    close(outs[0][1].view(torch.float32), outs[1][1].view(torch.float32))


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
    environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, __file__, dtype], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]


if __name__ == "__main__":
    run(getattr(torch, sys.argv[1]))

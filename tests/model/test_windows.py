from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from packing import pack

from redraft.model.windows import masked_attention, packed_attention, product_attention, window_mask

lengths = st.lists(st.tuples(st.integers(1, 8), st.integers(1, 8)), min_size=1, max_size=5)


@given(lengths, st.booleans())
def test_a_query_sees_its_own_sentence_and_no_row_is_empty(pairs, causal):
    source, target = pack([[5] * a for a, _ in pairs], 16), pack([[5] * b for _, b in pairs], 16)
    keys = target if causal else source
    mask = window_mask(target, keys, causal)[:, 0]
    assert mask.any(-1).all()
    for window in range(len(mask)):
        for query in range(16):
            segment = target.segments[window * 16 + query]
            if segment:
                seen = {key for key in range(16) if mask[window, query, key]}
                own = {key for key in range(16) if keys.segments[window * 16 + key] == segment}
                assert seen == ({key for key in own if key <= query} if causal else own)


@pytest.mark.parametrize("width", [4, 32])  # the kernel takes the latter, but only on a GPU
@settings(deadline=None)
@given(lengths)
def test_attention_inside_windows_is_attention_inside_each_sentence(width, pairs):
    torch.manual_seed(1)
    source, target = pack([[5] * a for a, _ in pairs], 16), pack([[5] * b for _, b in pairs], 16)
    q, k, v = (torch.randn(len(source.ids), 2, width, dtype=torch.double) for _ in range(3))
    found = packed_attention(target, source, head_width=width)(q, k, v)
    for window in range(len(source.ids) // 16):
        here = slice(window * 16, window * 16 + 16)
        for segment in (1, 2):
            queries, keys = (side.segments[here] == segment for side in (target, source))
            if queries.any():
                weights = torch.einsum("qhd,khd->hqk", q[here][queries], k[here][keys]).div(width**0.5).softmax(-1)
                expected = torch.einsum("hqk,khd->qhd", weights, v[here][keys])
                torch.testing.assert_close(found[here][queries], expected)


@given(lengths)
def test_attention_as_matrix_products_has_the_gradient_of_torch(pairs):
    torch.manual_seed(1)
    source, target = pack([[5] * a for a, _ in pairs], 16), pack([[5] * b for _, b in pairs], 16)
    mask = window_mask(target, source, causal=False)
    inputs = [torch.randn(len(mask), 16, 2, 4, dtype=torch.double, requires_grad=True) for _ in range(3)]
    outputs = [attention(mask)(*inputs) for attention in (product_attention, masked_attention)]
    torch.testing.assert_close(*outputs)
    gradients = [torch.autograd.grad(output.square().sum(), inputs) for output in outputs]
    torch.testing.assert_close(*gradients)


@pytest.mark.skipif(find_spec("triton") is None, reason="triton, which the kernel is written in, is not installed")
def test_the_kernel_computes_what_plain_attention_computes():
    """On a machine without a GPU the kernel is interpreted, which must be chosen before triton is imported."""
    script = Path(__file__).with_name("compare_window_kernel.py")
    environment = os.environ | ({} if torch.cuda.is_available() else {"TRITON_INTERPRET": "1"})
    run = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr

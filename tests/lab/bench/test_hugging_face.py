"""A network in transformers writes the number of tokens it is forced to."""

from __future__ import annotations

import pytest
import torch

from redraft.lab.bench.forced_decoding import BEAMS
from redraft.lab.bench.hugging_face import describe_shape, generate_in_batches, generate_untrained
from redraft.lab.bench.teacher_forcing import TokenPair
from redraft.model.config import ModelConfig

CONFIG = ModelConfig(vocabulary=60, width=32, ffn=48, heads=2, encoder_layers=2, decoder_layers=1)


def test_a_network_writes_a_token_for_each_of_the_reference_and_its_end():
    pytest.importorskip("transformers", reason="transformers, which the extra [bench] names, is missing")
    pairs = [TokenPair([7, 8, 9], [10] * 3), TokenPair([11, 12], [13] * 8)]
    methods = generate_untrained(CONFIG, pairs, 2, "cpu", torch.float32)
    assert list(methods) == [f"HF beam {BEAMS}", "HF greedy"]
    assert [[method(number) for number in range(2)] for method in methods.values()] == [[4, 9], [4, 9]]


def test_encoder_and_decoder_keep_their_depths():
    shape = describe_shape(CONFIG)
    assert (shape["encoder_layers"], shape["decoder_layers"]) == (2, 1)
    assert shape["d_model"] == 32 and shape["encoder_ffn_dim"] == shape["decoder_ffn_dim"] == 48


def test_a_batch_writes_as_many_tokens_as_its_longest_source_with_its_end():
    pytest.importorskip("transformers", reason="transformers, which the extra [bench] names, is missing")
    generate = generate_in_batches(CONFIG, 2, 2, "cpu", torch.float32)
    assert generate([[7, 8, 9], [11, 12], [13]]) == 4 + 4 + 2

from __future__ import annotations

import pytest
import torch
from packing import pack
from shapes import SHAPES

from redraft.lab.tagger.network import TaggerNetwork, TagLoss, encoder_config
from redraft.lab.train.compile_check import check_compilation
from redraft.lab.train.config import StageConfig
from redraft.lab.train.packing import Layout
from redraft.model.config import preset
from redraft.model.transformer import Transformer

SENTENCES = [[5, 6, 7, 2], [8, 9, 2], [11, 12, 13, 14, 15, 2]]


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_a_packed_and_a_padded_batch_have_the_same_logits(shape):
    torch.manual_seed(3)
    config = encoder_config(preset("tiny", vocabulary=40, max_tokens=24, **SHAPES[shape]))
    model = TaggerNetwork(config, 7).eval()
    source = pack(SENTENCES)
    packed = model.tag_packed(source)[source.segments > 0]
    longest = max(map(len, SENTENCES))
    padded = torch.tensor([[*ids, *[0] * (longest - len(ids))] for ids in SENTENCES])
    lengths = torch.tensor(list(map(len, SENTENCES)))
    logits = model.tag_padded(padded, lengths)
    rows = torch.cat([logits[row, : len(ids)] for row, ids in enumerate(SENTENCES)])
    assert packed.shape == (sum(map(len, SENTENCES)), 7)
    assert torch.allclose(packed, rows, atol=1e-4)


def test_the_encoder_comes_from_another_model_and_the_decoder_is_empty():
    config = preset("tiny", vocabulary=40, decoder_layers=2)
    other = Transformer(config)
    model = TaggerNetwork(encoder_config(config), 5)
    model.load_encoder(other.weights())
    for name, tensor in model.weights().items():
        if name.startswith(("encoder.", "embedding.")):
            assert torch.equal(tensor, other.weights()[name])
        elif name.startswith("decoder."):
            assert not tensor.any()
    assert model.config.decoder_layers == 1 and model.tags == 5


def test_the_check_of_compiled_code_uses_labels_that_are_tags():
    loss = TagLoss(TaggerNetwork(encoder_config(preset("tiny")), 4), 0.1, "none")
    loss.compiled = "layers"  # the code itself is not compiled, which would take long
    stage = StageConfig("x", {"a": 1.0}, steps=1)
    assert check_compilation(loss, Layout(64, 16), stage, torch.device("cpu")).startswith("compiled")

"""The tagger's network: the encoder of a Transformer and one linear layer, and the loss of its tags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import torch
from torch import Tensor, nn

from redraft.lab.train.loader import Batch
from redraft.lab.train.loss import LossFunction
from redraft.model.config import ModelConfig
from redraft.model.transformer import Transformer, dequantize
from redraft.model.windows import Packed, masked_attention, packed_attention

LAYER = "tag_layer"
"""Start of the names of the linear layer's tensors."""


def encoder_config(config: ModelConfig) -> ModelConfig:
    """The config of a tagger with the encoder of another model.

    Model folders and engines need a decoder: it has one layer, whose weights are zero, and nothing runs it.
    """
    return replace(config, decoder_layers=1, tie_output=True, output_bias=False)


class TaggerNetwork(Transformer):
    """`config` is one of `encoder_config`."""

    def __init__(self, config: ModelConfig, tags: int, dropout: float = 0.0) -> None:
        super().__init__(config, dropout)
        for parameter in self.decoder.parameters():
            nn.init.zeros_(parameter)
        self.tag_layer = nn.Linear(config.width, tags)
        nn.init.normal_(self.tag_layer.weight, std=config.width**-0.5)
        nn.init.zeros_(self.tag_layer.bias)

    @property
    def tags(self) -> int:
        return self.tag_layer.out_features

    def load_encoder(self, weights: Mapping[str, Tensor]) -> None:
        """Copies the encoder and its embeddings from the weights of another model."""
        own = self.state_dict()
        loaded = {name: tensor for name, tensor in dequantize(weights).items() if _is_encoder(name)}
        self.load_state_dict({**own, **loaded}, strict=True)

    def tag_packed(self, source: Packed) -> Tensor:
        """Logits (P, tags) at each token of a packed batch."""
        rotation = self.rotation(torch.arange(source.window, device=source.ids.device))
        attend = packed_attention(source, source, self.config.head_width, rotation)
        states = self.run_encoder(source.ids, source.positions, None, attend)
        return self.tag_layer(self.dropout(states))  # type: ignore[no-any-return]

    def tag_padded(self, source: Tensor, lengths: Tensor) -> Tensor:
        """source (B, S), padded at the end → logits (B, S, tags)."""
        positions = torch.arange(source.shape[1], device=source.device).expand_as(source)
        mask = (positions < lengths[:, None])[:, None, None, :]
        states = self.run_encoder(source, positions, self.rotation(positions), masked_attention(mask))
        return self.tag_layer(states)  # type: ignore[no-any-return]


def _is_encoder(name: str) -> bool:
    return name.startswith(("encoder.", "embedding."))


class TagLoss(LossFunction):
    """Cross-entropy of the tags, weighted by word."""

    model: TaggerNetwork

    @property
    def classes(self) -> int:
        return self.model.tags

    def _compute(self, batch: Batch) -> Tensor:
        return self._mean_loss(self.model.tag_packed(batch.source), batch.labels, batch.weights, self.smoothing)

    def _layers(self) -> Iterator[nn.Module]:
        yield from self.model.encoder.layers

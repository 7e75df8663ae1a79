"""The whole network: an encoder-decoder Transformer and its key/value cache.

Shapes in comments: B sentences, S source tokens, N new target tokens, T target tokens so far, d width, H heads, h head
width. In a packed batch (windows.py) the sentences lie side by side in one row: B and the token axis are one axis P.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from redraft.model.config import PARTS, Activation, ModelConfig, Part
from redraft.model.folder import FINENESS, rest_of, scale_of
from redraft.model.windows import Attend, Packed, Rotation, masked_attention, packed_attention

ACTIVATIONS: Mapping[Activation, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu, "swish": F.silu}


class SelfAttention(nn.Module):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.qkv = nn.Linear(config.width, 3 * config.width)
        self.out = nn.Linear(config.width, config.width)

    def forward(self, x: Tensor, rotation: Rotation | None, attend: Attend) -> Tensor:
        queries, keys, values = self.qkv(x).unflatten(-1, (3, self.heads, -1)).unbind(-3)  # (…, H, h) each
        if rotation is not None:
            queries, keys = rotation(queries), rotation(keys)
        return self.out(attend(queries, keys, values).flatten(-2))  # type: ignore[no-any-return]


class CrossAttention(nn.Module):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.query = nn.Linear(config.width, config.width)
        self.key_value = nn.Linear(config.width, 2 * config.width)
        self.out = nn.Linear(config.width, config.width)

    def keys_and_values(self, memory: Tensor, rotation: Rotation | None) -> tuple[Tensor, Tensor]:
        """Keys and values of the encoded source: computed once per sentence, used by every decoder call."""
        keys, values = self.key_value(memory).unflatten(-1, (2, self.heads, -1)).unbind(-3)
        return (rotation(keys) if rotation is not None else keys), values

    def forward(self, x: Tensor, keys: Tensor, values: Tensor, rotation: Rotation | None, attend: Attend) -> Tensor:
        queries = self.query(x).unflatten(-1, (self.heads, -1))
        if rotation is not None:
            queries = rotation(queries)
        return self.out(attend(queries, keys, values).flatten(-2))  # type: ignore[no-any-return]


class FeedForward(nn.Module):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.up = nn.Linear(config.width, config.ffn)
        self.down = nn.Linear(config.ffn, config.width)
        self.activation = ACTIVATIONS[config.activation]

    def forward(self, x: Tensor) -> Tensor:
        return self.down(self.activation(self.up(x)))  # type: ignore[no-any-return]


class EncoderLayer(nn.Module):
    def __init__(self, config: ModelConfig, dropout: float) -> None:
        super().__init__()
        self.pre = config.norm == "pre"
        self.self_norm = nn.LayerNorm(config.width)
        self.self_attention = SelfAttention(config)
        self.ffn_norm = nn.LayerNorm(config.width)
        self.ffn = FeedForward(config)
        self.dropout = nn.Dropout(dropout)

    def residual(self, x: Tensor, norm: nn.LayerNorm, block: Callable[[Tensor], Tensor]) -> Tensor:
        if self.pre:
            return x + self.dropout(block(norm(x)))  # type: ignore[no-any-return]
        return norm(x + self.dropout(block(x)))  # type: ignore[no-any-return]

    def forward(self, x: Tensor, rotation: Rotation | None, attend: Attend) -> Tensor:
        x = self.residual(x, self.self_norm, lambda x: self.self_attention(x, rotation, attend))
        return self.residual(x, self.ffn_norm, self.ffn)


class DecoderLayer(EncoderLayer):
    def __init__(self, config: ModelConfig, dropout: float) -> None:
        super().__init__(config, dropout)
        self.cross_norm = nn.LayerNorm(config.width)
        self.cross_attention = CrossAttention(config)

    def forward(  # type: ignore[override]
        self, x: Tensor, rotation: Rotation | None, attend: Attend, memory: tuple[Tensor, Tensor], cross: Attend
    ) -> Tensor:
        keys, values = memory
        x = self.residual(x, self.self_norm, lambda x: self.self_attention(x, rotation, attend))
        x = self.residual(x, self.cross_norm, lambda x: self.cross_attention(x, keys, values, rotation, cross))
        return self.residual(x, self.ffn_norm, self.ffn)


class Stack(nn.Module):
    """The layers of the encoder or the decoder, with their position table and norms."""

    def __init__(self, config: ModelConfig, layers: list[nn.Module]) -> None:
        super().__init__()
        if config.positions == "learned":
            self.positions = nn.Embedding(config.table_rows, config.width)
        if config.norm_embedding:
            self.embedding_norm = nn.LayerNorm(config.width)
        self.layers = nn.ModuleList(layers)
        if config.norm == "pre":
            self.norm = nn.LayerNorm(config.width)


@dataclass(slots=True)
class Memory:
    """Encoded sources: cross-attention keys and values of each decoder layer, (B, S, H, h), and the mask of padding."""

    keys: list[Tensor]
    values: list[Tensor]
    mask: Tensor  # (B, 1, 1, S), false at padding

    def select(self, rows: Tensor) -> Memory:
        return Memory([key[rows] for key in self.keys], [value[rows] for value in self.values], self.mask[rows])


@dataclass(slots=True)
class Cache:
    """Self-attention keys and values of the target so far, (B, T, H, h); slot t holds the token at position t.

    A query at position p sees slots 0…p alone. To drop tokens it is therefore enough to feed the next ones at lower
    positions: they overwrite the slots, and later slots are masked.
    """

    keys: list[Tensor]
    values: list[Tensor]

    def select(self, rows: Tensor) -> Cache:
        return Cache([key[rows] for key in self.keys], [value[rows] for value in self.values])


class Transformer(nn.Module):
    def __init__(self, config: ModelConfig, dropout: float = 0.0) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.width)
        self.encoder = Stack(config, [EncoderLayer(config, dropout) for _ in range(config.encoder_layers)])
        self.decoder = Stack(config, [DecoderLayer(config, dropout) for _ in range(config.decoder_layers)])
        self.output: nn.Linear | None = None
        if not config.tie_output or config.output_bias:
            self.output = nn.Linear(config.width, config.vocabulary, bias=config.output_bias)
            if config.tie_output:
                self.output.weight = self.embedding.weight
        self.dropout = nn.Dropout(dropout)
        self.initialize()

    def initialize(self) -> None:
        """Sets random weights. Residual branches start small, so that a deep stack starts near the identity."""
        for name, parameter in self.named_parameters():
            if parameter.dim() == 1:
                continue
            if "embedding" in name or "positions" in name or name.startswith("output"):
                nn.init.normal_(parameter, std=self.config.width**-0.5)
            else:
                nn.init.xavier_uniform_(parameter)
                if name.endswith((".out.weight", ".down.weight")):
                    depth = self.config.encoder_layers if name.startswith("encoder") else self.config.decoder_layers
                    parameter.data.mul_((2 * depth) ** -0.5)

    def weights(self) -> dict[str, Tensor]:
        """The tensors that `ModelConfig.tensors` names. A tied output layer is the embedding, and not listed twice."""
        weights = self.state_dict()
        if self.config.tie_output:
            weights.pop("output.weight", None)
        return weights

    def load_weights(self, weights: Mapping[str, Tensor]) -> None:
        """Loads weights, strictly by name; matrices of integers with scales, as in 8-bit model folders, too."""
        weights = dequantize(weights)
        tied = {"output.weight": weights["embedding.weight"]} if self.config.tie_output and self.output else {}
        self.load_state_dict({**weights, **tied}, strict=True)

    def load_parts(self, weights: Mapping[str, Tensor], parts: Collection[Part]) -> None:
        """Loads the weights of some parts, as strictly as `load_weights`. The other parts keep theirs."""
        left_out = tuple(f"{part}." for part in PARTS if part not in parts)
        loaded = {name: tensor for name, tensor in dequantize(weights).items() if not name.startswith(left_out)}
        kept = {name: tensor for name, tensor in self.weights().items() if name.startswith(left_out)}
        self.load_weights({**kept, **loaded})

    def encode(self, source: Tensor, lengths: Tensor) -> Memory:
        """source (B, S), padded at the end → Memory."""
        positions = torch.arange(source.shape[1], device=source.device).expand_as(source)
        mask = (positions < lengths[:, None])[:, None, None, :]  # (B, 1, 1, S)
        rotation = self.rotation(positions)
        x = self.run_encoder(source, positions, rotation, masked_attention(mask))
        pairs = [layer.cross_attention.keys_and_values(x, rotation) for layer in self.decoder_layers()]
        return Memory([keys for keys, _ in pairs], [values for _, values in pairs], mask)

    def new_cache(self, batch: int, capacity: int) -> Cache:
        like = self.embedding.weight
        shape = (batch, capacity, self.config.heads, self.config.head_width)
        return Cache(*([like.new_zeros(shape) for _ in range(self.config.decoder_layers)] for _ in range(2)))

    def decode(self, ids: Tensor, positions: Tensor, memory: Memory, cache: Cache) -> Tensor:
        """Feeds ids (B, N) at positions (B, N), and returns the logits after each of them (B, N, vocabulary)."""
        visible = int(positions.max()) + 1
        slots = torch.arange(visible, device=ids.device)
        mask = (slots <= positions[..., None])[:, None]  # (B, 1, N, T)
        rows = torch.arange(ids.shape[0], device=ids.device)[:, None]
        rotation = self.rotation(positions)
        x = self.embed(ids, positions, self.decoder)
        for index, layer in enumerate(self.decoder_layers()):
            keys, values = cache.keys[index], cache.values[index]

            def attend(q: Tensor, k: Tensor, v: Tensor, keys: Tensor = keys, values: Tensor = values) -> Tensor:
                keys[rows, positions], values[rows, positions] = k, v
                return masked_attention(mask)(q, keys[:, :visible], values[:, :visible])

            source = memory.keys[index], memory.values[index]
            x = layer(x, rotation, attend, source, masked_attention(memory.mask))
        return self.logits(self.finish(x, self.decoder))

    def forward(self, source: Packed, target: Packed) -> Tensor:
        """Hidden states (P, d) after each target token of a packed batch, for `logits`."""
        rotation = self.rotation(torch.arange(source.window, device=source.ids.device))
        width = self.config.head_width
        x = self.run_encoder(source.ids, source.positions, None, packed_attention(source, source, width, rotation))
        attend = packed_attention(target, target, width, rotation, causal=True)
        cross = packed_attention(target, source, width, rotation)
        y = self.embed(target.ids, target.positions, self.decoder)
        for layer in self.decoder_layers():
            y = layer(y, None, attend, layer.cross_attention.keys_and_values(x, None), cross)
        return self.finish(y, self.decoder)

    def run_encoder(self, ids: Tensor, positions: Tensor, rotation: Rotation | None, attend: Attend) -> Tensor:
        x = self.embed(ids, positions, self.encoder)
        for layer in self.encoder.layers:
            x = layer(x, rotation, attend)
        return self.finish(x, self.encoder)

    def logits(self, x: Tensor) -> Tensor:
        return self.output(x) if self.output is not None else F.linear(x, self.embedding.weight)

    def decoder_layers(self) -> list[DecoderLayer]:
        return [layer for layer in self.decoder.layers if isinstance(layer, DecoderLayer)]

    def embed(self, ids: Tensor, positions: Tensor, stack: Stack) -> Tensor:
        x: Tensor = self.embedding(ids)
        if self.config.scale_embedding:
            x = x * math.sqrt(self.config.width)
        if self.config.positions == "learned":
            x = x + stack.positions(positions + self.config.position_offset)
        elif self.config.positions == "sinusoidal":
            x = x + sinusoids(positions, self.config.width).to(x.dtype)
        if self.config.norm_embedding:
            x = stack.embedding_norm(x)
        return self.dropout(x)  # type: ignore[no-any-return]

    def finish(self, x: Tensor, stack: Stack) -> Tensor:
        return stack.norm(x) if self.config.norm == "pre" else x

    def rotation(self, positions: Tensor) -> Rotation | None:
        if self.config.positions != "rotary":
            return None
        angles = frequencies(self.config.head_width, positions.device) * positions[..., None]
        return Rotation(angles.cos()[..., None, :], angles.sin()[..., None, :])


def dequantize(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """float32 weights from those stored as integers, scales and remainders (see folder.py)."""
    scaled = [name for name in weights if scale_of(name) in weights]
    parts = {part(name) for name in scaled for part in (scale_of, rest_of)}
    plain = {name: weight for name, weight in weights.items() if name not in parts}
    for name in scaled:
        rest = weights[rest_of(name)] / FINENESS if rest_of(name) in weights else 0
        plain[name] = (weights[name] + rest) * weights[scale_of(name)][:, None]
    return plain


def frequencies(size: int, device: torch.device) -> Tensor:
    """size/2 angular frequencies, from 1 radian per position down to 1/10,000."""
    return torch.exp(torch.arange(0, size, 2, device=device) * (-math.log(10_000.0) / size))


def sinusoids(positions: Tensor, width: int) -> Tensor:
    """Sines in the first half, cosines in the second."""
    angles = positions[..., None] * frequencies(width, positions.device)
    return torch.cat((angles.sin(), angles.cos()), dim=-1)

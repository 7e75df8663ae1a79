"""The network for CUDA graphs: fixed shapes and addresses, no synchronization with the host, few launches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from redraft.engines.cuda import plain as cuda_plain
from redraft.engines.cuda.plain import Blocks, Places, Rotary
from redraft.model.transformer import DecoderLayer, EncoderLayer, SelfAttention, Stack, Transformer

Block = Callable[[Tensor], Tensor]


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes that a graph is captured for: B sentences in a call, each of up to N source and N target tokens, and
    the number of rows of the caches, of which a call uses B."""

    batch: int
    tokens: int
    rows: int


class Buffers:
    """A graph's memory: one block of integers as input, one as output, and the caches."""

    def __init__(self, model: Transformer, shape: Shape) -> None:
        config = model.config
        like = model.embedding.weight
        batch, tokens = shape.batch, shape.tokens
        sizes = [batch] * 4 + [batch * tokens] * 2
        self.inputs = torch.zeros(sum(sizes), dtype=torch.int64, device=like.device)
        rows, starts, counts, lengths, source, ids = torch.split(self.inputs, sizes)
        self.places = Places(rows, starts, counts, lengths)
        self.source, self.ids = source.view(batch, tokens), ids.view(batch, tokens)
        self.outputs = torch.zeros(2, batch, tokens, dtype=torch.int32, device=like.device)
        # A spare row and a spare slot, where padding is written.
        rows_, slots, layers = shape.rows + 1, config.max_tokens + 2, config.decoder_layers
        head = (config.heads, config.head_width)
        # Zeros: masked slots may not have been written yet, and a mask does not hide a NaN in uninitialized memory.
        self.cache = like.new_zeros(layers, rows_, slots, 2, *head)
        self.memory = like.new_zeros(rows_, tokens, layers, 2, *head)

    def copy_rows(self, other: Buffers, rows: Tensor) -> None:
        """Copies row rows[i] of `other` to row i."""
        self.cache[:, : len(rows)] = other.cache[:, rows]
        self.memory[: len(rows)] = other.memory[rows]


class Network:
    """A model's weights and the two passes over them. Residuals are added together with the next norm."""

    def __init__(self, model: Transformer, most_tokens: int, fused: bool) -> None:
        self.model = model
        self._blocks = _fused_blocks() if fused else cuda_plain
        self.config = model.config
        layers = model.decoder_layers()
        # One product makes the keys and values of all decoder layers.
        self._memory_weight = torch.cat([layer.cross_attention.key_value.weight for layer in layers])
        self._memory_bias = torch.cat([layer.cross_attention.key_value.bias for layer in layers])
        self._rotary = self._make_rotary(self.config.max_tokens + 2 + most_tokens)
        self._encoder_norms = self._order_norms(model.encoder)
        self._decoder_norms = self._order_norms(model.decoder)

    def encode(self, buffers: Buffers) -> None:
        """Encodes the sources and stores their keys and values."""
        places, (batch, tokens) = buffers.places, buffers.source.shape
        blocks: list[Block] = []
        for layer in self.model.encoder.layers:
            assert isinstance(layer, EncoderLayer)
            attention = layer.self_attention

            def attend(x: Tensor, attention: SelfAttention = attention) -> Tensor:
                qkv = attention.qkv(x).view(batch, tokens, 3, self.config.heads, -1)
                return attention.out(self._blocks.attend_source(qkv, places, self._rotary).flatten(0, 1))  # type: ignore[no-any-return]

            blocks += [attend, layer.ffn]
        x = self._run(buffers.source, self._positions(places, tokens), self.model.encoder, blocks, self._encoder_norms)
        memory = F.linear(x, self._memory_weight, self._memory_bias)
        buffers.memory.index_copy_(0, places.rows, memory.view(batch, *buffers.memory.shape[1:]))

    def decode(self, buffers: Buffers) -> Tensor:
        """Feeds the ids and returns the logits after each of them: (B·N, vocabulary)."""
        places, (batch, tokens) = buffers.places, buffers.ids.shape
        heads = self.config.heads
        blocks: list[Block] = []
        for index, layer in enumerate(self.model.decoder_layers()):
            cache, memory = buffers.cache[index], buffers.memory[:, :, index]

            def attend(x: Tensor, layer: DecoderLayer = layer, cache: Tensor = cache) -> Tensor:
                qkv = layer.self_attention.qkv(x).view(batch, tokens, 3, heads, -1)
                attended = self._blocks.attend_target(qkv, cache, places, self._rotary)
                return layer.self_attention.out(attended.flatten(0, 1))  # type: ignore[no-any-return]

            def cross(x: Tensor, layer: DecoderLayer = layer, memory: Tensor = memory) -> Tensor:
                queries = layer.cross_attention.query(x).view(batch, tokens, heads, -1)
                attended = self._blocks.attend_memory(queries, memory, places, self._rotary)
                return layer.cross_attention.out(attended.flatten(0, 1))  # type: ignore[no-any-return]

            blocks += [attend, cross, layer.ffn]
        positions = self._positions(places, tokens)
        return self.model.logits(self._run(buffers.ids, positions, self.model.decoder, blocks, self._decoder_norms))

    def predict(self, buffers: Buffers) -> None:
        """Feeds the ids and puts the likeliest token after each of them, and its log-probability, into the outputs."""
        self._blocks.choose(self.decode(buffers), buffers.outputs)

    def open(self, buffers: Buffers) -> None:
        """Encodes the sources and feeds the first ids, in one graph."""
        self.encode(buffers)
        self.predict(buffers)

    def _positions(self, places: Places, tokens: int) -> Tensor | None:
        """Positions of the ids, (B, N), if the embeddings use them."""
        if self.config.positions == "rotary":
            return None
        # The starts are 0 while sources are encoded, since nothing was fed before.
        positions = places.starts[:, None] + torch.arange(tokens, device=places.starts.device)
        return positions.clamp(max=self.config.max_tokens)

    def _run(
        self,
        ids: Tensor,
        positions: Tensor | None,
        stack: Stack,
        blocks: Sequence[Block],
        norms: Sequence[nn.LayerNorm],
    ) -> Tensor:
        x = self.model.embed(ids, ids if positions is None else positions, stack).flatten(0, -2)
        pre = self.config.norm == "pre"
        normed = norms[0](x) if pre else x
        for block, norm in zip(blocks, norms[1:] if pre else norms, strict=True):
            x, normed = self._blocks.add_norm(x if pre else normed, block(normed), norm)
        return normed

    def _order_norms(self, stack: Stack) -> list[nn.LayerNorm]:
        """The norms in the order in which the blocks use them; with norms before blocks, one more at the end."""
        norms: list[nn.LayerNorm] = []
        for layer in stack.layers:
            assert isinstance(layer, EncoderLayer)
            cross = [layer.cross_norm] if isinstance(layer, DecoderLayer) else []
            norms += [layer.self_norm, *cross, layer.ffn_norm]
        return [*norms, stack.norm] if self.config.norm == "pre" else norms

    def _make_rotary(self, positions: int) -> Rotary | None:
        turn = self.model.rotation(torch.arange(positions, device=self.model.embedding.weight.device))
        if turn is None:
            return None

        def rotate(x: Tensor, places: Tensor) -> Tensor:
            turned = self.model.rotation(places)
            assert turned is not None
            return turned(x)

        return Rotary(turn.cos.squeeze(1).contiguous(), turn.sin.squeeze(1).contiguous(), rotate)


def _fused_blocks() -> Blocks:
    from redraft.engines.cuda import kernels as cuda_kernels

    return cuda_kernels

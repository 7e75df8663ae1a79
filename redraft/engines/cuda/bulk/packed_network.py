"""The network over packed tokens: every product has the same fixed number of rows, whatever the sentences' lengths.

That is fast, since little is padding; and as a matrix library chooses the order of its sums by the shape, a token gets
the same logits whichever sentences share the call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import torch
import torch.nn.functional as F
from torch import Tensor

from redraft.engines.cuda import plain
from redraft.engines.cuda.bulk.packing import Packing
from redraft.engines.cuda.bulk.rounds import PackedFeed
from redraft.engines.cuda.bulk.sampling import Sampling, hash_places, sample
from redraft.engines.cuda.network import Block, Network
from redraft.engines.cuda.plain import Places, Rotary
from redraft.model.transformer import DecoderLayer, EncoderLayer, SelfAttention, Transformer


class PackedAttention(Protocol):
    """The attention functions of this module and of `kernels`; `slots` is the length of the longest sentence."""

    def attend_source(self, qkv: Tensor, packing: Packing, slots: int, rotary: Rotary | None) -> Tensor: ...
    def attend_target(
        self, qkv: Tensor, cache: Tensor, packing: Packing, places: Places, rotary: Rotary | None
    ) -> Tensor: ...
    def attend_memory(
        self, queries: Tensor, memory: Tensor, packing: Packing, places: Places, rotary: Rotary | None
    ) -> Tensor: ...


class PlainAttention:
    """Attention of packed tokens in plain torch: padded, attended and packed again."""

    def attend_source(self, qkv: Tensor, packing: Packing, slots: int, rotary: Rotary | None) -> Tensor:
        """The encoder's attention: queries, keys and values (P, 3, H, h) → (P, H·h)."""
        nothing = torch.zeros_like(packing.counts)
        places = Places(nothing, nothing, packing.counts, packing.counts)
        return packing.pack(plain.attend_source(packing.unpack(qkv, slots), places, rotary))

    def attend_target(
        self, qkv: Tensor, cache: Tensor, packing: Packing, places: Places, rotary: Rotary | None
    ) -> Tensor:
        """The decoder's attention: qkv (P, 3, H, h) goes into the cache (rows, slots, 2, H, h) → (P, H·h)."""
        return packing.pack(plain.attend_target(packing.unpack(qkv, cache.shape[1]), cache, places, rotary))

    def attend_memory(
        self, queries: Tensor, memory: Tensor, packing: Packing, places: Places, rotary: Rotary | None
    ) -> Tensor:
        """Cross-attention: queries (P, H, h) over keys and values (rows, slots, 2, H, h) → (P, H·h)."""
        return packing.pack(plain.attend_memory(packing.unpack(queries, memory.shape[1] + 1), memory, places, rotary))


class PackedNetwork(Network):
    """Keys and values of `rows` sentences, and the two passes over packed tokens."""

    def __init__(self, model: Transformer, rows: int, fused: bool, sampling: Sampling | None = None) -> None:
        config = model.config
        super().__init__(model, config.max_tokens + 2, fused)
        self._attention: PackedAttention = _fused_attention() if fused else PlainAttention()
        like = model.embedding.weight
        head = (config.heads, config.head_width)
        # Zeros: masked slots may not have been written yet, and a mask does not hide a NaN in uninitialized memory.
        # A spare row and a spare slot, where padding is written.
        self.cache = like.new_zeros(config.decoder_layers, rows + 1, config.max_tokens + 2, 2, *head)
        self.memory = like.new_zeros(rows + 1, config.max_tokens + 1, config.decoder_layers, 2, *head)
        self._rows = torch.arange(rows, device=like.device)
        self._sampling = sampling
        self._sample = _fused_sample() if fused else sample

    def encode_packed(self, packing: Packing, ids: Tensor, rows: Tensor) -> None:
        """Encodes packed sources (P,), each with <eos>, and stores the keys and values of sentence i in rows[i]."""
        slots = self.memory.shape[1]
        blocks: list[Block] = []
        for layer in self.model.encoder.layers:
            assert isinstance(layer, EncoderLayer)
            attention = layer.self_attention

            def attend(x: Tensor, attention: SelfAttention = attention) -> Tensor:
                qkv = attention.qkv(x).view(len(x), 3, self.config.heads, -1)
                return attention.out(self._attention.attend_source(qkv, packing, slots, self._rotary))  # type: ignore[no-any-return]

            blocks += [attend, layer.ffn]
        x = self._run(ids, packing.index, self.model.encoder, blocks, self._encoder_norms)
        memory = F.linear(x, self._memory_weight, self._memory_bias)
        spare = torch.full_like(rows[:1], len(self._rows))
        row = torch.cat((rows, spare))[packing.sentence]
        self.memory[row, packing.index] = memory.view(-1, *self.memory.shape[2:])

    def predict_packed(self, feed: PackedFeed, lengths: Tensor, out: Tensor) -> None:
        """Feeds tokens, and puts the likeliest token after each of them or a sample, and the bits of its
        log-probability, into `out` (2, P). `lengths` are those of the sources with <eos>, (rows,)."""
        logits = self.decode_packed(feed, lengths)
        if self._sampling is None:
            self._blocks.choose(logits, out)
        else:
            hashes = hash_places(self._sampling.seed, feed.keys, feed.positions)
            self._sample(logits, hashes, self._sampling.temperature, out)

    def decode_packed(self, feed: PackedFeed, lengths: Tensor) -> Tensor:
        """Feeds tokens and returns the logits after each of them: (P, vocabulary)."""
        packing, heads = feed.packing, self.config.heads
        places = Places(self._rows, feed.starts, packing.counts, lengths)
        blocks: list[Block] = []
        for index, layer in enumerate(self.model.decoder_layers()):
            cache, memory = self.cache[index], self.memory[:, :, index]

            def attend(x: Tensor, layer: DecoderLayer = layer, cache: Tensor = cache) -> Tensor:
                qkv = layer.self_attention.qkv(x).view(len(x), 3, heads, -1)
                attended = self._attention.attend_target(qkv, cache, packing, places, self._rotary)
                return layer.self_attention.out(attended)  # type: ignore[no-any-return]

            def cross(x: Tensor, layer: DecoderLayer = layer, memory: Tensor = memory) -> Tensor:
                queries = layer.cross_attention.query(x).view(len(x), heads, -1)
                attended = self._attention.attend_memory(queries, memory, packing, places, self._rotary)
                return layer.cross_attention.out(attended)  # type: ignore[no-any-return]

            blocks += [attend, cross, layer.ffn]
        positions = feed.positions.clamp(max=self.config.max_tokens)
        return self.model.logits(self._run(feed.ids, positions, self.model.decoder, blocks, self._decoder_norms))


def _fused_attention() -> PackedAttention:
    from redraft.engines.cuda.bulk.kernels import FusedAttention

    return FusedAttention()


def _fused_sample() -> Callable[[Tensor, Tensor, float, Tensor], None]:
    from redraft.engines.cuda.bulk.kernels import sample as fused

    return fused

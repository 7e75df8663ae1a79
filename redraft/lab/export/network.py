"""The layers of the network as nodes of an ONNX graph.

The results for a token must be bit-identical whatever the number of tokens in its pass and the other rows of its batch.
Sums over keys are therefore matrix products, which add in a fixed order; a softmax operator adds in an order that
depends on the number of keys. Masked keys add exact zeros.
"""

from __future__ import annotations

import math

import numpy as np
from onnx import TensorProto

from redraft.lab.export.graph import Graph
from redraft.lab.export.matmul import MatMul
from redraft.model.angles import angles_of, angular_frequencies
from redraft.model.config import LOWEST_OUTPUT, ModelConfig
from redraft.model.folder import ModelFolder


class Network(Graph):
    def __init__(self, folder: ModelFolder, matmul: MatMul) -> None:
        super().__init__(folder.tensors)
        self._config: ModelConfig = folder.config
        self._matmul = matmul

    def linear(self, name: str, x: str, least: float | None = None) -> str:
        product = self._matmul.multiply(self, x, f"{name}.weight", least)
        return self.op("Add", product, self.weight(f"{name}.bias"))

    def layer_norm(self, name: str, x: str) -> str:
        weight, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.op("LayerNormalization", x, weight, bias, axis=-1, epsilon=1e-5)

    def embed(self, ids: str, positions: str, side: str) -> str:
        config = self._config
        x = self.rows("embedding.weight", ids)
        if config.scale_embedding:
            x = self.op("Mul", x, self.number(math.sqrt(config.width)))
        if config.positions == "learned":
            places = self.op("Add", positions, self.integers(config.position_offset))
            x = self.op("Add", x, self.rows(f"{side}.positions.weight", places))
        elif config.positions == "sinusoidal":
            speeds = self.constant(angular_frequencies(config.width))
            numbers = self.op("Unsqueeze", self.op("Cast", positions, to=TensorProto.FLOAT), self.integers(-1))
            angles = self.op("Mul", numbers, speeds)
            x = self.op("Add", x, self.op("Concat", self.op("Sin", angles), self.op("Cos", angles), axis=-1))
        if config.norm_embedding:
            x = self.layer_norm(f"{side}.embedding_norm", x)
        return x

    def final_norm(self, x: str, side: str) -> str:
        return self.layer_norm(f"{side}.norm", x) if self._config.norm == "pre" else x

    def logits(self, x: str) -> str:
        name = "embedding.weight" if self._config.tie_output else "output.weight"
        logits = self._matmul.multiply(self, x, name)
        return self.op("Add", logits, self.weight("output.bias")) if self._config.output_bias else logits

    def rotate(self, x: str, positions: str) -> str:
        """Applies rotary positions to queries or keys (B, heads, tokens, head width)."""
        config = self._config
        if config.positions != "rotary":
            return x
        angles = angles_of(config.max_tokens + 1, config.head_width)
        return self.contrib(
            "RotaryEmbedding", x, positions, self.constant(np.cos(angles)), self.constant(np.sin(angles))
        )

    def split_heads(self, x: str, parts: int) -> list[str]:
        """(B, tokens, parts · d) → `parts` values of (B, heads, tokens, head width)."""
        config = self._config
        shape = self.integers(0, 0, parts * config.heads, config.head_width)
        heads = self.op("Transpose", self.op("Reshape", x, shape), perm=[0, 2, 1, 3])
        return [heads] if parts == 1 else self.add("Split", heads, count=parts, axis=1, num_outputs=parts)

    def append_one(self, values: str) -> str:
        """Values with a 1 appended to each: attention turns it into the sum of the weights, for normalization."""
        return self.op("Pad", values, self.integers(0, 0, 0, 0, 0, 0, 0, 1), self.number(1.0))

    def attend(self, queries: str, keys: str, values: str, bias: str) -> str:
        """Attention; `values` come from `append_one`. → (B, tokens, d)"""
        scores = self.contrib("FusedMatMul", queries, keys, transB=1, alpha=self._config.head_width**-0.5)
        scores = self.op("Add", scores, bias)
        highest = self.op("ReduceMax", scores, self.integers(-1), keepdims=1)
        weights = self.op("Exp", self.op("Sub", scores, highest))
        sizes = self.integers(self._config.head_width, 1)
        attended, sums = self.add("Split", self.op("MatMul", weights, values), sizes, count=2, axis=-1)
        attended = self.op("Transpose", self.op("Div", attended, sums), perm=[0, 2, 1, 3])
        return self.op("Reshape", attended, self.integers(0, 0, self._config.width))

    def ffn(self, name: str, x: str) -> str:
        up = self.linear(f"{name}.up", x)
        return self.linear(f"{name}.down", self.activate(up), LOWEST_OUTPUT[self._config.activation])

    def activate(self, x: str) -> str:
        if self._config.activation == "swish":
            return self.op("Mul", x, self.op("Sigmoid", x))
        return self.op("Gelu" if self._config.activation == "gelu" else "Relu", x)

    def pre_norm(self, norm: str, x: str) -> str:
        return self.layer_norm(norm, x) if self._config.norm == "pre" else x

    def add_and_norm(self, norm: str, x: str, change: str) -> str:
        total = self.op("Add", x, change)
        return total if self._config.norm == "pre" else self.layer_norm(norm, total)

    def self_attention_inputs(self, name: str, x: str, positions: str) -> list[str]:
        queries, keys, values = self.split_heads(self.linear(f"{name}.self_attention.qkv", x), 3)
        return [self.rotate(queries, positions), self.rotate(keys, positions), self.append_one(values)]

    def cross_keys_values(self, name: str, x: str, positions: str) -> list[str]:
        """Keys and values of the source for the cross-attention of a decoder layer."""
        keys, values = self.split_heads(self.linear(f"{name}.cross_attention.key_value", x), 2)
        return [self.rotate(keys, positions), self.append_one(values)]

    def encoder_layer(self, name: str, x: str, positions: str, bias: str) -> str:
        queries, keys, values = self.self_attention_inputs(name, self.pre_norm(f"{name}.self_norm", x), positions)
        attended = self.attend(queries, keys, values, bias)
        x = self.add_and_norm(f"{name}.self_norm", x, self.linear(f"{name}.self_attention.out", attended))
        return self.add_and_norm(f"{name}.ffn_norm", x, self.ffn(f"{name}.ffn", self.pre_norm(f"{name}.ffn_norm", x)))

    def decoder_layer(
        self, name: str, x: str, positions: str, past: tuple[list[str], str], cross: tuple[list[str], str]
    ) -> tuple[str, list[str]]:
        """`past` and `cross` are ([keys, values], bias). Returns the layer's output and its new keys and values."""
        queries, *new = self.self_attention_inputs(name, self.pre_norm(f"{name}.self_norm", x), positions)
        earlier, bias = past
        keys, values = (self.op("Concat", *pair, axis=2) for pair in zip(earlier, new, strict=True))
        attended = self.attend(queries, keys, values, bias)
        x = self.add_and_norm(f"{name}.self_norm", x, self.linear(f"{name}.self_attention.out", attended))
        query = self.linear(f"{name}.cross_attention.query", self.pre_norm(f"{name}.cross_norm", x))
        queries = self.rotate(self.split_heads(query, 1)[0], positions)
        (keys, values), bias = cross
        attended = self.attend(queries, keys, values, bias)
        x = self.add_and_norm(f"{name}.cross_norm", x, self.linear(f"{name}.cross_attention.out", attended))
        x = self.add_and_norm(f"{name}.ffn_norm", x, self.ffn(f"{name}.ffn", self.pre_norm(f"{name}.ffn_norm", x)))
        return x, new

"""Writes the model as two ONNX graphs that read their weights from the safetensors file beside them.

The encoder graph turns source ids into the cross-attention keys and values of every decoder layer. The decoder graph
takes any number of new target tokens with the keys and values of those before them, and returns logits and the new
tokens' keys and values.
Names of axes: B rows, S source tokens, N new tokens, T earlier tokens, V vocabulary.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper

from redraft.model.config import ModelConfig
from redraft.model.folder import DECODER_GRAPH, ENCODER_GRAPH, WEIGHTS, ModelFolder, Tensor, seal

OPSET = 20
_IR_VERSION = 9
_TYPES = {"F16": TensorProto.FLOAT16, "BF16": TensorProto.BFLOAT16, "F32": TensorProto.FLOAT}


def export(folder: ModelFolder) -> ModelFolder:
    """Writes both graphs into the folder and seals it again."""
    for name, graph in ((ENCODER_GRAPH, encoder_graph(folder)), (DECODER_GRAPH, decoder_graph(folder))):
        temporary = folder.path / f"{name}.part"
        temporary.write_bytes(graph.SerializeToString(deterministic=True))
        temporary.replace(folder.path / name)
    return seal(folder.path)


def encoder_graph(folder: ModelFolder) -> onnx.ModelProto:
    network = Network(folder)
    config = folder.config
    ids = network.input("ids", TensorProto.INT64, ["B", "S"])
    positions = network.input("positions", TensorProto.INT64, ["B", "S"])
    bias = network.input("bias", TensorProto.FLOAT, ["B", 1, 1, "S"])
    turn = network.angles(positions)
    x = network.embed(ids, positions, "encoder")
    for index in range(config.encoder_layers):
        x = network.encoder_layer(f"encoder.layers.{index}", x, turn, bias)
    x = network.finish(x, "encoder")
    for index in range(config.decoder_layers):
        pair = network.linear(f"decoder.layers.{index}.cross_attention.key_value", x)
        keys, values = network.split_heads(pair, 2)
        network.output(network.rotate(keys, turn), f"cross_keys.{index}", ["B", config.heads, "S", config.head_width])
        network.output(values, f"cross_values.{index}", ["B", config.heads, "S", config.head_width])
    return network.build("encoder")


def decoder_graph(folder: ModelFolder) -> onnx.ModelProto:
    network = Network(folder)
    config = folder.config
    heads = [config.heads, config.head_width]
    ids = network.input("ids", TensorProto.INT64, ["B", "N"])
    positions = network.input("positions", TensorProto.INT64, ["B", "N"])
    bias = network.input("bias", TensorProto.FLOAT, ["B", 1, "N", "T+N"])
    source_bias = network.input("source_bias", TensorProto.FLOAT, ["B", 1, 1, "S"])
    turn = network.angles(positions)
    x = network.embed(ids, positions, "decoder")
    for index in range(config.decoder_layers):
        past, cross = (
            [
                network.input(f"{kind}_{part}.{index}", TensorProto.FLOAT, ["B", heads[0], axis, heads[1]])
                for part in ("keys", "values")
            ]
            for kind, axis in (("past", "T"), ("cross", "S"))
        )
        x, new = network.decoder_layer(f"decoder.layers.{index}", x, turn, (past, bias), (cross, source_bias))
        for part, value in zip(("keys", "values"), new, strict=True):
            network.output(value, f"new_{part}.{index}", ["B", heads[0], "N", heads[1]])
    network.output(network.logits(network.finish(x, "decoder")), "logits", ["B", "N", config.vocabulary])
    return network.build("decoder")


class Network:
    """A graph in the making; each method adds nodes and returns the name of what they compute."""

    def __init__(self, folder: ModelFolder) -> None:
        self._config: ModelConfig = folder.config
        self._tensors = folder.tensors
        self._nodes: list[onnx.NodeProto] = []
        self._inputs: list[onnx.ValueInfoProto] = []
        self._outputs: list[onnx.ValueInfoProto] = []
        self._initializers: dict[str, onnx.TensorProto] = {}
        self._made: dict[str, str] = {}

    def build(self, name: str) -> onnx.ModelProto:
        graph = helper.make_graph(
            self._nodes, name, self._inputs, self._outputs, initializer=list(self._initializers.values())
        )
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=_IR_VERSION, producer_name="redraft"
        )

    def input(self, name: str, kind: int, shape: list[int | str]) -> str:
        self._inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, value: str, name: str, shape: list[int | str]) -> None:
        self._nodes.append(helper.make_node("Identity", [value], [name]))
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def add(self, kind: str, *inputs: str, count: int = 1, **attributes: Any) -> list[str]:
        names = [f"{kind.lower()}_{len(self._nodes)}_{index}" for index in range(count)]
        self._nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
        return names

    def one(self, kind: str, *inputs: str, **attributes: Any) -> str:
        return self.add(kind, *inputs, **attributes)[0]

    def constant(self, value: npt.NDArray[np.int64] | npt.NDArray[np.float32]) -> str:
        name = f"constant_{value.dtype}_{'x'.join(map(str, value.shape))}_{value.tobytes().hex()[:64]}"
        self._initializers.setdefault(name, onnx.numpy_helper.from_array(value, name))
        return name

    def integers(self, *values: int) -> str:
        return self.constant(np.array(values, dtype=np.int64))

    def number(self, value: float) -> str:
        return self.constant(np.array(value, dtype=np.float32))

    def stored(self, name: str) -> str:
        """A tensor as it lies in the weights file."""
        if name not in self._initializers:
            self._initializers[name] = _external(name, self._tensors[name])
        return name

    def as_float(self, name: str, value: str) -> str:
        """A value of the stored tensor's type in single precision; the runtime folds this away for whole tensors."""
        return value if self._tensors[name].dtype == "F32" else self.one("Cast", value, to=TensorProto.FLOAT)

    def weight(self, name: str, transposed: bool = False) -> str:
        key = f"{name}{' transposed' if transposed else ''}"
        if key not in self._made:
            value = self.as_float(name, self.stored(name))
            self._made[key] = self.one("Transpose", value, perm=[1, 0]) if transposed else value
        return self._made[key]

    def linear(self, name: str, x: str) -> str:
        product = self.one("MatMul", x, self.weight(f"{name}.weight", transposed=True))
        return self.one("Add", product, self.weight(f"{name}.bias"))

    def layer_norm(self, name: str, x: str) -> str:
        weight, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.one("LayerNormalization", x, weight, bias, axis=-1, epsilon=1e-5)

    def rows(self, name: str, indices: str) -> str:
        """Rows of a stored table, looked up before they are cast, so that the table stays as small as it is stored."""
        return self.as_float(name, self.one("Gather", self.stored(name), indices, axis=0))

    def embed(self, ids: str, positions: str, side: str) -> str:
        config = self._config
        x = self.rows("embedding.weight", ids)
        if config.scale_embedding:
            x = self.one("Mul", x, self.number(math.sqrt(config.width)))
        if config.positions == "learned":
            places = self.one("Add", positions, self.integers(config.position_offset))
            x = self.one("Add", x, self.rows(f"{side}.positions.weight", places))
        elif config.positions == "sinusoidal":
            sines, cosines = self._circle(positions, config.width)
            x = self.one("Add", x, self.one("Concat", sines, cosines, axis=-1))
        if config.norm_embedding:
            x = self.layer_norm(f"{side}.embedding_norm", x)
        return x

    def finish(self, x: str, side: str) -> str:
        return self.layer_norm(f"{side}.norm", x) if self._config.norm == "pre" else x

    def logits(self, x: str) -> str:
        name = "embedding.weight" if self._config.tie_output else "output.weight"
        logits = self.one("MatMul", x, self.weight(name, transposed=True))
        return self.one("Add", logits, self.weight("output.bias")) if self._config.output_bias else logits

    def angles(self, positions: str) -> tuple[str, str] | None:
        """Sines and cosines by which queries and keys turn: (B, 1, tokens, half the head width) each."""
        if self._config.positions != "rotary":
            return None
        sines, cosines = self._circle(positions, self._config.head_width)
        axis = self.integers(1)
        return self.one("Unsqueeze", sines, axis), self.one("Unsqueeze", cosines, axis)

    def _circle(self, positions: str, size: int) -> tuple[str, str]:
        speeds = np.exp(np.arange(0, size, 2, dtype=np.float32) * np.float32(-math.log(10_000.0) / size))
        numbers = self.one("Unsqueeze", self.one("Cast", positions, to=TensorProto.FLOAT), self.integers(-1))
        angles = self.one("Mul", numbers, self.constant(speeds.astype(np.float32)))
        return self.one("Sin", angles), self.one("Cos", angles)

    def rotate(self, x: str, turn: tuple[str, str] | None) -> str:
        if turn is None:
            return x
        sines, cosines = turn
        left, right = self.add("Split", x, count=2, axis=-1, num_outputs=2)
        first = self.one("Sub", self.one("Mul", left, cosines), self.one("Mul", right, sines))
        second = self.one("Add", self.one("Mul", right, cosines), self.one("Mul", left, sines))
        return self.one("Concat", first, second, axis=-1)

    def split_heads(self, x: str, parts: int) -> list[str]:
        """(B, tokens, parts · d) → `parts` values of (B, heads, tokens, head width)."""
        config = self._config
        pieces = [x] if parts == 1 else self.add("Split", x, count=parts, axis=-1, num_outputs=parts)
        shape = self.integers(0, 0, config.heads, config.head_width)
        return [self.one("Transpose", self.one("Reshape", piece, shape), perm=[0, 2, 1, 3]) for piece in pieces]

    def attend(self, queries: str, keys: str, values: str, bias: str) -> str:
        scaled = self.one("Mul", queries, self.number(self._config.head_width**-0.5))
        scores = self.one("MatMul", scaled, self.one("Transpose", keys, perm=[0, 1, 3, 2]))
        shares = self.one("Softmax", self.one("Add", scores, bias), axis=-1)
        attended = self.one("Transpose", self.one("MatMul", shares, values), perm=[0, 2, 1, 3])
        return self.one("Reshape", attended, self.integers(0, 0, self._config.width))

    def ffn(self, name: str, x: str) -> str:
        up = self.linear(f"{name}.up", x)
        return self.linear(f"{name}.down", self.activate(up))

    def activate(self, x: str) -> str:
        if self._config.activation == "swish":
            return self.one("Mul", x, self.one("Sigmoid", x))
        return self.one("Gelu" if self._config.activation == "gelu" else "Relu", x)

    def before(self, norm: str, x: str) -> str:
        return self.layer_norm(norm, x) if self._config.norm == "pre" else x

    def behind(self, norm: str, x: str, change: str) -> str:
        total = self.one("Add", x, change)
        return total if self._config.norm == "pre" else self.layer_norm(norm, total)

    def encoder_layer(self, name: str, x: str, turn: tuple[str, str] | None, bias: str) -> str:
        qkv = self.linear(f"{name}.self_attention.qkv", self.before(f"{name}.self_norm", x))
        queries, keys, values = self.split_heads(qkv, 3)
        attended = self.attend(self.rotate(queries, turn), self.rotate(keys, turn), values, bias)
        x = self.behind(f"{name}.self_norm", x, self.linear(f"{name}.self_attention.out", attended))
        return self.behind(f"{name}.ffn_norm", x, self.ffn(f"{name}.ffn", self.before(f"{name}.ffn_norm", x)))

    def decoder_layer(
        self,
        name: str,
        x: str,
        turn: tuple[str, str] | None,
        past: tuple[list[str], str],
        cross: tuple[list[str], str],
    ) -> tuple[str, list[str]]:
        """`past` and `cross` are ([keys, values], bias). Returns the layer's output and its new keys and values."""
        (past_keys, past_values), bias = past
        (cross_keys, cross_values), cross_bias = cross
        qkv = self.linear(f"{name}.self_attention.qkv", self.before(f"{name}.self_norm", x))
        queries, keys, values = self.split_heads(qkv, 3)
        keys = self.rotate(keys, turn)
        all_keys = self.one("Concat", past_keys, keys, axis=2)
        all_values = self.one("Concat", past_values, values, axis=2)
        attended = self.attend(self.rotate(queries, turn), all_keys, all_values, bias)
        x = self.behind(f"{name}.self_norm", x, self.linear(f"{name}.self_attention.out", attended))
        query = self.linear(f"{name}.cross_attention.query", self.before(f"{name}.cross_norm", x))
        queries = self.rotate(self.split_heads(query, 1)[0], turn)
        attended = self.attend(queries, cross_keys, cross_values, cross_bias)
        x = self.behind(f"{name}.cross_norm", x, self.linear(f"{name}.cross_attention.out", attended))
        x = self.behind(f"{name}.ffn_norm", x, self.ffn(f"{name}.ffn", self.before(f"{name}.ffn_norm", x)))
        return x, [keys, values]


def _external(name: str, tensor: Tensor) -> onnx.TensorProto:
    proto = TensorProto(name=name, data_type=_TYPES[tensor.dtype], dims=tensor.shape)
    proto.data_location = TensorProto.EXTERNAL
    for key, value in (("location", WEIGHTS), ("offset", str(tensor.offset)), ("length", str(tensor.length))):
        proto.external_data.add(key=key, value=value)
    return proto

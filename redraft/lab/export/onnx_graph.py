"""Export of a model to ONNX graphs that read their weights from the safetensors file next to them.

The encoder graph turns source ids into the cross-attention keys and values of every decoder layer. The decoder graph
takes any number of new target tokens with the keys and values of those before them, and returns logits and the new
tokens' keys and values. There is a pair of them for each precision.
Names of axes: B rows, S source tokens, N new tokens, T earlier tokens, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import onnx
from onnx import TensorProto

from redraft.lab.export.matmul import FloatMatMul, Int8MatMul, MatMul
from redraft.lab.export.network import Network
from redraft.model.folder import GRAPHS, LEVELS_OUTPUT, ModelFolder, Precision, seal

MATMULS: Mapping[Precision, Callable[[], MatMul]] = {"int8": Int8MatMul, "fp32": FloatMatMul}


def export(folder: ModelFolder) -> ModelFolder:
    """Writes the graphs of every precision into the folder and renews its checksums."""
    for precision, names in GRAPHS.items():
        for name, make in ((names.encoder, encoder_graph), (names.decoder, decoder_graph)):
            temporary = folder.path / f"{name}.part"
            temporary.write_bytes(make(folder, precision).SerializeToString(deterministic=True))
            temporary.replace(folder.path / name)
    return seal(folder.path)


def encoder_graph(folder: ModelFolder, precision: Precision) -> onnx.ModelProto:
    matmul = MATMULS[precision]()
    network = Network(folder, matmul)
    config = folder.config
    ids = network.input("ids", TensorProto.INT64, ["B", "S"])
    positions = network.input("positions", TensorProto.INT64, ["B", "S"])
    bias = network.input("bias", TensorProto.FLOAT, ["B", 1, 1, "S"])
    x = network.embed(ids, positions, "encoder")
    for index in range(config.encoder_layers):
        x = network.encoder_layer(f"encoder.layers.{index}", x, positions, bias)
    x = network.final_norm(x, "encoder")
    for index in range(config.decoder_layers):
        keys, values = network.cross_keys_values(f"decoder.layers.{index}", x, positions)
        network.output(keys, f"cross_keys.{index}", ["B", config.heads, "S", config.head_width])
        network.output(values, f"cross_values.{index}", ["B", config.heads, "S", config.head_width + 1])
    levels = matmul.levels(network)
    if levels is not None:
        network.output(levels, LEVELS_OUTPUT, [])
    return network.build("encoder")


def decoder_graph(folder: ModelFolder, precision: Precision) -> onnx.ModelProto:
    network = Network(folder, MATMULS[precision]())
    config = folder.config
    parts = {"keys": config.head_width, "values": config.head_width + 1}
    ids = network.input("ids", TensorProto.INT64, ["B", "N"])
    positions = network.input("positions", TensorProto.INT64, ["B", "N"])
    bias = network.input("bias", TensorProto.FLOAT, ["B", 1, "N", "T+N"])
    source_bias = network.input("source_bias", TensorProto.FLOAT, ["B", 1, 1, "S"])
    x = network.embed(ids, positions, "decoder")
    for index in range(config.decoder_layers):
        past, cross = (
            [
                network.input(f"{kind}_{part}.{index}", TensorProto.FLOAT, ["B", config.heads, axis, width])
                for part, width in parts.items()
            ]
            for kind, axis in (("past", "T"), ("cross", "S"))
        )
        x, new = network.decoder_layer(f"decoder.layers.{index}", x, positions, (past, bias), (cross, source_bias))
        for (part, width), value in zip(parts.items(), new, strict=True):
            network.output(value, f"new_{part}.{index}", ["B", config.heads, "N", width])
    network.output(network.logits(network.final_norm(x, "decoder")), "logits", ["B", "N", config.vocabulary])
    return network.build("decoder")

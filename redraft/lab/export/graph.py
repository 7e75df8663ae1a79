"""Builder of an ONNX graph whose weights stay in the safetensors file next to it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper

from redraft.model.folder import FINENESS, WEIGHTS, Tensor, rest_of, scale_of

OPSET = 20
_IR_VERSION = 9
_CONTRIB = "com.microsoft"
_TYPES = {"F16": TensorProto.FLOAT16, "BF16": TensorProto.BFLOAT16, "F32": TensorProto.FLOAT, "I8": TensorProto.INT8}


class Graph:
    """An ONNX graph under construction. Most methods add nodes and return the name of their output."""

    def __init__(self, tensors: Mapping[str, Tensor]) -> None:
        self._tensors = tensors
        self._nodes: list[onnx.NodeProto] = []
        self._inputs: list[onnx.ValueInfoProto] = []
        self._outputs: list[onnx.ValueInfoProto] = []
        self._initializers: dict[str, onnx.TensorProto] = {}
        self._weights: dict[str, str] = {}
        self._public: dict[str, str] = {}

    def build(self, name: str) -> onnx.ModelProto:
        for node in self._nodes:
            for names in (node.input, node.output):
                names[:] = [self._public.get(value, value) for value in names]
        graph = helper.make_graph(
            self._nodes, name, self._inputs, self._outputs, initializer=list(self._initializers.values())
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(_CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="redraft")

    def input(self, name: str, kind: int, shape: list[int | str]) -> str:
        self._inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, value: str, name: str, shape: list[int | str]) -> None:
        """Makes a value an output by renaming it; an Identity node would copy it."""
        self._public[value] = name
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def add(self, kind: str, *inputs: str, count: int = 1, domain: str = "", **attributes: Any) -> list[str]:
        """A node with `count` outputs."""
        names = [f"{kind.lower()}_{len(self._nodes)}_{index}" for index in range(count)]
        self._nodes.append(helper.make_node(kind, list(inputs), names, domain=domain, **attributes))
        return names

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """A node with one output."""
        return self.add(kind, *inputs, **attributes)[0]

    def contrib(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """A node with one of ONNX Runtime's own operators."""
        return self.op(kind, *inputs, domain=_CONTRIB, **attributes)

    def constant(self, value: npt.NDArray[Any]) -> str:
        digest = hashlib.sha256(value.tobytes()).hexdigest()[:16]
        name = f"constant_{value.dtype}_{'x'.join(map(str, value.shape))}_{digest}"
        self._initializers.setdefault(name, onnx.numpy_helper.from_array(value, name))
        return name

    def integers(self, *values: int) -> str:
        return self.constant(np.array(values, dtype=np.int64))

    def number(self, value: float) -> str:
        return self.constant(np.array(value, dtype=np.float32))

    def stored(self, name: str) -> str:
        """A tensor as it is stored in the weights file."""
        if name not in self._initializers:
            self._initializers[name] = _external(name, self._tensors[name])
        return name

    def is_quantized(self, name: str) -> bool:
        return self._tensors[name].dtype == "I8"

    def weight(self, name: str, transposed: bool = False) -> str:
        """A stored tensor in single precision; ONNX Runtime converts it once, when it opens the graph."""
        key = f"{name}{' transposed' if transposed else ''}"
        if key not in self._weights:
            value = self._as_float(name, lambda tensor: tensor)
            self._weights[key] = self.op("Transpose", value, perm=[1, 0]) if transposed else value
        return self._weights[key]

    def rows(self, name: str, indices: str) -> str:
        """Rows of a stored table; they are looked up before they are cast, so that the table itself stays small."""
        return self._as_float(name, lambda table: self.op("Gather", table, indices, axis=0))

    def _as_float(self, name: str, pick: Callable[[str], str]) -> str:
        """The part of a stored tensor that `pick` selects, in single precision."""
        value = self._cast(name, pick)
        if not self.is_quantized(name):
            return value
        if rest_of(name) in self._tensors:
            rest = self.op("Div", self._cast(rest_of(name), pick), self.number(FINENESS))
            value = self.op("Add", value, rest)
        return self.op("Mul", value, self.op("Unsqueeze", pick(self.stored(scale_of(name))), self.integers(-1)))

    def _cast(self, name: str, pick: Callable[[str], str]) -> str:
        value = pick(self.stored(name))
        return value if self._tensors[name].dtype == "F32" else self.op("Cast", value, to=TensorProto.FLOAT)


def _external(name: str, tensor: Tensor) -> onnx.TensorProto:
    proto = TensorProto(name=name, data_type=_TYPES[tensor.dtype], dims=tensor.shape)
    proto.data_location = TensorProto.EXTERNAL
    for key, value in (("location", WEIGHTS), ("offset", str(tensor.offset)), ("length", str(tensor.length))):
        proto.external_data.add(key=key, value=value)
    return proto

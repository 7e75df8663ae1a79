"""Networks with random weights, of every shape, whose predictions are worth comparing."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from unittest.mock import patch

import pytest
import torch
from safetensors.torch import save_file
from scripted import Letters
from shapes import SHAPES

from redraft.engines.native.library import variants
from redraft.engines.onnx import OnnxEngine
from redraft.lab.export.matmul import EXACT_SUM
from redraft.lab.export.onnx_graph import export
from redraft.lab.export.quantized_weights import export_quantized
from redraft.model.config import preset
from redraft.model.folder import CARD, LEVELS, TOKENIZER, WEIGHTS, ModelFolder, ModelInfo, seal, write_config
from redraft.model.transformer import Transformer

VOCABULARY = 40
LETTERS = Letters(VOCABULARY)
_ABSENT = "the native engine was not built, or not for this processor"
NATIVE: Sequence[object] = variants() or [pytest.param("", marks=pytest.mark.skip(_ABSENT))]
"""The variants of the native engine that this processor runs."""
needs_native = pytest.mark.skipif(not variants(), reason=_ABSENT)
sources_out_of_range = pytest.mark.parametrize(
    "source",
    [[VOCABULARY], [-1], [3, 2**62], [-(2**63)], [3] * 25, [3] * 10_000],
    ids=["beyond", "negative", "huge", "least", "too long", "far too long"],
)
"""Sources with ids or lengths that a random model does not have."""


@cache
def random_model(shape: str, half: bool = False) -> ModelFolder:
    """Weights large enough that the predictions vary, and an end of sentence that comes now and then."""
    torch.manual_seed(11)
    config = preset("tiny", vocabulary=VOCABULARY, max_tokens=24, **SHAPES[shape])
    model = Transformer(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(2.0)
        model.embedding.weight[2] *= 1.5
    folder = Path(mkdtemp())
    kind = torch.float16 if half else torch.float32
    save_file({name: weight.to(kind).contiguous() for name, weight in model.weights().items()}, folder / WEIGHTS)
    write_config(folder, ModelInfo("random", "en"), config)
    (folder / CARD).write_text("random\n")
    (folder / TOKENIZER).write_text("{}")
    return export(seal(folder))


@cache
def quantized_model(shape: str) -> ModelFolder:
    """The same with 8-bit weights."""
    return export_quantized(random_model(shape), Path(mkdtemp()) / "int8")


@cache
def onnx_engine_with(levels: int, folder: Path) -> OnnxEngine:
    """ONNX Runtime in integers, with as many levels as asked for, whatever this processor would have."""
    copy = ModelFolder.open(shutil.copytree(folder, Path(mkdtemp()) / "levels"))
    # What the trial in the graph compares with: what a processor gets that multiplies without loss, or what none gets.
    with patch("redraft.lab.export.matmul.EXACT_SUM", EXACT_SUM if levels == LEVELS else 0):
        engine = OnnxEngine(export(copy), 1, "int8")
    if engine.levels != levels:
        pytest.skip("ONNX Runtime rounds to fewer levels on this processor")
    return engine

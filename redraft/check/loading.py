"""Models by name or folder, on the engine that was asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from redraft.check.corrector import Companion, Corrector, CorrectorOptions
from redraft.decode.loop import DecodeOptions
from redraft.decode.stepper import Engine
from redraft.errors import ConfigError
from redraft.model.catalogue import installed, locate
from redraft.model.folder import GRAPHS, ModelFolder
from redraft.text.dialects import find_dialect
from redraft.text.scripts import AUTO
from redraft.tokens.tokenizer import Tokenizer

ENGINES = ("native", "onnx", "torch", "cuda")
_FIRST = "en"
_GPU_BATCH_TOKENS = 4096


def load(
    model: str | Path = AUTO,
    *,
    engine: str | None = None,
    draft: str | None = None,
    max_draft: int | None = None,
    threshold: float | None = None,
    threads: int = 0,
    precision: str | None = None,
    dialect: str | None = None,
) -> Corrector:
    """Opens an embedded model by name, or a model folder by path; `auto` is English with all others beside it.

    What is left None comes from the model or from the defaults of `DecodeOptions`; the engine is then the quickest
    that this machine has for the model and the precision, int8 or fp32, on its CPU.
    """
    if model == AUTO:
        return _load_every(
            threshold,
            partial(
                load,
                engine=engine,
                draft=draft,
                max_draft=max_draft,
                threshold=threshold,
                threads=threads,
                precision=precision,
                dialect=dialect,
            ),
        )
    folder = ModelFolder.open(locate(model))
    tokenizer = Tokenizer.load(folder.tokenizer)
    decode = DecodeOptions(max_draft=max_draft)
    if draft is not None:
        decode = replace(decode, policy=draft)
    options = CorrectorOptions(
        decode=decode,
        threshold=folder.info.threshold if threshold is None else threshold,
        dialect=None if dialect is None else find_dialect(dialect),
    )
    if engine == "cuda":
        options = replace(options, batch_tokens=_GPU_BATCH_TOKENS)
    return Corrector(open_engine(folder, engine, threads, precision), tokenizer, folder.info, options)


def _load_every(threshold: float | None, open_model: Callable[[str], Corrector]) -> Corrector:
    """English, with a companion for each other embedded model."""
    first, *others = sorted(installed(), key=lambda name: name != _FIRST) or [_FIRST]
    corrector = open_model(first)
    companions = tuple(
        Companion(name, partial(open_model, name), partial(_advised, name, threshold)) for name in others
    )
    corrector.options = replace(corrector.options, companions=companions)
    return corrector


def _advised(name: str, threshold: float | None) -> float:
    """What a model asks for, unless a user asks for something else."""
    if threshold is not None:
        return threshold
    return ModelFolder.open(locate(name), verify=False).info.threshold


def quickest_engine(folder: ModelFolder, precision: str | None = None) -> str:
    """On this machine's CPU."""
    from redraft.engines.native.engine import can_run

    return "native" if precision in (None, "int8") and can_run(folder) else "onnx"


def open_engine(
    folder: ModelFolder, engine: str | None = None, threads: int = 0, precision: str | None = None
) -> Engine:
    """Left None, it is the quickest."""
    if precision not in (None, *GRAPHS):
        raise ConfigError(f"no precision is called {precision!r}; there are {', '.join(GRAPHS)}")
    engine = engine or quickest_engine(folder, precision)
    if engine == "native":
        from redraft.engines.native.engine import NativeEngine

        if precision == "fp32":
            raise ConfigError("the engine native does not compute in fp32; leave out the precision, or use onnx")
        return NativeEngine(folder, threads)
    if engine == "onnx":
        from redraft.engines.onnx import OnnxEngine

        return OnnxEngine(folder, threads, precision)
    if engine not in ENGINES:
        raise ConfigError(f"no engine is called {engine!r}; there are {', '.join(ENGINES)}")
    if precision == "int8":
        raise ConfigError(f"the engine {engine} does not compute in int8; leave out the precision, or use onnx")
    try:
        import torch

        from redraft.engines.torch import TorchEngine
    except ImportError:
        raise ConfigError(f"the engine {engine} needs torch: pip install 'redraft[train]'") from None
    if threads:
        torch.set_num_threads(threads)
    if engine == "cuda":
        from redraft.engines.cuda.engine import CudaEngine

        # Half precision is what a GPU is for; whoever asks for single precision by name gets it.
        return CudaEngine.load(folder, dtype=torch.float32 if precision == "fp32" else torch.float16)
    return TorchEngine.load(folder)

"""Opens the engine that was asked for, or the quickest one for a model."""

from __future__ import annotations

from redraft.decode.stepper import Engine
from redraft.errors import ConfigError
from redraft.model.folder import GRAPHS, ModelFolder

ENGINES = ("native", "onnx", "torch", "cuda")


def quickest_engine(folder: ModelFolder, precision: str | None = None) -> str:
    """The engine that is quickest on this machine's CPU."""
    from redraft.engines.native.engine import can_run

    return "native" if precision in (None, "int8") and can_run(folder) else "onnx"


def open_engine(
    folder: ModelFolder, engine: str | None = None, threads: int = 0, precision: str | None = None
) -> Engine:
    """Opens a model on an engine, on the quickest one if none is named. `threads` is 0 for one on each core."""
    if threads < 0:
        raise ConfigError(f"threads must be 0 or more, not {threads}; 0 means one on each core")
    if precision not in (None, *GRAPHS):
        raise ConfigError(f"precision {precision!r} is not known; choose {' or '.join(GRAPHS)}")
    engine = engine or quickest_engine(folder, precision)
    if engine == "native":
        from redraft.engines.native.engine import NativeEngine

        if precision == "fp32":
            raise ConfigError("engine native does not compute in fp32; leave out the precision, or use onnx")
        return NativeEngine(folder, threads)
    if engine == "onnx":
        from redraft.engines.onnx import OnnxEngine

        return OnnxEngine(folder, threads, precision)
    if engine not in ENGINES:
        raise ConfigError(f"engine {engine!r} is not known; there are {', '.join(ENGINES)}")
    if precision == "int8":
        raise ConfigError(f"engine {engine} does not compute in int8; leave out the precision, or use onnx")
    try:
        import torch

        from redraft.engines.torch import TorchEngine
    except ImportError:
        raise ConfigError(f"engine {engine} needs torch; install the extra 'train' of redraft") from None
    if threads:
        torch.set_num_threads(threads)
    if engine == "cuda":
        from redraft.engines.cuda.engine import CudaEngine

        # A GPU computes in half precision much faster; single precision has to be asked for.
        return CudaEngine.load(folder, dtype=torch.float32 if precision == "fp32" else torch.float16)
    return TorchEngine.load(folder)

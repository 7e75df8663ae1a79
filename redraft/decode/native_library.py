"""The compiled library, where it was built and this processor can run it; see redraft/native."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

LIBRARY = Path(__file__).parent.parent / "native" / "libredraft.so"

_Floats = ctypes.POINTER(ctypes.c_float)
_Ints = ctypes.POINTER(ctypes.c_int64)
_SIZES = (
    *("vocabulary", "width", "ffn", "heads", "encoder_layers", "decoder_layers", "max_tokens"),
    *("post_norm", "norm_embedding", "tie_output", "output_bias", "activation", "threads"),
)


class Shape(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_int64) for name in _SIZES),
        ("embedding_factor", ctypes.c_float),
        ("least", ctypes.c_float),
        ("positions", _Floats * 2),
        ("cosines", _Floats),
        ("sines", _Floats),
    )


class TensorPointers(ctypes.Structure):
    _fields_ = (("values", ctypes.c_void_p), ("scales", ctypes.c_void_p), ("rest", ctypes.c_void_p))


class Batch(ctypes.Structure):
    _fields_ = (("rows", ctypes.c_int64), ("ids", _Ints), ("positions", _Ints), ("offsets", _Ints))


class Memory(ctypes.Structure):
    _fields_ = (("keys", _Floats), ("values", _Floats), ("capacity", ctypes.c_int64))


def floats(array: npt.NDArray[np.float32] | None) -> Any:
    """A pointer to the numbers of a contiguous array; whoever passes it on must keep the array."""
    return None if array is None else array.ctypes.data_as(_Floats)


def ints(array: npt.NDArray[np.int64] | None) -> Any:
    return None if array is None else array.ctypes.data_as(_Ints)


def library() -> ctypes.CDLL | None:
    """None where there is none; `absence` says why."""
    found = _open()
    return None if isinstance(found, str) else found


def absence() -> str | None:
    """Why there is no library; None if there is one."""
    found = _open()
    return found if isinstance(found, str) else None


@cache
def _open() -> ctypes.CDLL | str:
    try:
        found = ctypes.CDLL(str(LIBRARY))
    except OSError:
        return "it was not built with this installation, which takes a C compiler"
    if not found.redraft_supported():
        return "this processor has no AVX512-VNNI"
    network, batch, memory = ctypes.c_void_p, ctypes.POINTER(Batch), ctypes.POINTER(Memory)
    found.redraft_open.restype = network
    found.redraft_open.argtypes = (ctypes.POINTER(Shape), ctypes.POINTER(TensorPointers))
    found.redraft_close.restype = None
    found.redraft_close.argtypes = (network,)
    found.redraft_encode.argtypes = (network, batch, memory)
    found.redraft_decode.argtypes = (network, batch, _Ints, memory, memory, _Floats)
    found.redraft_best.argtypes = (network, _Floats, ctypes.c_int64, _Ints, ctypes.c_float, _Ints, _Floats)
    found.redraft_logits.argtypes = (network, _Floats, ctypes.c_int64, _Floats)
    return found

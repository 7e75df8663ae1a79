"""The compiled C library of this folder, and the variants of it that this processor can run."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

VARIANTS = ("avx512", "avxvnni", "avx2", "neon")
LIBRARY = Path(__file__).with_name("libredraft.so")
INTERFACE = 6
"""The version of the library's functions that this module calls; the same number as in support.c."""

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


class KeyValuePointers(ctypes.Structure):
    _fields_ = (("keys", _Floats), ("values", _Floats), ("capacity", ctypes.c_int64))


def floats(array: npt.NDArray[np.float32] | None) -> Any:
    """A pointer to the numbers of a contiguous array, which the caller must keep alive."""
    return None if array is None else array.ctypes.data_as(_Floats)


def ints(array: npt.NDArray[np.int64] | None) -> Any:
    return None if array is None else array.ctypes.data_as(_Ints)


@dataclass(frozen=True, slots=True)
class Functions:
    """The library's functions for one variant. `encode` to `logits` return 0, or another number if memory is short."""

    variant: str
    open: Any
    close: Any
    encode: Any
    encode_layers: Any
    """Runs some layers of the encoder, and writes their states."""
    decode: Any
    best: Any
    logits: Any
    levels: Any
    share: Any
    """Opens a network of one thread with the weights of another one."""
    restart: Any
    """Starts the threads again, in a forked process."""


def variants() -> list[str]:
    """The variants that this processor can run, the fastest first."""
    found = _load()
    return [] if found is None else [name for name in VARIANTS if found.redraft_runs(name.encode())]


def absence() -> str | None:
    """Why no variant can run; None if one can."""
    if _load() is None:
        if LIBRARY.exists():
            return f"{LIBRARY} was not built from these sources; install Redraft again to compile it"
        return "it was not compiled when Redraft was installed, which needs a C compiler"
    return None if variants() else "this processor has neither AVX2 nor ARM's dot products"


@cache
def functions(variant: str) -> Functions:
    found = _load()
    network, batch, memory = ctypes.c_void_p, ctypes.POINTER(Batch), ctypes.POINTER(KeyValuePointers)
    arguments = {
        "open": (ctypes.POINTER(Shape), ctypes.POINTER(TensorPointers)),
        "close": (network,),
        "encode": (network, batch, memory),
        "encode_layers": (network, batch, ctypes.c_int64, ctypes.c_int64, _Floats, _Floats, _Floats, memory),
        "decode": (network, batch, _Ints, memory, memory, _Floats),
        "best": (network, _Floats, ctypes.c_int64, _Ints, _Floats),
        "logits": (network, _Floats, ctypes.c_int64, _Floats),
        "levels": (),
        "share": (network,),
        "restart": (network,),
    }
    bound = {name: getattr(found, f"redraft_{name}_{variant}") for name in arguments}
    for name, types in arguments.items():
        bound[name].argtypes = types
    bound["open"].restype = bound["share"].restype = network
    bound["close"].restype = None
    return Functions(variant, **bound)


@cache
def _load() -> ctypes.CDLL | None:
    """None if the library is absent, cannot be loaded, or was built from sources with other functions."""
    try:
        library = ctypes.CDLL(str(LIBRARY))
        return library if library.redraft_interface() == INTERFACE else None
    except (OSError, AttributeError):
        return None

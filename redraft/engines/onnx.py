"""The model in ONNX Runtime on the CPU: the engine where `native` cannot run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from redraft.decode.stepper import Ranking
from redraft.engines.cores import usable_cores
from redraft.engines.rows import Best, Floats, Ints, RowStepper, pad_sources, rank_logits
from redraft.errors import ConfigError, ModelError
from redraft.model.config import ModelConfig
from redraft.model.folder import GRAPHS, LEVELS_OUTPUT, ModelFolder, Precision

_HIDDEN = np.float32(-1e9)
_NARROWEST = 2
_ERRORS_ONLY = 3
_SPIN = "20"
"""How long a thread spins, in microseconds."""
_SLOWER_FUSIONS = ["SkipLayerNormFusion"]


class OnnxEngine:
    def __init__(self, folder: ModelFolder, threads: int = 0, precision: Precision | None = None) -> None:
        """`threads` 0 means one for each usable core. `precision` None means the first that the folder has."""
        self.precision = precision or (*folder.precisions, *GRAPHS)[0]
        self.name = f"onnx {self.precision}"
        self.config = folder.config
        self.max_tokens = folder.config.max_tokens
        self._eos = folder.eos
        names = GRAPHS[self.precision]
        self._threads = threads or usable_cores()
        self._process = os.getpid()
        self._encoder = _open_session(folder.graph(names.encoder), threads)
        self._decoder = _open_session(folder.graph(names.decoder), threads)
        self._cross_names = [output.name for output in self._encoder.get_outputs() if output.name != LEVELS_OUTPUT]

    def start(self, sources: Sequence[Sequence[int]]) -> OnnxStepper:
        self._check_process()
        inputs = self._inputs(sources)
        cross = self._encoder.run(self._cross_names, inputs)
        return OnnxStepper(self.config, self._decoder, dict(zip(self._cross_names, cross, strict=True)), inputs["bias"])

    @cached_property
    def levels(self) -> int | None:
        """Levels of an activation on either side of zero: 127, or 63 on a processor whose products of bytes overflow
        with more; None in single precision."""
        if all(output.name != LEVELS_OUTPUT for output in self._encoder.get_outputs()):
            return None
        (levels,) = self._encoder.run([LEVELS_OUTPUT], self._inputs([[]]))
        return round(float(levels))

    def _check_process(self) -> None:
        """A forked process has no copy of the runtime's threads: it would wait for them for ever."""
        if self._threads > 1 and self._process != os.getpid():
            raise ConfigError(
                "the engine onnx with several threads cannot run in a forked process; open the model in that process"
            )

    def _inputs(self, sources: Sequence[Sequence[int]]) -> dict[str, Any]:
        padded = pad_sources(sources, self._eos)
        ids = _widen(padded.ids)
        places = np.arange(ids.shape[1])
        bias = np.where(places < padded.lengths[:, None], np.float32(0), _HIDDEN)[:, None, None, :]
        return {"ids": ids, "positions": np.ascontiguousarray(np.broadcast_to(places, ids.shape)), "bias": bias}


class OnnxStepper(RowStepper[Floats]):
    def __init__(
        self,
        config: ModelConfig,
        decoder: onnxruntime.InferenceSession,
        cross: dict[str, Floats],
        source_bias: Floats,
    ) -> None:
        rows, capacity = source_bias.shape[0], config.max_tokens + 1
        super().__init__(rows, capacity)
        self._decoder = decoder
        self._cross = cross
        self._source_bias = source_bias
        # Zeros: masked slots may not have been written yet, and a mask does not hide a NaN in uninitialized memory.
        self._past = {
            name.replace("cross", "past"): np.zeros((rows, config.heads, capacity, value.shape[-1]), dtype=np.float32)
            for name, value in cross.items()
        }

    def _decode(self, ids: Ints, positions: Ints, counts: Ints) -> Floats:
        width = ids.shape[1]
        starts = positions[:, 0]
        earlier = int(starts.max())
        inputs: dict[str, Any] = {
            "ids": _widen(ids),
            "positions": _widen(positions),
            "bias": _target_bias(starts, max(width, _NARROWEST)),
            "source_bias": self._source_bias,
            **self._cross,
            **{name: np.ascontiguousarray(past[:, :, :earlier]) for name, past in self._past.items()},
        }
        *new, logits = self._decoder.run(None, inputs)
        for past, values in zip(self._past.values(), new, strict=True):
            for row, places in enumerate(positions):
                past[row][:, places] = values[row][:, :width]
        return logits[:, :width]  # type: ignore[no-any-return]

    def _best(self, logits: Floats) -> Best:
        ids = logits.argmax(axis=-1)
        best = np.take_along_axis(logits, ids[..., None], axis=-1)
        total = np.exp(logits - best).sum(axis=-1)
        return Best(ids, -np.log(total))

    def _rank(self, logits: Floats, last: Ints, best: int) -> list[Ranking]:
        return rank_logits(logits[np.arange(len(last)), last], best)

    def _keep(self, places: Ints) -> None:
        self._cross = {name: value[places] for name, value in self._cross.items()}
        self._source_bias = self._source_bias[places]
        self._past = {name: value[places] for name, value in self._past.items()}


def _widen(values: Ints) -> Ints:
    """Repeats a single token: ONNX Runtime computes a product with one row in another order, with other last bits."""
    missing = _NARROWEST - values.shape[1]
    return np.concatenate((values, values[:, -1:]), axis=1) if missing > 0 else values


def _target_bias(starts: Ints, width: int) -> Floats:
    """The mask of new tokens, which see their row's tokens up to their own: (rows, 1, N, T + N)."""
    earlier = int(starts.max())
    new = np.triu(np.full((width, width), _HIDDEN, dtype=np.float32), k=1)
    past = np.where(np.arange(earlier) < starts[:, None], np.float32(0), _HIDDEN)
    past = np.broadcast_to(past[:, None, None, :], (len(starts), 1, width, earlier))
    return np.concatenate((past, np.broadcast_to(new, (len(starts), 1, width, width))), axis=-1)


def _open_session(path: Path, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or usable_cores()
    options.log_severity_level = _ERRORS_ONLY
    # Encoder and decoder never run at the same time. Their threads spin only between two operators of a run, and only
    # briefly: longer would take the core from other programs, not at all would cost a wake-up for each operator.
    options.add_session_config_entry("session.intra_op.spin_duration_us", _SPIN)
    options.add_session_config_entry("session.force_spinning_stop", "1")
    try:
        return onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"], disabled_optimizers=_SLOWER_FUSIONS
        )
    except Exception as error:  # the runtime has its own exception types for a bad graph, all unrelated
        raise ModelError(f"{path} cannot be run by onnxruntime {onnxruntime.__version__}: {error}") from error

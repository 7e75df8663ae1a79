"""The model in ONNX Runtime on the CPU: the default engine, which needs no torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from redraft.decode.rows import Best, Floats, Ints, RowStepper, pad_sources
from redraft.decode.stepper import Ranking
from redraft.errors import ModelError
from redraft.model.config import ModelConfig
from redraft.model.folder import DECODER_GRAPH, ENCODER_GRAPH, ModelFolder

_HIDDEN = np.float32(-1e9)
_ERRORS_ONLY = 3


class OnnxEngine:
    name = "onnx"

    def __init__(self, folder: ModelFolder, threads: int = 0) -> None:
        """`threads` 0 leaves the number to the runtime: one for each physical core."""
        self.config = folder.config
        self.max_tokens = folder.config.max_tokens
        self._eos = folder.eos
        self._encoder = _open_session(folder.graph(ENCODER_GRAPH), threads)
        self._decoder = _open_session(folder.graph(DECODER_GRAPH), threads)

    def start(self, sources: Sequence[Sequence[int]]) -> OnnxStepper:
        padded = pad_sources(sources, self._eos)
        places = np.arange(padded.ids.shape[1])
        bias = np.where(places < padded.lengths[:, None], np.float32(0), _HIDDEN)[:, None, None, :]
        positions = np.ascontiguousarray(np.broadcast_to(places, padded.ids.shape))
        cross = self._encoder.run(None, {"ids": padded.ids, "positions": positions, "bias": bias})
        return OnnxStepper(self.config, self._decoder, cross, bias)


class OnnxStepper(RowStepper[Floats]):
    def __init__(
        self,
        config: ModelConfig,
        decoder: onnxruntime.InferenceSession,
        cross: Sequence[Floats],
        source_bias: Floats,
    ) -> None:
        rows, capacity = source_bias.shape[0], config.max_tokens + 1
        super().__init__(rows, capacity)
        self._decoder = decoder
        self._layers = config.decoder_layers
        self._cross = {
            f"cross_{part}.{index}": cross[2 * index + place]
            for index in range(self._layers)
            for place, part in enumerate(("keys", "values"))
        }
        self._source_bias = source_bias
        shape = (2 * self._layers, rows, config.heads, capacity, config.head_width)
        # Zeros: a slot may be hidden before anything was written there, and no bias hides a NaN in fresh memory.
        self._cache = np.zeros(shape, dtype=np.float32)

    def _decode(self, ids: Ints, positions: Ints) -> Floats:
        starts = positions[:, 0]
        earlier = int(starts.max())
        past = self._cache[:, :, :, :earlier]
        inputs: dict[str, Any] = {
            "ids": ids,
            "positions": positions,
            "bias": _target_bias(starts, ids.shape[1]),
            "source_bias": self._source_bias,
            **self._cross,
        }
        for index in range(self._layers):
            inputs[f"past_keys.{index}"] = np.ascontiguousarray(past[2 * index])
            inputs[f"past_values.{index}"] = np.ascontiguousarray(past[2 * index + 1])
        *new, logits = self._decoder.run(None, inputs)
        for row, places in enumerate(positions):
            for part, values in zip(self._cache, new, strict=True):
                part[row][:, places] = values[row]
        return logits  # type: ignore[no-any-return]

    def _best(self, logits: Floats, favoured: Ints | None, bias: float) -> Best:
        if favoured is not None:
            rows, tokens = np.indices(favoured.shape)
            logits[rows, tokens, favoured] += np.float32(bias)
        ids = logits.argmax(axis=-1)
        best = np.take_along_axis(logits, ids[..., None], axis=-1)
        total = np.exp(logits - best).sum(axis=-1)
        return Best(ids, -np.log(total))

    def _rank(self, logits: Floats, last: Ints, best: int) -> list[Ranking]:
        rows = logits[np.arange(len(last)), last]
        highest = rows.max(axis=-1, keepdims=True)
        scores = rows - highest - np.log(np.exp(rows - highest).sum(axis=-1, keepdims=True))
        chosen = np.argpartition(-scores, best - 1, axis=-1)[:, :best]
        order = np.argsort(-np.take_along_axis(scores, chosen, axis=-1), axis=-1, kind="stable")
        ids = np.take_along_axis(chosen, order, axis=-1)
        values = np.take_along_axis(scores, ids, axis=-1)
        return [Ranking(*pair) for pair in zip(ids.tolist(), values.tolist(), strict=True)]

    def _keep(self, places: Ints) -> None:
        self._cross = {name: value[places] for name, value in self._cross.items()}
        self._source_bias = self._source_bias[places]
        self._cache = self._cache[:, places]


def _target_bias(starts: Ints, width: int) -> Floats:
    """What each new token sees: its row's earlier tokens, itself and the new ones before it. (rows, 1, N, T + N)"""
    earlier = int(starts.max())
    new = np.triu(np.full((width, width), _HIDDEN, dtype=np.float32), k=1)
    past = np.where(np.arange(earlier) < starts[:, None], np.float32(0), _HIDDEN)
    past = np.broadcast_to(past[:, None, None, :], (len(starts), 1, width, earlier))
    return np.concatenate((past, np.broadcast_to(new, (len(starts), 1, width, width))), axis=-1)


def _open_session(path: Path, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = _ERRORS_ONLY
    # Spinning threads would take the core away from whoever types while nothing is to be done.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the runtime has its own exception types for a bad graph, all unrelated
        raise ModelError(f"{path} cannot be run by onnxruntime {onnxruntime.__version__}: {error}") from error

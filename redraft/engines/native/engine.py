"""The model in 8-bit integers, computed by the C library in this folder: the default engine.

It needs a processor with AVX2 or with ARM's dot products, the library that the installation compiles, and a model
folder with 8-bit weights.
"""

from __future__ import annotations

import math
import mmap
import weakref
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from redraft.decode.stepper import Engine, Feed, Predictions, Ranking
from redraft.engines.cores import usable_cores
from redraft.engines.native.buffers import KeyValueCache, TokenBatch
from redraft.engines.native.library import Shape, TensorPointers, absence, floats, functions, ints, variants
from redraft.engines.native.network import Network
from redraft.engines.rows import Best, Floats, Ints, RowStepper, rank_logits, refuse_infinite
from redraft.errors import ConfigError, InputError, ModelError
from redraft.fork_lock import ForkLock
from redraft.model.angles import angles_of
from redraft.model.config import LOWEST_OUTPUT, ModelConfig
from redraft.model.folder import FINENESS, ModelFolder, Precision, Tensor, rest_of, scale_of

_ACTIVATIONS = ("relu", "gelu", "swish")
_OUT_OF_RANGE = -2
"""Result of functions of the library for ids, positions or lengths out of range."""
_SLACK = 32
"""Tokens that a target may be longer than its source before its cache has to grow."""
_DTYPES: dict[str, npt.DTypeLike] = {"F16": np.float16, "F32": np.float32, "I8": np.int8}


def can_run(folder: ModelFolder) -> bool:
    """True if there is a library for this processor and all matrices of the folder are bytes."""
    matrices = (name for name, shape in folder.config.tensors() if len(shape) > 1)
    return bool(variants()) and all(folder.tensors[name].dtype == "I8" for name in matrices)


class NativeEngine:
    precision: Precision = "int8"
    name = "native int8"

    def __init__(self, folder: ModelFolder, threads: int = 0, variant: str | None = None) -> None:
        """`threads` 0 means one for each usable core. `variant` None means the fastest that this processor runs."""
        if not variants():
            raise ConfigError(f"the engine native cannot run: {absence()}; use onnx")
        if not can_run(folder):
            raise ConfigError(
                f"the engine native needs 8-bit weights: run `redraft export {folder.path} --int8 NEW`, or use onnx"
            )
        self.config = folder.config
        self.max_tokens = folder.config.max_tokens
        self._eos = folder.eos
        self._native = functions(variant or variants()[0])
        self.levels: int = self._native.levels()
        weights = _Weights(folder)
        shape = _shape(folder.config, threads or usable_cores(), weights)
        tensors = list(weights.pointers())
        try:
            self._network = Network.open(self._native, shape, tensors)
        except MemoryError as error:
            raise ModelError(f"{folder.path}: {error}") from None
        weights.unmap()
        self._kept = weights
        self._threads = shape.threads
        self._workers: list[Engine] = []
        self._lock = ForkLock()
        # Also when the interpreter exits, where a daemon thread may still be decoding.
        weakref.finalize(self, self._network.close)

    @property
    def workers(self) -> Sequence[Engine]:
        """Engines of one thread each that share the weights, one for each thread: they run at the same time."""
        if self._threads == 1:
            return (self,)
        with self._lock:
            while len(self._workers) < self._threads:
                self._workers.append(_Worker(self, self._network.share()))
            return self._workers

    def start(self, sources: Sequence[Sequence[int]]) -> NativeStepper:
        tokens = self._tokens(sources)
        cross = KeyValueCache(self.config, len(sources), int(tokens.counts.max()))
        self.call("encode", tokens.pointer(), cross.pointer())
        return NativeStepper(self, cross, tokens.counts)

    def encode_states(self, sources: Sequence[Sequence[int]]) -> list[Floats]:
        """The encoder's states of each source after the final norm: a row for each token, and one for <eos>."""
        return self.encode_in_parts(sources).final_states()

    def encode_in_parts(self, sources: Sequence[Sequence[int]]) -> EncoderRun:
        """The encoder on the sources, before its first layer."""
        return EncoderRun(self, self._tokens(sources))

    def _tokens(self, sources: Sequence[Sequence[int]]) -> TokenBatch:
        counts = np.array([len(source) + 1 for source in sources], dtype=np.int64)
        ids = np.fromiter((token for source in sources for token in (*source, self._eos)), np.int64, int(counts.sum()))
        return TokenBatch(ids, np.zeros_like(counts), counts)

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function of the library. It checks ids, positions and lengths before it reads anything else."""
        failure = self._network.call(name, *arguments)
        if failure == _OUT_OF_RANGE:
            raise InputError(f"a token id or a length is out of the model's range; it takes {self.max_tokens} tokens")
        if failure:
            raise MemoryError(f"the engine native has not enough memory to {name}")


class _Worker(NativeEngine):
    """An engine of one thread with the weights of another one."""

    def __init__(self, owner: NativeEngine, network: Network) -> None:
        self.config = owner.config
        self.max_tokens = owner.max_tokens
        self.levels = owner.levels
        self._eos = owner._eos
        self._native = owner._native
        self._network = network
        self._owner = owner  # not freed before this one
        # Finalizers run in reverse order when the interpreter exits, so the owner's comes after this one.
        weakref.finalize(self, network.close)

    @property
    def workers(self) -> Sequence[Engine]:
        return (self,)


class EncoderRun:
    """Sources on their way through the encoder: layers are computed when asked for, and sources may be left out.

    Each state has the bits that it has if all layers are computed at once, for all sources together or for each alone.
    """

    def __init__(self, engine: NativeEngine, tokens: TokenBatch) -> None:
        self._engine = engine
        self._tokens = tokens
        self._states: Floats | None = None
        self.layer = 0
        """Layers that are computed."""

    def states_after(self, layer: int) -> list[Floats]:
        """The states of each source after the first `layer` layers: a row for each token, and one for <eos>."""
        first, last = max(self.layer, 1), self._engine.config.encoder_layers
        if not first <= layer <= last:
            raise ConfigError(f"states can be computed after {first} to {last} layers now, not after {layer}")
        return self._tokens.split(self._compute(layer))

    def final_states(self) -> list[Floats]:
        """The states of each source after the last layer and the final norm."""
        final = self._new_states()
        self._compute(self._engine.config.encoder_layers, final=final)
        return self._tokens.split(final)

    def start(self) -> NativeStepper:
        """Computes the layers that are left and returns a stepper, as `NativeEngine.start` does."""
        counts = self._tokens.counts
        cross = KeyValueCache(self._engine.config, len(counts), int(counts.max()))
        self._compute(self._engine.config.encoder_layers, cross=cross)
        return NativeStepper(self._engine, cross, counts)

    def keep(self, rows: Sequence[int]) -> None:
        """Continues with these sources alone, in this order."""
        ids, counts = self._tokens.split(self._tokens.ids), self._tokens.counts[list(rows)]
        if self._states is not None:
            states = self._tokens.split(self._states)
            self._states = np.concatenate([states[row] for row in rows])
        self._tokens = TokenBatch(np.concatenate([ids[row] for row in rows]), np.zeros_like(counts), counts)

    def _new_states(self) -> Floats:
        return np.empty((len(self._tokens.ids), self._engine.config.width), dtype=np.float32)

    def _compute(self, last: int, final: Floats | None = None, cross: KeyValueCache | None = None) -> Floats:
        """Runs the layers up to `last` and returns their states. The library refuses more layers than there are."""
        states = self._new_states()
        self._engine.call(
            "encode_layers",
            self._tokens.pointer(),
            self.layer,
            last,
            floats(self._states),
            floats(states),
            floats(final),
            None if cross is None else cross.pointer(),
        )
        self._states, self.layer = states, last
        return states


class NativeStepper(RowStepper[Floats]):
    def __init__(self, engine: NativeEngine, cross: KeyValueCache, lengths: Ints) -> None:
        config = engine.config
        capacity = config.max_tokens + 1
        super().__init__(len(lengths), capacity)
        self._engine = engine
        self._cross = cross
        self._source_lengths = lengths
        self._past = KeyValueCache(config, len(lengths), min(capacity, int(lengths.max()) + _SLACK))
        self._fed = np.zeros(0, dtype=np.int64)

    def _decode(self, ids: Ints, positions: Ints, counts: Ints) -> Floats:
        """Hidden states of the tokens without padding, one row after another."""
        starts = positions[:, 0]
        self._past.reserve(int((starts + counts).max()))
        self._fed = counts
        tokens = TokenBatch(ids[np.arange(ids.shape[1]) < counts[:, None]], starts, counts)
        hidden = np.empty((len(tokens.ids), self._engine.config.width), dtype=np.float32)
        self._engine.call(
            "decode",
            tokens.pointer(),
            ints(self._source_lengths),
            self._cross.pointer(),
            self._past.pointer(),
            floats(hidden),
        )
        return hidden

    def extend_some(self, feeds: Sequence[Feed], wanted: Sequence[Sequence[int]]) -> list[Predictions]:
        """Feeds like `extend`, and predicts only after the tokens with the numbers wanted[i] of each feed i."""
        if any(
            not 0 <= number < len(feed.ids) for feed, numbers in zip(feeds, wanted, strict=True) for number in numbers
        ):
            raise ValueError("a prediction is wanted after a token that is not fed")
        hidden, places = self._feed(feeds)
        starts = np.cumsum(self._fed) - self._fed
        rows = [
            int(starts[place]) + number for place, numbers in zip(places, wanted, strict=True) for number in numbers
        ]
        ids, scores = (part.tolist() for part in self._predict(np.ascontiguousarray(hidden[rows])))
        refuse_infinite(scores)
        ends = accumulate(map(len, wanted))
        return [
            Predictions(ids[end - len(numbers) : end], scores[end - len(numbers) : end])
            for numbers, end in zip(wanted, ends, strict=True)
        ]

    def _predict(self, hidden: Floats) -> tuple[Ints, Floats]:
        """The likeliest token after each hidden state, and its log-probability."""
        ids = np.empty(len(hidden), dtype=np.int64)
        scores = np.empty(len(hidden), dtype=np.float32)
        self._engine.call("best", floats(hidden), len(hidden), ints(ids), floats(scores))
        return ids, scores

    def _best(self, logits: Floats) -> Best:
        fed = np.arange(self._fed.max()) < self._fed[:, None]
        best = Best(np.zeros(fed.shape, dtype=np.int64), np.zeros(fed.shape, dtype=np.float32))
        best.ids[fed], best.log_probabilities[fed] = self._predict(logits)
        return best

    def _rank(self, logits: Floats, last: Ints, best: int) -> list[Ranking]:
        """Rows that were fed nothing get the ranking of a neighbour, which is not used."""
        ends = np.maximum(np.cumsum(self._fed) - self._fed + last, 0)
        hidden = np.ascontiguousarray(logits[np.minimum(ends, len(logits) - 1)])
        rows = np.empty((len(hidden), self._engine.config.vocabulary), dtype=np.float32)
        self._engine.call("logits", floats(hidden), len(hidden), floats(rows))
        return rank_logits(rows, best)

    def _keep(self, places: Ints) -> None:
        self._cross.keep(places)
        self._past.keep(places)
        self._source_lengths = self._source_lengths[places]


class _Weights:
    """Tensors of the weights file; those of another type are converted.

    The file is mapped only until the network is open, which has then copied the matrices: to read a mapped file that
    was cut meanwhile would end the process.
    """

    def __init__(self, folder: ModelFolder) -> None:
        self._folder = folder
        with folder.weights.open("rb") as file:
            self._file = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._arrays: list[npt.NDArray[Any]] = []
        """Those that the network uses as long as it is open."""

    def pointers(self) -> Iterator[TensorPointers]:
        for name, shape in self._folder.config.tensors():
            if ".positions." in name:
                continue
            if len(shape) == 1:
                yield TensorPointers(self._address(self.numbers(name)))
            elif name == "embedding.weight":
                has_rest = rest_of(name) in self._folder.tensors
                rest = self._raw(rest_of(name)).copy() if has_rest else np.zeros(shape, dtype=np.int8)
                scales = self._address(self.numbers(scale_of(name)))
                yield TensorPointers(self._address(self._raw(name).copy()), scales, self._address(rest))
            else:
                yield TensorPointers(self._raw(name).ctypes.data, self._address(self.numbers(scale_of(name))))

    def numbers(self, name: str) -> Floats:
        """A tensor in single precision; a table of bytes with its scales and second bytes."""
        values = self._raw(name).astype(np.float32)
        if self._folder.tensors[name].dtype != "I8":
            if not np.isfinite(values).all():
                raise ModelError(f"{self._folder.weights}: {name} has numbers that are not finite")
            return values
        if rest_of(name) in self._folder.tensors:
            values += self._raw(rest_of(name)).astype(np.float32) / np.float32(FINENESS)
        return values * self.numbers(scale_of(name))[:, None]

    def unmap(self) -> None:
        self._file.close()

    def keep(self, array: Floats) -> Any:
        """A pointer to the array, valid as long as this object."""
        self._arrays.append(array)
        return floats(array)

    def _address(self, array: npt.NDArray[Any]) -> int:
        self._arrays.append(array)
        return array.ctypes.data

    def _raw(self, name: str) -> npt.NDArray[Any]:
        tensor: Tensor = self._folder.tensors[name]
        is_short = tensor.dtype == "BF16"
        dtype = np.uint16 if is_short else _DTYPES[tensor.dtype]
        try:
            values = np.frombuffer(self._file, dtype, math.prod(tensor.shape), tensor.offset)
        except ValueError:
            raise ModelError(f"{self._folder.weights} is too short for {name}; install the model again") from None
        return ((values.astype(np.uint32) << 16).view(np.float32) if is_short else values).reshape(tensor.shape)


def _shape(config: ModelConfig, threads: int, weights: _Weights) -> Shape:
    shape = Shape(
        vocabulary=config.vocabulary,
        width=config.width,
        ffn=config.ffn,
        heads=config.heads,
        encoder_layers=config.encoder_layers,
        decoder_layers=config.decoder_layers,
        max_tokens=config.max_tokens,
        post_norm=config.norm == "post",
        norm_embedding=config.norm_embedding,
        tie_output=config.tie_output,
        output_bias=config.output_bias,
        activation=_ACTIVATIONS.index(config.activation),
        threads=threads,
        embedding_factor=math.sqrt(config.width) if config.scale_embedding else 1.0,
        least=LOWEST_OUTPUT[config.activation],
    )
    positions = config.max_tokens + 1
    if config.positions == "rotary":
        angles = angles_of(positions, config.head_width)
        shape.cosines, shape.sines = weights.keep(np.cos(angles)), weights.keep(np.sin(angles))
    elif config.positions == "sinusoidal":
        angles = angles_of(positions, config.width)
        shape.positions[0] = shape.positions[1] = weights.keep(np.concatenate((np.sin(angles), np.cos(angles)), axis=1))
    else:
        for index, side in enumerate(("encoder", "decoder")):
            table = weights.numbers(f"{side}.positions.weight")[config.position_offset :]
            shape.positions[index] = weights.keep(np.ascontiguousarray(table))
    return shape

"""The model on a GPU, in CUDA graphs: one launch for encoder and first decoder call, one for each further call.

A decoder call of a small model costs its launches, not its arithmetic, and as much for one token as for thirty. So all
calls of a stepper have one shape, chosen when it starts: source and draft are padded to the same bucket of tokens, and
sentences come in groups of one size. That is fast, and it keeps aggressive output equal to greedy's in half precision:
a matrix library chooses the order of its sums by the shape, so with another shape a token could get other logits alone
than in a draft. A draft longer than the bucket is fed in pieces, and a single token is padded like any draft.

Graphs are captured when a shape is first needed, and kept. On a CPU the same code runs without them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import torch
from torch import Tensor

from redraft.chunks import chunks
from redraft.decode.bulk import BulkDecode
from redraft.decode.stepper import BeamStepper, Feed, Predictions, Ranking
from redraft.decode.vocabulary import Vocabulary
from redraft.engines.cuda.bulk.decoder import BulkOptions
from redraft.engines.cuda.bulk.opening import BulkOpening
from redraft.engines.cuda.graphs import capture, single_precision_sums
from redraft.engines.cuda.network import Buffers, Network, Shape
from redraft.engines.rows import pad_sources
from redraft.engines.torch import TorchEngine, TorchStepper
from redraft.model.folder import ModelFolder
from redraft.model.transformer import Transformer

TOKENS = (16, 32, 48, 64, 96, 128, 192, 256)
BATCHES = (1, 8, 32, 128)
_MOST_TOKENS_IN_A_CALL = 8192
_MOST_ROWS = 1024
BULK = BulkOptions(rows=512, tokens=4096, encoder_tokens=4096)
"""Sizes of bulk decoding for texts. Larger ones take twice the memory, and the text around it is the slower part."""


class CudaEngine:
    name = "cuda"

    def __init__(self, model: Transformer, eos: int, fused: bool | None = None, bulk: BulkOptions = BULK) -> None:
        """`fused` None uses the fused kernels if Triton is installed, which comes with torch for GPUs on Linux.

        `bulk` has the largest sizes of bulk decoding.
        """
        self.model = model.eval().requires_grad_(False)
        self.max_tokens = model.config.max_tokens
        self._eos = eos
        if fused is None:
            fused = model.embedding.weight.is_cuda and find_spec("triton") is not None
        self.fused = fused and not model.config.head_width % 2
        self._network = Network(self.model, TOKENS[-1], self.fused)
        self._free: dict[Shape, list[Workspace]] = {}
        self._pool: Any = None  # of memory, shared by all graphs: one runs at a time
        self._bulk = BulkOpening(self.model, self.fused, bulk)

    @classmethod
    def load(cls, folder: ModelFolder, device: str = "cuda", dtype: torch.dtype = torch.float16) -> CudaEngine:
        return cls(TorchEngine.load(folder, device, dtype).model, folder.eos)

    def start(self, sources: Sequence[Sequence[int]]) -> BeamStepper:
        """Nothing is computed yet: the sources are encoded in the same launch that takes the first draft."""
        shape = find_shape(len(sources), max(map(len, sources)) + 1)
        if shape is None:
            return TorchStepper(self.model, pad_sources(sources, self._eos))
        return CudaStepper(self, shape, [[*source, self._eos] for source in sources])

    def open_bulk(self, vocabulary: Vocabulary) -> BulkDecode | None:
        """None if tokens have no text, or there is no memory for enough sentences."""
        return self._bulk.open(vocabulary)

    def borrow(self, shape: Shape) -> Workspace:
        """A workspace that no other stepper uses."""
        free = self._free.setdefault(shape, [])
        if free:
            return free.pop()
        if self._pool is None and self.model.embedding.weight.is_cuda:
            self._pool = torch.cuda.graph_pool_handle()
        return Workspace(self._network, shape, self._pool)

    def give_back(self, workspace: Workspace) -> None:
        self._free[workspace.shape].append(workspace)


def find_shape(rows: int, tokens: int) -> Shape | None:
    """The smallest shape for this number of sentences, each of up to `tokens` tokens with <eos>; None if none fits."""
    width = next((bucket for bucket in TOKENS if bucket >= tokens), None)
    if width is None or rows > _MOST_ROWS:
        return None
    fitting = [batch for batch in BATCHES if batch * width <= _MOST_TOKENS_IN_A_CALL]
    batch = next((batch for batch in fitting if batch >= rows), fitting[-1])
    room = batch
    while room < rows:
        room *= 2
    return Shape(batch, width, room)


@dataclass(frozen=True, slots=True)
class Share:
    """One row in one launch: its source with <eos>, the number of tokens fed before, and the tokens fed now."""

    row: int
    source: Sequence[int]
    start: int
    feed: Feed


class Workspace:
    """The buffers of one shape, and its graphs."""

    def __init__(self, network: Network, shape: Shape, pool: Any) -> None:
        self.shape = shape
        self._network = network
        self._pool = pool
        with torch.inference_mode():
            self.buffers = Buffers(network.model, shape)
        pinned = self.buffers.inputs.is_cuda
        self._inputs = torch.zeros(self.buffers.inputs.shape, dtype=torch.int64, pin_memory=pinned)
        self._outputs = torch.zeros(self.buffers.outputs.shape, dtype=torch.int32, pin_memory=pinned)
        batch, tokens = shape.batch, shape.tokens
        flat = self._inputs.numpy()
        self._columns = flat[: 4 * batch].reshape(4, batch)
        self._texts = flat[4 * batch :].reshape(2, batch, tokens)
        self._replays: dict[str, Callable[[], None]] = {}

    @torch.inference_mode()
    def open(self, shares: Sequence[Share]) -> list[Predictions]:
        return self._launch(shares, "open", self._network.open)

    @torch.inference_mode()
    def predict(self, shares: Sequence[Share]) -> list[Predictions]:
        return self._launch(shares, "predict", self._network.predict)

    @torch.inference_mode()
    def encode(self, shares: Sequence[Share]) -> None:
        self._fill(shares)
        with single_precision_sums():
            self._network.encode(self.buffers)
        self._wait()

    @torch.inference_mode()
    def decode(self, shares: Sequence[Share]) -> Tensor:
        """All logits, (shares, tokens, vocabulary), for beam search; without a graph, which would keep the memory."""
        self._fill(shares)
        with single_precision_sums():
            logits = self._network.decode(self.buffers)
        self._wait()
        return logits.view(self.shape.batch, self.shape.tokens, -1)[: len(shares)]

    def _launch(self, shares: Sequence[Share], name: str, compute: Callable[[Buffers], None]) -> list[Predictions]:
        self._fill(shares)
        if name not in self._replays:
            device = self.buffers.inputs.device
            self._replays[name] = capture(partial(compute, self.buffers), device, self._pool)
        self._replays[name]()
        self._outputs.copy_(self.buffers.outputs, non_blocking=True)
        self._wait()
        ids, bits = self._outputs.numpy()
        log_probabilities = bits.view(np.float32)
        return [
            Predictions(ids[place, :count].tolist(), log_probabilities[place, :count].tolist())
            for place, count in enumerate(len(share.feed.ids) for share in shares)
        ]

    def _fill(self, shares: Sequence[Share]) -> None:
        """Earlier launches have ended, so the inputs may be overwritten."""
        rows, starts, counts, lengths = self._columns
        source, ids = self._texts
        # Places without a share compute in the spare row.
        rows[:], starts[:], counts[:], lengths[:] = self.shape.rows, 0, 1, 1
        for place, share in enumerate(shares):
            feed = share.feed
            rows[place], starts[place], counts[place] = share.row, share.start, len(feed.ids)
            lengths[place] = len(share.source)
            source[place, : len(share.source)] = share.source
            ids[place, : len(feed.ids)] = feed.ids
        self.buffers.inputs.copy_(self._inputs, non_blocking=True)

    def _wait(self) -> None:
        if self.buffers.inputs.is_cuda:
            torch.cuda.current_stream(self.buffers.inputs.device).synchronize()


class CudaStepper:
    def __init__(self, engine: CudaEngine, shape: Shape, sources: Sequence[Sequence[int]]) -> None:
        self._engine = engine
        self._workspace = engine.borrow(shape)
        self._sources = list(sources)
        """Each with <eos>."""
        self._lengths = [0] * len(sources)
        self._encoded = False

    def __del__(self) -> None:
        if hasattr(self, "_workspace"):
            self._engine.give_back(self._workspace)

    def extend(self, feeds: Sequence[Feed]) -> list[Predictions]:
        self._encode_unless_fed(feeds)
        answers = [Predictions([], []) for _ in feeds]
        for shares, places in self._launches(feeds):
            launch = self._workspace.predict if self._encoded else self._workspace.open
            for place, part in zip(places, launch(shares), strict=True):
                before = answers[place]
                answers[place] = Predictions(
                    [*before.ids, *part.ids], [*before.log_probabilities, *part.log_probabilities]
                )
        self._encoded = True
        return answers

    def rank(self, feeds: Sequence[Feed], best: int) -> list[Ranking]:
        self._encode_unless_fed(())
        rankings: list[Ranking] = [Ranking([], []) for _ in feeds]
        for shares, places in self._launches(feeds):
            logits = self._workspace.decode(shares)
            last = torch.tensor([len(share.feed.ids) - 1 for share in shares], device=logits.device)
            chosen = logits[torch.arange(len(shares), device=logits.device), last]
            chosen = chosen.float() if chosen.dtype.itemsize < 4 else chosen
            values, ids = chosen.log_softmax(dim=-1).topk(best, dim=-1)
            for place, pair in zip(places, zip(ids.tolist(), values.tolist(), strict=True), strict=True):
                rankings[place] = Ranking(*pair)
        return rankings

    def rewind(self, row: int, length: int) -> None:
        if not 0 <= length <= self._lengths[row]:
            raise ValueError(f"row {row} has {self._lengths[row]} tokens: it cannot be rewound to {length}")
        self._lengths[row] = length

    @torch.inference_mode()
    def select(self, rows: Sequence[int]) -> None:
        old = self._workspace
        room = old.shape.rows
        while room < len(rows):
            room *= 2
        self._workspace = self._engine.borrow(Shape(old.shape.batch, old.shape.tokens, room))
        if self._encoded:
            picked = torch.tensor(rows, device=old.buffers.inputs.device)
            self._workspace.buffers.copy_rows(old.buffers, picked)
        self._engine.give_back(old)
        self._sources = [self._sources[row] for row in rows]
        self._lengths = [self._lengths[row] for row in rows]

    def _encode_unless_fed(self, feeds: Sequence[Feed]) -> None:
        """The first launch encodes the rows it feeds. Unless it feeds every row in one piece, all are encoded first."""
        if self._encoded or (
            len(feeds) == len(self._sources) and all(len(feed.ids) <= self._workspace.shape.tokens for feed in feeds)
        ):
            return
        everything = [Feed(row, ()) for row in range(len(self._sources))]
        for shares, _ in self._launches(everything):
            self._workspace.encode(shares)
        self._encoded = True

    def _launches(self, feeds: Sequence[Feed]) -> Iterator[tuple[list[Share], list[int]]]:
        """Cuts feeds into pieces that fit, and groups them; yields the shares and the index of each one's feed."""
        shape = self._workspace.shape
        longest = max(len(feed.ids) for feed in feeds)
        for first in range(0, max(1, longest), shape.tokens):
            part = slice(first, first + shape.tokens)
            waiting = [place for place, feed in enumerate(feeds) if first == 0 or len(feed.ids) > first]
            for places in chunks(waiting, shape.batch):
                yield [self._share(feeds[place], part) for place in places], list(places)

    def _share(self, feed: Feed, part: slice) -> Share:
        piece = Feed(feed.row, feed.ids[part])
        start = self._lengths[feed.row]
        if start + len(piece.ids) > self._engine.max_tokens + 1:
            raise ValueError(f"row {feed.row} takes at most {self._engine.max_tokens} tokens after <bos>")
        self._lengths[feed.row] += len(piece.ids)
        return Share(feed.row, self._sources[feed.row], start, piece)

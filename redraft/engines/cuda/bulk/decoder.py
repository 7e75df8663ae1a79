"""Bulk decoding on a GPU: continuous batching with all of a round on the device.

The device holds a fixed number of rows, one sentence in each. A round drafts, predicts and accepts for all unfinished
rows; finished rows get new sentences, which are encoded in groups. Encoder and round are one CUDA graph each. The host
reads which rows are finished, one round late so that the device never waits for it, and moves whole arrays.

On a CPU the same code runs without graphs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from redraft.decode.loop import Decoded, SourceBatch
from redraft.decode.vocabulary import Vocabulary
from redraft.engines.cuda.bulk.packed_network import PackedNetwork
from redraft.engines.cuda.bulk.packing import Packing
from redraft.engines.cuda.bulk.rounds import PackedFeed, Rounds
from redraft.engines.cuda.bulk.sampling import Sampling
from redraft.engines.cuda.bulk.schedule import FinishedRows, Group, Schedule
from redraft.engines.cuda.bulk.sentences import SourceSentences, TargetSentences
from redraft.engines.cuda.bulk.token_table import TokenTable
from redraft.engines.cuda.graphs import capture
from redraft.errors import ConfigError, ModelError
from redraft.model.transformer import Transformer

_BATCH = 4096
_STAGES = 4
"""Groups on their way to the device at a time."""


@dataclass(frozen=True, slots=True)
class BulkOptions:
    """How to decode in bulk. Threshold and sampling change the output; the sizes change the speed alone."""

    threshold: float = 0.0
    """The least probability of an edit's first token; the source is copied where the model is less sure. Sentences may
    ask for more (`SourceSentences.limits`)."""
    rows: int = 1024
    """Sentences that are decoded at a time."""
    tokens: int = 8192
    """Tokens in a decoder call; drafts are cut to fit."""
    encoder_tokens: int = 8192
    """Source tokens in an encoder call."""
    sampling: Sampling | None = None
    """None takes the likeliest tokens. Samples depend on the numbers of the sentences (`SourceSentences.keys`)."""

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise ConfigError(f"threshold must be between 0 and 1, not {self.threshold}")
        if self.rows < 1 or self.tokens < self.rows:
            raise ConfigError(f"a call of {self.tokens} tokens has no place for {self.rows} rows; use more tokens")


class BulkNetwork(Protocol):
    """What runs the model for a bulk decoder."""

    def encode_packed(self, packing: Packing, ids: Tensor, rows: Tensor) -> None: ...
    def predict_packed(self, feed: PackedFeed, lengths: Tensor, out: Tensor) -> None: ...


class BulkDecoder:
    """Decodes many sentences; every sentence gets exactly the output of `decode_batch`, whichever others there are."""

    def __init__(
        self,
        network: BulkNetwork,
        table: TokenTable,
        vocabulary: Vocabulary,
        max_tokens: int,
        options: BulkOptions,
        fused: bool = False,
    ) -> None:
        """`fused` uses kernels and, on a GPU, CUDA graphs."""
        if options.encoder_tokens <= max_tokens:
            raise ConfigError(f"an encoder call must have place for a sentence: more than {max_tokens} tokens")
        self.options, self.max_tokens, self._eos = options, max_tokens, vocabulary.eos
        self._network = network
        self._device = table.folded.device
        self._rounds = (_fused_rounds() if fused else Rounds)(
            rows=options.rows,
            tokens=options.tokens,
            max_tokens=max_tokens,
            bos=vocabulary.bos,
            eos=vocabulary.eos,
            threshold=options.threshold,
            table=table,
        )
        self._out = torch.zeros(2, options.tokens, dtype=torch.int32, device=self._device)
        self._group = GroupBuffer(options.rows, options.encoder_tokens, self._device)
        graphs = fused and self._device.type == "cuda"
        pool = torch.cuda.graph_pool_handle() if graphs else None
        self._launch_encoder = Launch(self._encode, self._device, graphs, pool)
        self._launch_round = Launch(self._run_round, self._device, graphs, pool)
        self.rounds, self.groups = 0, 0
        """Rounds and encoder calls so far."""

    @classmethod
    def open(
        cls, model: Transformer, vocabulary: Vocabulary, options: BulkOptions, fused: bool | None = None
    ) -> BulkDecoder:
        """`fused` None uses fused kernels and CUDA graphs where Triton is installed and the model is on a GPU."""
        device = model.embedding.weight.device
        if fused is None:
            fused = device.type == "cuda" and find_spec("triton") is not None
        fused = fused and not model.config.head_width % 2
        network = PackedNetwork(model.eval().requires_grad_(False), options.rows, fused, options.sampling)
        table = TokenTable.build(vocabulary, model.config.vocabulary, device)
        return cls(network, table, vocabulary, model.config.max_tokens, options, fused)

    def decode(self, sources: Sequence[Sequence[int]]) -> list[Decoded]:
        """Decodes sentences, each without <eos>. The calls of `Decoded` are not recorded."""
        return self._decode(
            SourceSentences.build(sources[first : first + _BATCH], self._eos, first)
            for first in range(0, len(sources), _BATCH)
        )

    def decode_sources(self, batch: SourceBatch) -> list[Decoded]:
        """Like `decode`, with the threshold of the batch, if it is higher, and its limits for each sentence."""
        return self._decode(
            SourceSentences.of_batch(batch.select(range(first, min(first + _BATCH, len(batch.sources)))), first)
            for first in range(0, len(batch.sources), _BATCH)
        )

    def _decode(self, batches: Iterable[SourceSentences]) -> list[Decoded]:
        found: dict[int, Decoded] = {}
        for part in self.stream(batches):
            found.update(part.decoded())
        return [found[index] for index in range(len(found))]

    def stream(self, batches: Iterable[SourceSentences]) -> Iterator[TargetSentences]:
        """Decodes sentences as they come, and yields them as they are finished."""
        schedule = Schedule(
            batches,
            rows=self.options.rows,
            encoder_tokens=self.options.encoder_tokens,
            max_tokens=self.max_tokens,
            eos=self._eos,
        )
        late = 1 if self._device.type == "cuda" else 0
        flags: deque[tuple[int, HostCopy]] = deque()
        results: deque[tuple[FinishedRows, HostCopy]] = deque()
        while True:
            group = schedule.next_group(self.rounds)
            if group is None and not schedule.busy:
                break
            flags.append((self.rounds, self._advance(group)))
            self.rounds += 1
            if len(flags) > late:
                number, copy = flags.popleft()
                finished = schedule.collect(copy.wait() != 0, number)
                if len(finished.rows):
                    results.append((finished, self._gather(finished)))
            while len(results) > late:
                yield self._read(*results.popleft())
        while results:
            yield self._read(*results.popleft())

    @torch.inference_mode()
    def _advance(self, group: Group | None) -> HostCopy:
        """Encodes a group, if there is one, runs a round, and returns which rows are finished."""
        if group is not None:
            self._group.fill(group, self.options.rows)
            self._launch_encoder()
            self.groups += 1
        self._launch_round()
        return HostCopy(self._rounds.done[: self.options.rows].to(torch.int32))

    def _encode(self) -> None:
        group = self._group
        packing = Packing.build(group.counts, len(group.ids))
        self._network.encode_packed(packing, group.ids, group.rows)
        self._rounds.begin(group.rows, packing, group.ids, group.keys, group.limits)

    def _run_round(self) -> None:
        rounds, out = self._rounds, self._out
        feed = rounds.draft()
        self._network.predict_packed(feed, rounds.followers.lengths[: rounds.rows] + 1, out)
        rounds.accept(feed, out[0].long(), out[1].view(torch.float32))

    @torch.inference_mode()
    def _gather(self, finished: FinishedRows) -> HostCopy:
        rounds = self._rounds
        rows = torch.from_numpy(finished.rows).to(self._device, non_blocking=True)
        parts = [
            rounds.written[rows, None].int(),
            rounds.finished[rows, None].int(),
            rounds.target[rows].int(),
            rounds.log_probabilities[rows].view(torch.int32),
            rounds.origins[rows].int(),
        ]
        return HostCopy(torch.cat(parts, dim=1))

    def _read(self, finished: FinishedRows, copy: HostCopy) -> TargetSentences:
        found = copy.wait()
        ids, bits, origins = np.split(found[:, 2:], 3, axis=1)
        lengths, ended = found[:, 0].astype(np.int64), found[:, 1] != 0
        log_probabilities = np.ascontiguousarray(bits).view(np.float32)
        kept = np.arange(ids.shape[1]) < (lengths + ended)[:, None]
        if not np.isfinite(log_probabilities[kept]).all():
            raise ModelError("the model computes numbers that are not finite; its weights are damaged, or overflow")
        return TargetSentences(finished.keys, lengths, ended, ids, log_probabilities, origins)


class Launch:
    """A computation on the device, in a CUDA graph if asked for; the graph is captured when it is first needed."""

    def __init__(self, compute: Callable[[], None], device: torch.device, graph: bool, pool: Any) -> None:
        self._compute, self._device, self._graph, self._pool = compute, device, graph, pool

    def __call__(self) -> None:
        if self._graph:
            # Both computations may run twice: a round is followed by another one, and encoding again gives the same.
            self._compute, self._graph = capture(self._compute, self._device, self._pool), False
        self._compute()


class GroupBuffer:
    """The sentences of an encoder call on the device, and their way there."""

    def __init__(self, sentences: int, tokens: int, device: torch.device) -> None:
        sizes = [sentences] * 3 + [tokens] * 2
        self._block = torch.zeros(sum(sizes), dtype=torch.int64, device=device)
        self.counts, self.rows, self.keys, self.ids, self._limits = torch.split(self._block, sizes)
        pinned = device.type == "cuda"
        self._stages = [torch.zeros(sum(sizes), dtype=torch.int64, pin_memory=pinned) for _ in range(_STAGES)]
        self._sizes = sizes
        self._copied: list[torch.cuda.Event | None] = [None] * _STAGES
        self._next = 0

    @property
    def limits(self) -> Tensor:
        """Those of `SourceSentences`; the block holds their bits."""
        return self._limits.int().view(torch.float32)

    def fill(self, group: Group, spare: int) -> None:
        """Copies a group to the device. Places without a sentence have the row `spare`."""
        event = self._copied[self._next]
        if event is not None:
            event.synchronize()
        stage = self._stages[self._next]
        counts, rows, keys, ids, limits = (part.numpy() for part in torch.split(stage, self._sizes))
        sentences, size = group.sentences, len(group.rows)
        counts[:size], counts[size:] = np.diff(sentences.offsets), 0
        rows[:size], rows[size:] = group.rows, spare
        keys[:size] = sentences.keys
        ids[: len(sentences.ids)] = sentences.ids
        found = np.float32(-np.inf) if sentences.limits is None else sentences.limits
        limits[: len(sentences.ids)] = found.view(np.int32)
        self._block.copy_(stage, non_blocking=True)
        if self._block.is_cuda:
            self._copied[self._next] = torch.cuda.current_stream().record_event()
        self._next = (self._next + 1) % _STAGES


class HostCopy:
    """A copy of a small tensor on its way to the host."""

    def __init__(self, values: Tensor) -> None:
        self._event: torch.cuda.Event | None = None
        self._values = values
        if values.is_cuda:
            self._values = torch.empty(values.shape, dtype=values.dtype, pin_memory=True)
            self._values.copy_(values, non_blocking=True)
            self._event = torch.cuda.current_stream().record_event()

    def wait(self) -> npt.NDArray[np.int32]:
        if self._event is not None:
            self._event.synchronize()
        return self._values.numpy()


def _fused_rounds() -> type[Rounds]:
    from redraft.engines.cuda.bulk.fused_rounds import FusedRounds

    return FusedRounds

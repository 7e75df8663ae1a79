"""Opens a bulk decoder for the texts of a corrector, where model and device allow it."""

from __future__ import annotations

from dataclasses import replace

import torch

from redraft.decode.bulk import BulkDecode
from redraft.decode.loop import Decoded, SourceBatch
from redraft.decode.vocabulary import Vocabulary
from redraft.engines.cuda.bulk.decoder import BulkDecoder, BulkOptions
from redraft.fork_lock import ForkLock
from redraft.model.config import ModelConfig
from redraft.model.transformer import Transformer

_MOST_BYTES = 1 << 30
"""Of the keys and values of all rows."""
_FEWEST_ROWS = 64
"""With fewer sentences at a time, bulk decoding gains little."""


class BulkOpening:
    """The bulk decoder of a model. It is opened when it is first needed, and kept."""

    def __init__(self, model: Transformer, fused: bool, options: BulkOptions) -> None:
        """`options` has the largest sizes."""
        self._model, self._fused, self._options = model, fused, options
        self._opened: tuple[Vocabulary, LockedDecoder | None] | None = None
        self._lock = ForkLock()

    def open(self, vocabulary: Vocabulary) -> BulkDecode | None:
        """None if the vocabulary has tokens without text, or the device has no memory for enough rows."""
        with self._lock:
            if self._opened is None or self._opened[0] is not vocabulary:
                self._opened = None  # its memory first
                self._opened = vocabulary, self._open(vocabulary)
            return self._opened[1]

    def _open(self, vocabulary: Vocabulary) -> LockedDecoder | None:
        config, most = self._model.config, self._options
        rows = min(most.rows, _MOST_BYTES // row_bytes(config, self._model.embedding.weight.dtype))
        has_texts = all(vocabulary.text_of(index) for index in range(config.vocabulary))
        if not has_texts or rows < min(_FEWEST_ROWS, most.rows):
            return None
        sizes = replace(most, rows=rows, encoder_tokens=max(most.encoder_tokens, config.max_tokens + 1))
        try:
            decoder = BulkDecoder.open(self._model, vocabulary, sizes, self._fused)
            decoder.decode([[]])  # captures the graphs, which need memory too
        except torch.OutOfMemoryError:
            return None
        return LockedDecoder(decoder)


class LockedDecoder:
    """A bulk decoder for several threads, one of which decodes at a time."""

    def __init__(self, decoder: BulkDecoder) -> None:
        self._decoder = decoder
        self._lock = ForkLock()

    def __call__(self, batch: SourceBatch) -> list[Decoded]:
        with self._lock:
            return self._decoder.decode_sources(batch)


def row_bytes(config: ModelConfig, dtype: torch.dtype) -> int:
    """Memory that one sentence takes: keys and values of source and target, in all layers of the decoder."""
    return 4 * config.decoder_layers * (config.max_tokens + 2) * config.width * dtype.itemsize

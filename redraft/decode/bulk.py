"""The interface of engines that decode many sentences at once by themselves, without the loop of `decode.loop`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from redraft.decode.loop import Decoded, SourceBatch
from redraft.decode.stepper import Engine
from redraft.decode.vocabulary import Vocabulary

BulkDecode = Callable[[SourceBatch], list[Decoded]]
"""Decodes any number of sentences, each with the output of `decode_sources`. Drafts are the engine's own, and the calls
of `Decoded` are not recorded."""


@runtime_checkable
class BulkEngine(Engine, Protocol):
    """An engine that decodes many sentences faster than the loop does."""

    def open_bulk(self, vocabulary: Vocabulary) -> BulkDecode | None:
        """A function that may be called from several threads; None if the model or the device does not allow it."""
        ...

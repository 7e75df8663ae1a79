"""Decodes many sentences in batches of similar length, so that little of a batch is padding."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from redraft.chunks import chunks
from redraft.tokens.tokenizer import Tokenizer


class DecodedIds(Protocol):
    """The output of greedy decoding or of beam search."""

    @property
    def ids(self) -> Sequence[int]: ...

    @property
    def finished(self) -> bool: ...


Decode = Callable[[Sequence[Sequence[int]]], Sequence[DecodedIds]]


@dataclass(frozen=True, slots=True)
class DecodedSentence:
    index: int
    """Index of the source sentence."""
    text: str | None
    """None if the output did not end within the model's limit."""


def decode_sentences(
    sentences: Sequence[str], tokenizer: Tokenizer, decode: Decode, *, max_tokens: int, batch: int
) -> Iterator[DecodedSentence]:
    """Decodes from the shortest sentence to the longest. Empty sentences and those too long for the model are left
    out."""
    encoded = tokenizer.encode_batch(sentences)
    fitting = [index for index, ids in enumerate(encoded) if 0 < len(ids) < max_tokens]
    order = sorted(fitting, key=lambda index: len(encoded[index]))
    for chosen in chunks(order, batch):
        for index, output in zip(chosen, decode([encoded[index] for index in chosen]), strict=True):
            yield DecodedSentence(index, tokenizer.decode(output.ids) if output.finished else None)

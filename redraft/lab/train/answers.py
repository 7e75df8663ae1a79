"""What a model answers to many sentences. Those of like length share a batch, so that little of it is padding."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from redraft.chunks import chunks
from redraft.tokens.tokenizer import Tokenizer


class Written(Protocol):
    """What came of a source, decoded in whichever way."""

    @property
    def ids(self) -> Sequence[int]: ...

    @property
    def finished(self) -> bool: ...


Decode = Callable[[Sequence[Sequence[int]]], Sequence[Written]]


@dataclass(frozen=True, slots=True)
class Answer:
    place: int
    """Which sentence is answered."""
    text: str | None
    """None if the model came to no end within its limit."""


def answer(
    sentences: Sequence[str], tokenizer: Tokenizer, decode: Decode, *, max_tokens: int, batch: int
) -> Iterator[Answer]:
    """Answers from the shortest sentence to the longest; none to those that are empty, or too long for the model."""
    encoded = tokenizer.encode_batch(sentences)
    fitting = [place for place, ids in enumerate(encoded) if 0 < len(ids) < max_tokens]
    order = sorted(fitting, key=lambda place: len(encoded[place]))
    for chosen in chunks(order, batch):
        for place, written in zip(chosen, decode([encoded[place] for place in chosen]), strict=True):
            yield Answer(place, tokenizer.decode(written.ids) if written.finished else None)

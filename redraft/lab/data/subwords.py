"""Learns the tokens of a language from its text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path

from redraft.atomic_write import atomic_write
from redraft.errors import ConfigError, InputError
from redraft.lab.data.readers import Faults, read_every_side
from redraft.tokens.tokenizer import SPECIALS, Tokenizer

SIZE = 16_000
"""A step of the decoder costs half of what it does with 32,000, and words are hardly longer in tokens."""
LEAST = len(SPECIALS) + 256


class Kind(StrEnum):
    BYTES = "bytes"
    """Byte-level BPE, for languages that put spaces between words."""
    CHARACTERS = "characters"
    """Single characters, for those that do not."""


def learn(
    inputs: Iterable[Path],
    output: Path,
    faults: Faults,
    kind: Kind = Kind.BYTES,
    size: int = SIZE,
    advance: Callable[[], None] = lambda: None,
) -> Tokenizer:
    """Write the file of a tokenizer that has learnt from text, a sentence a line, or from both sides of pairs.

    It has fewer tokens than `size` where the text does not give as many. `advance` is called after each input.
    """
    if size <= LEAST:
        raise ConfigError(f"a tokenizer needs more than {LEAST} tokens: {LEAST} are special or single bytes")
    seen = 0

    def read() -> Iterable[str]:
        nonlocal seen
        for path in inputs:
            for sentence in read_every_side(path, faults):
                seen += 1
                yield sentence
            advance()

    tokenizer = (Tokenizer.train_bytes if kind is Kind.BYTES else Tokenizer.train_characters)(read(), size)
    if not seen:
        raise InputError("there is no text to learn tokens from; name files with a sentence a line")
    output.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(output) as partial:
        tokenizer.save(partial)
    return tokenizer

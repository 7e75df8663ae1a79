"""Trains tokenizers on text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path

from redraft.atomic_write import atomic_write
from redraft.errors import ConfigError, InputError
from redraft.lab.data.readers import Faults, read_every_side
from redraft.tokens.tokenizer import SPECIALS, Tokenizer

SIZE = 16_000
"""Half the cost of a decoder step with 32,000, and words have hardly more tokens."""
LEAST = len(SPECIALS) + 256


class Kind(StrEnum):
    BYTES = "bytes"
    """Byte-level BPE, for languages that put spaces between words."""
    CHARACTERS = "characters"
    """Single characters, for those that do not."""


def train(
    inputs: Iterable[Path],
    output: Path,
    faults: Faults,
    kind: Kind = Kind.BYTES,
    size: int = SIZE,
    advance: Callable[[], None] = lambda: None,
) -> Tokenizer:
    """Train a tokenizer on text files and on both sides of pairs, and write its file.

    It has fewer tokens than `size` if the text is too small. `advance` is called after each input.
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
        raise InputError("the files have no text to train a tokenizer on; give files with one sentence per line")
    output.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(output) as partial:
        tokenizer.save(partial)
    return tokenizer

"""Encoding for the workers of a training run, with a large cache of words."""

from __future__ import annotations

from collections.abc import Callable

from redraft.tokens.tokenizer import Tokenizer
from redraft.tokens.word_cache import WordCache

MAX_WORDS = 400_000
"""Size of the cache, limited because there are ever more misspellings. When it is full, further words are not cached:
common words come early, and emptying the cache would slow down all workers at about the same time."""


def cached_encoder(tokenizer: Tokenizer) -> Callable[[str], list[int]]:
    """A function that encodes exactly as the tokenizer does, with a cache of words.

    A character tokenizer encodes each character by itself. An adopted tokenizer encodes the first word otherwise than
    the rest, so it is used as it is, without a cache.
    """
    cache = WordCache(tokenizer.encode_whole, MAX_WORDS, renews=False)
    if tokenizer.joins_words:
        return cache.encode
    return cache.join if tokenizer.by_character else tokenizer.encode

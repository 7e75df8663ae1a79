"""Random sub-word splits (in the manner of BPE-dropout): the same text in more and shorter tokens.

A model that sees a word cut in several ways copes better with misspelt words, which have cuts of their own. Splits are
for sources alone: targets keep the tokens that the tokenizer gives.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from redraft.tokens.tokenizer import Tokenizer


class SubwordDropout:
    """Splits tokens at random. Which ones depends on the seed and the index of the sentence alone."""

    def __init__(self, tokenizer: Tokenizer, rate: float, seed: int = 0) -> None:
        """`rate` is the share of tokens that are split; the parts of a split token are split at the same rate."""
        # Parts of a character have no text of their own, and characters cannot be split further.
        self._ids = {} if tokenizer.by_character else tokenizer.ids_by_text
        self._texts = [tokenizer.text_of(index) for index in range(tokenizer.size)]
        self._splits: dict[int, list[tuple[int, int]]] = {}
        self._seed = seed << 48
        self._random = random.Random()
        self._rate = rate
        self._log = math.log1p(-rate) if 0 < rate < 1 else 0.0

    def split(self, ids: Sequence[int], index: int) -> list[int]:
        """The ids with some tokens split; decoded, both are the same text."""
        if not self._log:
            return list(ids)
        self._random.seed(self._seed ^ index)
        draw, log = self._random.random, self._log
        found: list[int] = []
        start = 0
        # The gaps between draws that succeed are geometric: one draw a split, not one a token.
        place = int(math.log(1 - draw()) / log)
        while place < len(ids):
            found += ids[start:place]
            self._add_parts(ids[place], found)
            start = place + 1
            place = start + int(math.log(1 - draw()) / log)
        found += ids[start:]
        return found

    def _add_parts(self, token: int, found: list[int]) -> None:
        splits = self._splits.get(token)
        if splits is None:
            splits = self._splits[token] = self._list_splits(token)
        if not splits:
            found.append(token)
            return
        for part in splits[int(self._random.random() * len(splits))]:
            if self._random.random() < self._rate:
                self._add_parts(part, found)
            else:
                found.append(part)

    def _list_splits(self, token: int) -> list[tuple[int, int]]:
        text = self._texts[token]
        if self._ids.get(text) != token:
            return []
        cuts = ((text[:cut], text[cut:]) for cut in range(1, len(text)))
        return [(self._ids[head], self._ids[tail]) for head, tail in cuts if head in self._ids and tail in self._ids]

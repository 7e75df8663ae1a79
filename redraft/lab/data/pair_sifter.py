"""Filters the pairs of several sources for one training file, and writes them in the other spelling."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from redraft.lab.data import filters
from redraft.lab.data.filters import FilterChain, Overlap
from redraft.lab.data.pair import Pair
from redraft.lab.data.tokenization import detokenize, tokenize

LONGEST = 150
"""Most words of a pair; longer ones are paragraphs, which the model never gets at once."""


class PairSifter:
    """Filters the pairs of one source after another; a pair that an earlier source had is a duplicate."""

    def __init__(self, overlap: Overlap) -> None:
        self.chains: dict[str, FilterChain] = {}
        self._overlap = overlap
        self._is_new = filters.is_new()

    def __call__(self, name: str, found: Iterable[Pair], *more: tuple[str, filters.Filter]) -> list[Pair]:
        self.chains[name] = FilterChain(
            {
                **dict(more),
                "empty or too long": filters.has_length(1, LONGEST),
                "in a development set": self._overlap.excludes(near=False),
                "duplicate": self._is_new,
            }
        )
        return list(self.chains[name].apply(found))


def respell(pairs: Iterable[Pair], tokenized: bool) -> Iterator[Pair]:
    spell = tokenize if tokenized else detokenize
    return (pair.respell(spell) for pair in pairs)

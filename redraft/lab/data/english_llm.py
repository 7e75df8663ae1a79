"""Sentences that a large language model (LLM) corrected, from the folder `llm` of the English data.

Its files have three columns: a sentence as it was written, its correction, and the corpus it is from. Both are the same
where the LLM found the sentence correct.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from redraft.lab.data import filters
from redraft.lab.data.pair import Pair
from redraft.lab.data.pair_sifter import PairSifter, respell
from redraft.lab.data.readers import Faults, read_pairs

WRITERS = ("learners", "everyday")
"""Files with unedited text: of learners, and of everybody in reviews, messages and questions."""
PUBLISHED = "published"
"""File with edited text, most of it sentences in which a model saw an error."""
LEAST_KEPT = 0.4
"""Least share of unchanged words: other sentences are rewritten."""
LARGEST_RATIO = 1.6


@dataclass(frozen=True, slots=True)
class LlmPairs:
    """The pairs of the folder; none where there is no such folder."""

    pairs: tuple[Pair, ...]
    """Unedited text and its correction, changed or not, in both spellings."""
    published: tuple[Pair, ...]
    """Published sentences with an error, and their correction, in both spellings."""
    correct: tuple[str, ...]
    """Published sentences without an error."""
    corrected: tuple[str, ...]
    """Corrections of unedited text, to put errors into."""


def read_llm_pairs(folder: Path, sift: PairSifter, faults: Faults) -> LlmPairs:
    unedited = [pair for name in WRITERS for pair in _read(folder, name, sift, faults)]
    published = list(_read(folder, PUBLISHED, sift, faults))
    changed = [pair for pair in published if filters.is_changed(pair)]
    return LlmPairs(
        pairs=tuple(_in_both_spellings("LLM", unedited, sift)),
        published=tuple(_in_both_spellings("LLM, published", changed, sift)),
        correct=tuple(pair.source for pair in published if not filters.is_changed(pair)),
        corrected=tuple(dict.fromkeys(pair.target for pair in unedited)),
    )


def _read(folder: Path, name: str, sift: PairSifter, faults: Faults) -> Iterator[Pair]:
    for path in sorted(folder.glob(f"{name}.tsv*")):
        yield from sift(
            f"LLM, {name}",
            read_pairs(path, faults),
            ("lengths too far apart", filters.has_ratio(LARGEST_RATIO)),
            ("rewritten", filters.keeps_words(LEAST_KEPT)),
        )


def _in_both_spellings(name: str, pairs: list[Pair], sift: PairSifter) -> Iterator[Pair]:
    yield from pairs
    yield from sift(f"{name}, tokenized", respell(pairs, tokenized=True))

"""The words that text has often enough to be no misspellings, for the file of known words of a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from redraft.edits.caution import SHORTEST_MISSPELLING
from redraft.errors import InputError
from redraft.lab.data.readers import Faults, read_lines, read_sentences

LEAST_IN_SMALL_LETTERS = 5
LEAST_IN_ALL = 20
"""How often a word must occur in small letters, or with capitals too: people write some names in small letters."""
_WORD = re.compile(rf"[^\W\d_]{{{SHORTEST_MISSPELLING},}}")


def find_frequent_words(
    files: Sequence[Path], misspelt: Iterable[str], faults: Faults, advance: Callable[[], None] = lambda: None
) -> set[str]:
    """The words of clean text in small letters, without those that are known to be misspelt. `advance` is called after
    each file."""
    counts: Counter[str] = Counter()
    for path in files:
        for sentence in read_sentences(path, faults):
            counts.update(_WORD.findall(sentence))
        advance()
    in_all: Counter[str] = Counter()
    for word, count in counts.items():
        in_all[word.lower()] += count
    found = {word for word, count in in_all.items() if count >= LEAST_IN_ALL or counts[word] >= LEAST_IN_SMALL_LETTERS}
    found.difference_update(misspelt)
    if not found:
        raise InputError(f"no word occurs {LEAST_IN_SMALL_LETTERS} times; use more text")
    return found


def read_misspelt(path: Path, faults: Faults) -> Iterator[str]:
    """The wrong words of a list of misspellings: lines of wrong word, `->` or tab, and right word."""
    for _, line in read_lines(path, faults):
        yield re.split(r"->|\t", line, maxsplit=1)[0].strip().lower()

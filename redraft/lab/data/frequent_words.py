"""The words that are no misspellings: those that text has often enough, and those of dictionaries."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from redraft.edits.caution import SHORTEST_MISSPELLING
from redraft.errors import InputError
from redraft.lab.data.readers import Faults, read_lines, read_sentences
from redraft.model.known_words import one_letter_away

LEAST_IN_SMALL_LETTERS = 5
LEAST_IN_ALL = 20
"""How often a word must occur in small letters, or with capitals too: people write some names in small letters."""
LEAST_OF_RARE = 2
"""How often a word must occur in small letters if it is no misspelling of a frequent word."""
MISSPELLING_RATIO = 40
"""A rare word is a misspelling if a word one letter away occurs this many times as often."""
_WORD = re.compile(rf"[^\W\d_]{{{SHORTEST_MISSPELLING},}}")


def find_frequent_words(files: Sequence[Path], faults: Faults, advance: Callable[[], None] = lambda: None) -> set[str]:
    """The words of clean text in small letters. `advance` is called after each file."""
    counts: Counter[str] = Counter()
    for path in files:
        for sentence in read_sentences(path, faults):
            counts.update(_WORD.findall(sentence))
        advance()
    in_all: Counter[str] = Counter()
    for word, count in counts.items():
        in_all[word.lower()] += count
    found = {
        word
        for word, count in in_all.items()
        if count >= LEAST_IN_ALL
        or counts[word] >= LEAST_IN_SMALL_LETTERS
        or (counts[word] >= LEAST_OF_RARE and not _is_misspelling(word, counts[word], in_all))
    }
    if not found:
        raise InputError(f"no word occurs {LEAST_OF_RARE} times; use more text")
    return found


def _is_misspelling(word: str, count: int, in_all: Mapping[str, int]) -> bool:
    """Whether a frequent word is so near that a rare one is rather a misspelling of it than a word of its own."""
    return any(in_all.get(other, 0) >= MISSPELLING_RATIO * count for other in one_letter_away(word))


def read_word_list(path: Path, faults: Faults) -> Iterator[str]:
    """The words of a dictionary, one per line. Names and abbreviations, which have capitals, are left out."""
    for _, line in read_lines(path, faults):
        word = line.strip()
        if word.islower() and _WORD.fullmatch(word):
            yield word


def read_misspelt(path: Path, faults: Faults) -> Iterator[str]:
    """The wrong words of a list of misspellings: lines of wrong word, `->` or tab, and right word."""
    for _, line in read_lines(path, faults):
        yield re.split(r"->|\t", line, maxsplit=1)[0].strip().lower()

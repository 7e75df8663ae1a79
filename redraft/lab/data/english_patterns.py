"""All error patterns of English, and the sentences with errors that they make."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache

from redraft.lab.data.english_pattern import Edit, Pattern, PatternIndex, read_entries

SECOND = 0.2
"""Share of sentences that get a second error where another pattern fits."""


@cache
def load_patterns() -> tuple[Pattern, ...]:
    return tuple(Pattern(name, entry) for name, entry in read_entries().items())


@cache
def load_index() -> PatternIndex:
    return PatternIndex(load_patterns())


@dataclass(frozen=True, slots=True)
class Wrong:
    """A sentence with one or two errors, and the patterns that made them."""

    source: str
    patterns: tuple[Pattern, ...]


def write_error(sentence: str, pattern: Pattern, rng: random.Random) -> Wrong | None:
    """The sentence with the error of the pattern, and sometimes another one; None if the pattern does not fit."""
    edit = pattern.find(sentence, rng)
    if edit is None:
        return None
    used, edits = [pattern], [edit]
    if rng.random() < SECOND:
        others = [other for other in load_index().candidates(sentence) if other is not pattern]
        rng.shuffle(others)
        for other in others:
            second = other.find(sentence, rng)
            if second is not None and (second.end < edit.start or edit.end < second.start):
                used.append(other)
                edits.append(second)
                break
    return Wrong(_apply(sentence, edits), tuple(used))


def _apply(sentence: str, edits: list[Edit]) -> str:
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        sentence = sentence[: edit.start] + edit.text + sentence[edit.end :]
    return " ".join(sentence.split())

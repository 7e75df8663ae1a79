"""Filters for training pairs, with counts of what each filter dropped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from redraft.lab.data.pair import Pair
from redraft.text.scripts import script_of

SHINGLE = 5
NEAR = 0.7
"""Share of the word sequences of the shorter of two sentences that both have, if they are nearly equal."""

Filter = Callable[[Pair], bool]
"""True for a pair to keep."""


def fold(text: str) -> str:
    """Letters and digits in lower case: the same for the raw and the tokenized spelling of a sentence."""
    return "".join(character for character in text.lower() if character.isalnum())


@dataclass
class FilterChain:
    """Named filters, applied in order; `dropped` counts the pairs that each of them dropped."""

    filters: dict[str, Filter]
    read: int = 0
    kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter)

    def apply(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        for pair in pairs:
            self.read += 1
            for name, passes in self.filters.items():
                if not passes(pair):
                    self.dropped[name] += 1
                    break
            else:
                self.kept += 1
                yield pair

    def report(self) -> str:
        lines = [f"{self.read:>10,} read", *(f"{count:>10,} dropped: {name}" for name, count in self.dropped.items())]
        return "\n".join([*lines, f"{self.kept:>10,} kept"])


def has_length(least: int, most: int) -> Filter:
    """Both sides have from `least` to `most` words."""

    def passes(pair: Pair) -> bool:
        return all(least <= len(side.split()) <= most for side in (pair.source, pair.target))

    return passes


def has_ratio(most: float) -> Filter:
    """Neither side has more than `most` times the characters of the other."""

    def passes(pair: Pair) -> bool:
        shorter, longer = sorted((len(pair.source), len(pair.target)))
        return longer <= most * shorter

    return passes


def keeps_words(least: float) -> Filter:
    """At least this share of the words is unchanged: rewritten sentences teach little about errors."""

    def passes(pair: Pair) -> bool:
        left, right = pair.source.lower().split(), pair.target.lower().split()
        if not left or not right:
            return False
        matcher = SequenceMatcher(None, left, right, autojunk=False)
        same = sum(block.size for block in matcher.get_matching_blocks())
        return same >= least * max(len(left), len(right))

    return passes


def is_changed(pair: Pair) -> bool:
    return pair.source != pair.target


def adds_no_remark(pair: Pair) -> bool:
    """The target has no bracket, slash or arrow that the source lacks: those are comments of annotators."""
    return all(pair.target.count(mark) <= pair.source.count(mark) for mark in ("(", "/", "->", "=>", "["))


def is_script(script: str, least: float = 0.8) -> Filter:
    """At least this share of the letters is of one script: `LATIN`, `CYRILLIC`, `CJK`…"""

    def passes(pair: Pair) -> bool:
        letters = [character for character in pair.source + pair.target if character.isalpha()]
        if not letters:
            return False
        return sum(script_of(letter) == script for letter in letters) >= least * len(letters)

    return passes


def is_new() -> Filter:
    """The pair is no duplicate of an earlier one."""
    seen: set[int] = set()

    def passes(pair: Pair) -> bool:
        key = hash((pair.source, pair.target))
        if key in seen:
            return False
        seen.add(key)
        return True

    return passes


class Overlap:
    """Sentences that training must not see, and the search for texts that are equal or nearly equal to one of them."""

    def __init__(self, sentences: Iterable[str]) -> None:
        self._folded: set[str] = set()
        self._shingles: dict[int, list[int]] = {}
        self._sizes: list[int] = []
        for sentence in sentences:
            key = fold(sentence)
            if key and key not in self._folded:
                self._folded.add(key)
                self._index(sentence)

    def _index(self, sentence: str) -> None:
        shingles = _shingle(sentence)
        for shingle in shingles:
            self._shingles.setdefault(shingle, []).append(len(self._sizes))
        self._sizes.append(len(shingles))

    def __len__(self) -> int:
        return len(self._folded)

    def holds(self, text: str) -> bool:
        """Whether the text is one of the sentences; spaces, punctuation and capitals may differ."""
        return fold(text) in self._folded

    def is_near(self, text: str) -> bool:
        """Whether the text shares most of its word sequences with one of the sentences."""
        own = _shingle(text)
        shared: Counter[int] = Counter()
        for shingle in own:
            shared.update(self._shingles.get(shingle, ()))
        return any(count > 1 and count >= NEAR * min(len(own), self._sizes[place]) for place, count in shared.items())

    def excludes(self, near: bool) -> Filter:
        """A filter that drops pairs with an excluded sentence on either side; `near` drops nearly equal ones too."""

        def passes(pair: Pair) -> bool:
            sides = (pair.source, pair.target)
            return not any(map(self.holds, sides)) and not (near and any(map(self.is_near, sides)))

        return passes


def _shingle(text: str) -> set[int]:
    words = [key for key in map(fold, text.split()) if key]
    return {hash(tuple(words[start : start + SHINGLE])) for start in range(len(words) - SHINGLE + 1)}

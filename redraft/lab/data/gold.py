"""Inverts corrections: from edits of annotated sentences to the wrong forms of right phrases, with rates."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from redraft.lab.data.table import Candidate, Family

PER = 100_000
"""Unit of the rates: occurrences."""
LONGEST_RIGHT = 3
LONGEST_WRONG = 4


@dataclass(frozen=True, slots=True)
class GoldEdit:
    """`wrong` was written for the corrected tokens from start to end."""

    start: int
    end: int
    wrong: tuple[str, ...]
    family: Family


@dataclass(frozen=True, slots=True)
class GoldSentence:
    tokens: tuple[str, ...]
    edits: tuple[GoldEdit, ...]


@dataclass(frozen=True)
class GoldCounts:
    """Numbers of occurrences of each phrase, and of its wrong forms."""

    phrases: Counter[str] = field(default_factory=Counter)
    errors: Counter[tuple[str, str, Family]] = field(default_factory=Counter)

    def add(self, sentence: GoldSentence, anchors_left: frozenset[Family]) -> None:
        """Count a sentence. A superfluous word counts with the word after it, in `anchors_left` with the one before."""
        lower = [token.lower() for token in sentence.tokens]
        for length in range(1, LONGEST_RIGHT + 1):
            self.phrases.update(" ".join(lower[start : start + length]) for start in range(len(lower) - length + 1))
        for edit in sentence.edits:
            wrong = [token.lower() for token in edit.wrong]
            if edit.end - edit.start > LONGEST_RIGHT or len(wrong) > LONGEST_WRONG:
                continue
            if _holds_digit(lower[edit.start : edit.end]) or _holds_digit(wrong):
                continue
            if edit.start < edit.end:
                self._count(lower, edit.start, edit.end, wrong, edit.family)
            before = edit.start > 0 and lower[edit.start - 1][0].isalpha()
            after = edit.end < len(lower) and lower[edit.end][0].isalpha()
            bare = edit.start == edit.end
            if before and (not bare or edit.family in anchors_left):
                self._count(lower, edit.start - 1, edit.end, [lower[edit.start - 1], *wrong], edit.family)
            if after and (not bare or edit.family not in anchors_left):
                self._count(lower, edit.start, edit.end + 1, [*wrong, lower[edit.end]], edit.family)

    def _count(self, lower: list[str], start: int, end: int, wrong: list[str], family: Family) -> None:
        if end - start > LONGEST_RIGHT:
            return
        right = " ".join(lower[start:end])
        miswritten = " ".join(wrong)
        if right != miswritten:
            self.errors[right, miswritten, family] += 1

    def invert(
        self, smoothing: Mapping[int, float], keep: Callable[[str, str, Family, int], bool]
    ) -> dict[str, list[Candidate]]:
        """Candidates of each right phrase; `smoothing` is added to the counts of phrases of each length."""
        found: dict[str, list[Candidate]] = defaultdict(list)
        for (right, wrong, family), count in self.errors.items():
            if keep(right, wrong, family, count):
                length = right.count(" ") + 1
                rate = PER * count / (self.phrases[right] + smoothing[length])
                found[right].append(Candidate(wrong, family, rate))
        return dict(found)


def _holds_digit(tokens: Iterable[str]) -> bool:
    return any(character.isdigit() for token in tokens for character in token)


def similarity(first: str, second: str) -> float:
    return SequenceMatcher(None, first, second, autojunk=False).ratio()

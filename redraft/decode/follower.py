"""Where in the source a growing target stands."""

from __future__ import annotations

from collections.abc import Sequence

from redraft.decode.vocabulary import Vocabulary

AHEAD = 4
"""How far ahead of the expected token a skipped stretch of the source may end."""
NEAR = 6
"""How far from the expected token a single matching token may lie; a match of two or more may lie anywhere."""


class Follower:
    """Follows a target through its source, token by token: a function of the two alone.

    `position` is the source token expected next. A target token that is not the expected one is, in this order:
    the end of a stretch that occurs once in the source (go on behind it); a token a little ahead (what lies between was
    deleted) or the word just stepped over (the token before was an insertion after all), in capitals or not; a short
    word unlike the expected one (an insertion: stay); else a replacement of the expected word (go on with the next).
    """

    __slots__ = ("_source", "_target", "_vocabulary", "position", "stepped_over")

    def __init__(self, source: Sequence[int], vocabulary: Vocabulary) -> None:
        self._source = source
        self._vocabulary = vocabulary
        self._target: list[int] = []
        self.position = 0
        self.stepped_over: int | None = None
        """Where the expected word began, while the target goes its own way."""

    def copy(self) -> Follower:
        twin = Follower(self._source, self._vocabulary)
        twin._target = list(self._target)
        twin.position, twin.stepped_over = self.position, self.stepped_over
        return twin

    @property
    def in_step(self) -> bool:
        """Is the target's last token a copy of a source token, so that no edit is under way?"""
        return self.stepped_over is None

    def expected(self, eos: int) -> int:
        """The source token that a copy goes on with; <eos> at the end of the source."""
        return self._source[self.position] if self.position < len(self._source) else eos

    def push(self, token: int) -> None:
        self._target.append(token)
        found = self._find(token)
        if found is not None:
            self.position, self.stepped_over = found + 1, None
        elif self.stepped_over is None or self._vocabulary.starts_word[token]:
            if self.stepped_over is None:
                self.stepped_over = self.position
            behind = self._next_word(self.position)
            if not self._is_insertion(token, self.position, behind):
                self.position = behind

    def _find(self, token: int) -> int | None:
        """The index of the source token that `token` copies, if it copies one."""
        source, position = self._source, self.position
        if position < len(source) and source[position] == token:
            return position
        unique = find_unique_suffix(source, self._target)
        if unique is not None and (abs(unique - position) <= NEAR or self._goes_back(unique)):
            return unique
        start = position if self.stepped_over is None else self.stepped_over
        nearby = range(start, min(len(source), position + AHEAD))
        same = next((index for index in nearby if source[index] == token), None)
        if same is not None:
            return same
        word = self._vocabulary.text_of(token).casefold()
        return next((index for index in nearby if self._vocabulary.text_of(source[index]).casefold() == word), None)

    def _goes_back(self, end: int) -> bool:
        """Does the token before match too?"""
        return end >= 1 and len(self._target) >= 2 and self._source[end - 1] == self._target[-2]

    def _next_word(self, position: int) -> int:
        """The start of the word behind the one at `position`."""
        position += 1
        while position < len(self._source) and not self._vocabulary.starts_word[self._source[position]]:
            position += 1
        return min(position, len(self._source))

    def _is_insertion(self, token: int, start: int, end: int) -> bool:
        word = "".join(self._vocabulary.text_of(index) for index in self._source[start:end]).strip().casefold()
        new = self._vocabulary.text_of(token).strip().casefold()
        return len(new) <= 4 and len(new) + 1 < len(word) and new[:2] != word[:2]


def find_unique_suffix(source: Sequence[int], target: Sequence[int]) -> int | None:
    """The paper's rule: the index where the shortest suffix of the target that occurs once in the source ends there.

    The start of the sentence counts as a token before the first, on both sides.
    """
    if not target:
        return -1
    ends = [index for index, token in enumerate(source) if token == target[-1]]
    back = 1
    while len(ends) > 1:
        if back == len(target):
            ends = [end for end in ends if end - back == -1]
            break
        ends = [end for end in ends if end >= back and source[end - back] == target[-1 - back]]
        back += 1
    return ends[0] if len(ends) == 1 else None

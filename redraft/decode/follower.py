"""The source position that a growing target has reached."""

from __future__ import annotations

from collections.abc import Sequence

from redraft.decode.vocabulary import Vocabulary

MAX_SKIP = 4
"""How many tokens ahead of the expected one a deletion may end."""
MAX_DISTANCE = 6
"""How far from the expected token a single matching token may be; a match of two or more may be anywhere."""


class Follower:
    """Follows a target through its source, token by token: a function of the two alone.

    `position` is the source token expected next. A target token that is not the expected one is taken for the first of
    these that fits:

    - the end of a sequence that occurs once in the source: continue after it;
    - a source token up to MAX_SKIP ahead: the tokens between were deleted;
    - a token of the word where the edit began: the tokens before were an insertion. Case is ignored in both;
    - a short word unlike the expected one: an insertion, so the position stays;
    - a replacement of the expected word: continue with the next word.

    A match farther away, or before the edit, may be a coincidence: "I have" may occur at the start of the sentence too.
    So the edit ends there only if the next token is copied from there as well; else the position is taken back.
    """

    __slots__ = ("_before_jump", "_source", "_target", "_vocabulary", "edit_start", "position")

    def __init__(self, source: Sequence[int], vocabulary: Vocabulary) -> None:
        self._source = source
        self._vocabulary = vocabulary
        self._target: list[int] = []
        self.position = 0
        self.edit_start: int | None = None
        """The source position where the edit under way began; None if no edit is under way."""
        self._before_jump: int | None = None
        """The position before a jump that the next token has to confirm."""

    def copy(self) -> Follower:
        twin = Follower(self._source, self._vocabulary)
        twin._target = list(self._target)
        twin.position, twin.edit_start, twin._before_jump = self.position, self.edit_start, self._before_jump
        return twin

    @property
    def in_step(self) -> bool:
        """True if no edit is under way: the target's last token is a copy of a source token, or there is none yet."""
        return self.edit_start is None

    def expected(self, eos: int) -> int:
        """The source token that a copy goes on with; <eos> at the end of the source."""
        return self._source[self.position] if self.position < len(self._source) else eos

    def push(self, token: int) -> None:
        self._target.append(token)
        if self._before_jump is not None:
            if token == self.expected(-1):
                self.position, self.edit_start, self._before_jump = self.position + 1, None, None
                return
            self.position, self._before_jump = self._before_jump, None
        start = self.position if self.edit_start is None else self.edit_start
        nearby = range(start, min(len(self._source), self.position + MAX_SKIP))
        found = self._find(token, nearby)
        if found is None:
            self._step_over(token)
        elif found in nearby:
            self.position, self.edit_start = found + 1, None
        else:
            self._before_jump = self.position
            self.position, self.edit_start = found + 1, start

    def _step_over(self, token: int) -> None:
        """Takes a token that copies none of the source for an insertion or a replacement."""
        if self.in_step or self._vocabulary.starts_word[token]:
            if self.edit_start is None:
                self.edit_start = self.position
            behind = self._next_word(self.position)
            if not self._is_insertion(token, self.position, behind):
                self.position = behind

    def _find(self, token: int, nearby: range) -> int | None:
        """The index of the source token that `token` copies, if it copies one."""
        source, position = self._source, self.position
        if position < len(source) and source[position] == token:
            return position
        unique = find_unique_suffix(source, self._target)
        if unique is not None and (abs(unique - position) <= MAX_DISTANCE or self._token_before_matches(unique)):
            return unique
        same = next((index for index in nearby if source[index] == token), None)
        if same is not None:
            return same
        word = self._vocabulary.text_of(token).casefold()
        return next((index for index in nearby if self._vocabulary.text_of(source[index]).casefold() == word), None)

    def _token_before_matches(self, end: int) -> bool:
        """True if the token before matches too."""
        return end >= 1 and len(self._target) >= 2 and self._source[end - 1] == self._target[-2]

    def _next_word(self, position: int) -> int:
        """The start of the word after the one at `position`."""
        position += 1
        while position < len(self._source) and not self._vocabulary.starts_word[self._source[position]]:
            position += 1
        return min(position, len(self._source))

    def _is_insertion(self, token: int, start: int, end: int) -> bool:
        word = "".join(self._vocabulary.text_of(index) for index in self._source[start:end]).strip().casefold()
        new = self._vocabulary.text_of(token).strip().casefold()
        return len(new) <= 4 and len(new) + 1 < len(word) and new[:2] != word[:2]


def find_unique_suffix(source: Sequence[int], target: Sequence[int]) -> int | None:
    """The paper's rule: where the shortest suffix of the target that occurs once in the source ends in the source.

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

"""Where the tags of a sentence lie among its tokens: each at the first token of its word.

The tag for the start of the sentence lies at <eos>, behind all tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redraft.lab.tagger.words import bare
from redraft.tokens.tokenizer import Tokenizer

NONE = -1
"""Slot of a word whose first token begins in an earlier word. It has no tag, and is kept."""


@dataclass(frozen=True, slots=True)
class Slots:
    """Slot of the start of a sentence and of each of its words."""

    start: int
    words: list[int]

    @property
    def tagged(self) -> list[int]:
        """All slots that have a tag, that of the start first."""
        return [self.start, *(slot for slot in self.words if slot != NONE)]


def find_slots(ids: Sequence[int], words: Sequence[str], tokenizer: Tokenizer) -> Slots:
    """Slots of words (`split_words`) whose text is encoded in `ids`."""
    ends = tokenizer.pieces(ids).ends
    found: list[int] = []
    token, taken, position = 0, NONE, -1  # the first word has a space before it that the text has not
    for word in words:
        first = position + len(word) - len(bare(word))
        while token < len(ends) - 1 and ends[token] <= first:
            token += 1
        found.append(token if token > taken else NONE)
        taken = max(taken, token)
        position += len(word)
    return Slots(len(ids), found)

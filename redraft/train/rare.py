"""Correct sentences with strange strings in them, which must come out as they are.

Clean text hardly ever shows a model the rarer tokens, so that it never learns to copy them: an equals sign or a Thai letter
comes out as something else. Here any token may stand anywhere.
"""

from __future__ import annotations

import random

from redraft.tokens.tokenizer import SPECIALS, Tokenizer

_MOST_STRINGS = 3
_LONGEST = 4
_BLOCKS = ((0xA1, 0x17F), (0x370, 0x3FF), (0x400, 0x4FF), (0x5D0, 0x5EA), (0x620, 0x64A), (0x904, 0x939))
_BLOCKS += ((0xE01, 0xE2E), (0x2010, 0x2027), (0x20A0, 0x20BF), (0x2190, 0x21FF), (0x2200, 0x22FF), (0x3041, 0x3096))
_BLOCKS += ((0x4E00, 0x9FBF), (0xAC00, 0xD7A3), (0x1F300, 0x1F64F))
"""Letters and marks of many scripts, arrows, mathematics, emoji."""


class RareStrings:
    def __init__(self, tokenizer: Tokenizer, seed: int) -> None:
        written = (tokenizer.text_of(index).strip() for index in range(len(SPECIALS), tokenizer.size))
        self._pieces = [text for text in written if text and "\ufffd" not in text]
        self._seed = seed

    def insert(self, sentence: str, index: int) -> str:
        """The sentence with one to three strange strings in it; which, depends on the seed and the index alone."""
        draw = random.Random(self._seed << 48 ^ index)
        words = sentence.split()
        for _ in range(draw.randint(1, _MOST_STRINGS)):
            words.insert(draw.randint(0, len(words)), self._make(draw))
        return " ".join(words)

    def _make(self, draw: random.Random) -> str:
        if draw.random() < 0.3:
            first, last = draw.choice(_BLOCKS)
            return "".join(chr(draw.randint(first, last)) for _ in range(draw.randint(1, _LONGEST)))
        return "".join(draw.choice(self._pieces) for _ in range(draw.randint(1, _LONGEST)))

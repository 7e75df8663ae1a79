"""Correct sentences with strange strings in them, which must come out as they are.

Clean text hardly ever shows a model the rarer tokens, so that it never learns to copy them: an equals sign or a letter
of another script comes out as something else. Here any token may stand anywhere.
"""

from __future__ import annotations

import random

from redraft.tokens.tokenizer import SPECIALS, Tokenizer

_MOST_STRINGS = 3
_LONGEST = 4
_JOINTS = ("", "_", ".", "/", "-", "=")
_PUNCTUATION = frozenset(".,;:!?'\"()-–—…“”‘’")
"""Stray marks of these are errors, to be mended like others."""
_BLOCKS = (
    *((0xA1, 0x17F), (0x370, 0x3FF), (0x400, 0x4FF), (0x5D0, 0x5EA), (0x620, 0x64A), (0x904, 0x939), (0xE01, 0xE2E)),
    *((0x3041, 0x3096), (0x4E00, 0x9FBF), (0xAC00, 0xD7A3)),
    *((0x2010, 0x2027), (0x20A0, 0x20BF), (0x2190, 0x21FF), (0x2200, 0x22FF), (0x1F300, 0x1F64F)),
)
"""Letters of many scripts; then marks, currencies, arrows, mathematics and emoji."""


class RareStrings:
    def __init__(self, tokenizer: Tokenizer, seed: int) -> None:
        written = {tokenizer.text_of(index).strip() for index in range(len(SPECIALS), tokenizer.size)}
        pieces = sorted(text for text in written if text and text.isprintable() and "\ufffd" not in text)
        self._words = [text for text in pieces if text.isalpha()]
        self._marks = [text for text in pieces if not text.isalpha() and not set(text) <= _PUNCTUATION]
        self._seed = seed

    def insert(self, sentence: str, index: int) -> str:
        """The sentence with one to three strange strings in it; which, depends on the seed and the index alone."""
        draw = random.Random(self._seed << 48 ^ index)
        words = sentence.split()
        for _ in range(draw.randint(1, _MOST_STRINGS)):
            words.insert(draw.randint(0, len(words)), self._make(draw))
        return " ".join(words)

    def _make(self, draw: random.Random) -> str:
        kind, count = draw.random(), draw.randint(1, _LONGEST)
        if kind < 0.3:
            first, last = draw.choice(_BLOCKS)
            return "".join(chr(draw.randint(first, last)) for _ in range(count))
        if kind < 0.6:
            return "".join(draw.choice(self._marks) for _ in range(count))
        # Names, paths and identifiers. Small letters simply joined would be a misspelling, and those are to be mended.
        joint = draw.choice(_JOINTS)
        words = [draw.choice(self._words) for _ in range(max(count, 2 if joint else 1))]
        return joint.join(words if joint else [word[0].upper() + word[1:] for word in words])

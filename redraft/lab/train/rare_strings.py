"""Inserts random strings into training pairs, so that the model learns to copy them.

Clean text hardly contains the rarest tokens, so a model does not learn to copy them: it changes an equals sign or a
letter of another script. Here any token may be anywhere, in correct sentences and in wrong ones: if random strings were
in correct sentences alone, the model would learn that a sentence with one needs no correction.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from redraft.lab.data.pair import Pair
from redraft.tokens.tokenizer import SPECIALS, Tokenizer

_MAX_STRINGS = 3
_MAX_PIECES = 4
_JOINTS = ("", "_", ".", "/", "-", "=")
_PUNCTUATION = frozenset(".,;:!?'\"()-–—…“”‘’，。、；：？！（）《》【】")
"""Not inserted: a stray punctuation mark is an error that the model should correct."""
_BLOCKS = (
    *((0xA1, 0x17F), (0x370, 0x3FF), (0x400, 0x4FF), (0x5D0, 0x5EA), (0x620, 0x64A), (0x904, 0x939), (0xE01, 0xE2E)),
    *((0x3041, 0x3096), (0x4E00, 0x9FBF), (0xAC00, 0xD7A3)),
    *((0x2010, 0x2027), (0x20A0, 0x20BF), (0x2190, 0x21FF), (0x2200, 0x22FF), (0x1F300, 0x1F64F)),
)
"""Code points: letters of many scripts; then marks, currencies, arrows, mathematics and emoji."""


class RareStrings:
    def __init__(self, tokenizer: Tokenizer, seed: int) -> None:
        written = {tokenizer.text_of(index).strip() for index in range(len(SPECIALS), tokenizer.size)}
        pieces = sorted(text for text in written if text and text.isprintable() and "\ufffd" not in text)
        self._words = [text for text in pieces if text.isalpha()]
        self._marks = [text for text in pieces if not text.isalpha() and not set(text) <= _PUNCTUATION]
        self._seed = seed
        self._by_character = tokenizer.by_character

    def insert(self, pair: Pair, index: int) -> Pair:
        """The pair with one to three random strings, the same on both sides, before or after the part that differs.
        They depend on the seed and the index alone."""
        draw = random.Random(self._seed << 48 ^ index)
        source, target = self._split(pair.source), self._split(pair.target)
        for _ in range(draw.randint(1, _MAX_STRINGS)):
            before, after = _common(source, target), _common(source[::-1], target[::-1])
            place = draw.randint(0, before + after)
            string = self._make(draw)
            for words in (source, target):
                words.insert(place if place <= before else len(words) - (place - before), string)
        space = "" if self._by_character else " "
        return Pair(space.join(source), space.join(target))

    def _split(self, text: str) -> list[str]:
        return list(text) if self._by_character else text.split()

    def _make(self, draw: random.Random) -> str:
        kind, count = draw.random(), draw.randint(1, _MAX_PIECES)
        if kind < 0.3:
            first, last = draw.choice(_BLOCKS)
            return "".join(chr(draw.randint(first, last)) for _ in range(count))
        if kind < 0.6:
            return "".join(draw.choice(self._marks) for _ in range(count))
        # Names, paths and identifiers. Small letters joined without a mark would look like a misspelling.
        joint = draw.choice(_JOINTS)
        words = [draw.choice(self._words) for _ in range(max(count, 2 if joint else 1))]
        return joint.join(words if joint else [word[0].upper() + word[1:] for word in words])


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Number of words that both begin with."""
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )

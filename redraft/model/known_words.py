"""The words that a model's training text and dictionaries have, as a Bloom filter: to know a misspelling from a rare
word.

A filter never forgets a word that was put in, and takes about one in a hundred thousand other strings for a known word.
The words themselves cannot be read from it.

    words.bloom   8 bytes "redraftW", the number of positions per word (1 byte), 7 zero bytes, then the bits
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path

from redraft.atomic_write import atomic_write
from redraft.errors import ModelError

_MAGIC = b"redraftW"
_HEADER = 16
_POSITIONS = 17
"""Bits that are set for each word: best for one false positive in a hundred thousand. Hundreds of strings are looked up
for the neighbours of one word (`near`)."""
_BITS_A_WORD = 24.5
_MOST_POSITIONS = 64
_CACHED = 1 << 16
_CACHED_NEAR = 1 << 12
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
LONGEST_WORD = 24
"""Letters of the longest words whose neighbours are looked for: longer strings are names and codes."""


class KnownWords:
    def __init__(self, bits: bytes, positions: int = _POSITIONS) -> None:
        self._bits, self._positions = bits, positions
        self._look_up = lru_cache(_CACHED)(self._find)
        self._look_up_near = lru_cache(_CACHED_NEAR)(self._find_near)

    @classmethod
    def build(cls, words: Collection[str]) -> KnownWords:
        bits = bytearray(math.ceil(max(1, len(words)) * _BITS_A_WORD / 8))
        for word in words:
            for place in _places(word, _POSITIONS, 8 * len(bits)):
                bits[place >> 3] |= 1 << (place & 7)
        return cls(bytes(bits))

    @classmethod
    def read(cls, path: Path) -> KnownWords:
        data = path.read_bytes()
        positions = data[8] if len(data) > _HEADER else 0
        if data[:8] != _MAGIC or not 1 <= positions <= _MOST_POSITIONS or any(data[9:_HEADER]):
            raise ModelError(f"{path} is not a file of known words")
        return cls(data[_HEADER:], positions)

    def write(self, path: Path) -> None:
        with atomic_write(path) as partial:
            partial.write_bytes(_MAGIC + bytes([self._positions]) + bytes(7) + self._bits)

    def __contains__(self, word: str) -> bool:
        return self._look_up(word)

    def near(self, word: str) -> list[str]:
        """The known words that differ from a word in one letter: inserted, left out, replaced or swapped with the next.

        For words in small letters from a to z. Some 50 strings for each letter are looked up, once for each word.
        """
        return list(self._look_up_near(word))

    def _find_near(self, word: str) -> tuple[str, ...]:
        if len(word) > LONGEST_WORD or not set(word) <= set(_LETTERS):
            return ()
        # Not through the cache: it is for the words of texts.
        return tuple(sorted(other for other in one_letter_away(word) if self._find(other)))

    def _find(self, word: str) -> bool:
        places = _places(word, self._positions, 8 * len(self._bits))
        return all(self._bits[place >> 3] >> (place & 7) & 1 for place in places)


def one_letter_away(word: str) -> set[str]:
    """The strings that differ from a word in one letter from a to z, or in two letters that are swapped."""
    halves = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    found = {before + behind[1:] for before, behind in halves if behind}
    found |= {before + behind[1] + behind[0] + behind[2:] for before, behind in halves if len(behind) > 1}
    found |= {before + letter + behind[1:] for before, behind in halves if behind for letter in _LETTERS}
    found |= {before + letter + behind for before, behind in halves for letter in _LETTERS}
    return found - {word}


def _places(word: str, positions: int, bits: int) -> list[int]:
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    first, step = int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little") | 1
    return [(first + number * step) % bits for number in range(positions)]

"""Sentences in capital letters, and the same text in small letters."""

from __future__ import annotations

import re

from redraft.text.words import words

_FEWEST_WORDS, _FEWEST_LONG_WORDS = 4, 3
"""Shorter texts in capitals are titles and abbreviations. Long words have two letters and more."""
_ENGLISH_I = re.compile(r"(?<![\w-])i(?![\w-]|\.\w)")
_LETTER = re.compile(r"[^\W\d_]")


def is_in_capitals(sentence: str) -> bool:
    """Whether a text is a sentence in capital letters: at least four words, and no small letter. Rows of single letters
    are none."""
    if not sentence.isupper():
        return False
    lengths = [len(word) for word in words(sentence) if word.of(sentence).isalpha()]
    return len(lengths) >= _FEWEST_WORDS and sum(length > 1 for length in lengths) >= _FEWEST_LONG_WORDS


def lower(sentence: str, language: str) -> str:
    """A sentence in capitals as it is usually written, with a capital at its start. It has the same length.

    Names begin with a small letter too: they cannot be told from other words.
    """
    small = "".join(low if len(low := letter.lower()) == 1 else letter for letter in sentence)
    if language == "en":
        small = _ENGLISH_I.sub("I", small)
    first = _LETTER.search(small)
    return small[: first.start()] + sentence[first.start()] + small[first.end() :] if first else small

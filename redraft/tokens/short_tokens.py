"""The same text in shorter tokens than the tokenizer gives.

Tokens are made for words as they should be. A misspelt word has others, and a model copies some of these as it copies
names. In shorter tokens, with which it was trained at random, it reads the letters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from redraft.tokens.tokenizer import Tokenizer

CUTS = ((1, 1), (2, 2), (3, 2))
"""Ways to cut a word: the length of its first token, and of all others. A space before a word is part of it."""


def cut_tokens(tokenizer: Tokenizer, ids: Sequence[int], first: int, length: int) -> list[int]:
    """The tokens of the same text with the given lengths; single characters where there is no such token.

    Text in other characters than ASCII keeps its tokens, and so does text with a character that is no token.
    """
    text = "".join(map(tokenizer.text_of, ids))
    tokens = tokenizer.ids_by_text
    if not text.isascii() or any(character not in tokens for character in text):
        return list(ids)
    found: list[int] = []
    for part in _cut(text, first, length):
        found += [tokens[part]] if part in tokens else [tokens[character] for character in part]
    return found


def _cut(text: str, first: int, length: int) -> Iterator[str]:
    yield text[:first]
    for start in range(first, len(text), length):
        yield text[start : start + length]

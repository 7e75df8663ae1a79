"""Fast encoding of many sentences that share their words."""

from __future__ import annotations

from collections.abc import Callable

from redraft.tokens.tokenizer import Tokenizer

REMEMBERED = 400_000
"""Words held at most: misspellings never end, and a worker must not grow without bound. Common words come first; to
start anew when the room is full would forget them, in all workers at about the same time, and keep the GPU waiting."""


def cached_encoder(tokenizer: Tokenizer) -> Callable[[str], list[int]]:
    """Encodes exactly as the tokenizer does, but looks up words it has met before.

    Byte-level BPE cuts text before every single space, and pieces never merge across a cut; so the ids of a sentence
    are the ids of its words, each with the space before it. Characters are independent of one another altogether. An
    adopted tokenizer treats the first word unlike the others, and encodes each sentence as a whole.
    """
    once = tokenizer.encode("a")
    byte_level = tokenizer.encode("a a") == once + once
    if not byte_level and tokenizer.encode("aa") != once + once:
        return tokenizer.encode
    known: dict[str, list[int]] = {}

    def encode(text: str) -> list[int]:
        pieces: list[str] | str = text.split(" ") if byte_level else text
        if byte_level and "" in pieces:  # several spaces in a row, which are tokens of their own
            return tokenizer.encode(text)
        ids: list[int] = []
        for piece in pieces:
            found = known.get(piece)
            if found is None:
                found = tokenizer.encode(piece)
                if len(known) < REMEMBERED:
                    known[piece] = found
            ids += found
        return ids

    return encode

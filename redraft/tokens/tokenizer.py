"""Converts text to token ids and back: byte-level BPE, or characters with byte fallback.

Both kinds encode any text. Special tokens are never matched inside text: "<eos>" in a text is encoded as five
characters.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import decoders, models, pre_tokenizers, trainers

from redraft.errors import ModelError
from redraft.tokens.tokenizer_file import BYTE_TOKENS, read_tokenizer
from redraft.tokens.word_cache import WordCache

SPECIALS = ("<pad>", "<bos>", "<eos>")
PAD, BOS, EOS = range(len(SPECIALS))
_SPACE = "Ġ"


@dataclass(frozen=True, slots=True)
class Pieces:
    """Decoded text and, for each id, the start and end of its characters in it."""

    text: str
    starts: list[int]
    ends: list[int]

    def overlapping(self, start: int, end: int) -> list[int]:
        """The places of the ids that have characters between two offsets."""
        return [
            place
            for place, (first, last) in enumerate(zip(self.starts, self.ends, strict=True))
            if first < end and start < last
        ]


class Tokenizer:
    """Encodes sentences without white space at their ends.

    The byte-level kind adds a space before the text, so that a word has the same token at the start of a sentence and
    inside it, and removes the space when it decodes. Adopted tokenizers may differ in two ways: one whose pre-tokenizer
    is a plain ByteLevel without `add_prefix_space` adds no space, and the special tokens of a post-processor's template
    begin every sentence and decode to nothing.
    """

    pad, bos, eos = PAD, BOS, EOS

    def __init__(self, inner: tokenizers.Tokenizer) -> None:
        self._inner = inner
        tokens = [inner.id_to_token(index) for index in range(inner.get_vocab_size(with_added_tokens=False))]
        if tuple(tokens[: len(SPECIALS)]) != SPECIALS or None in tokens:
            raise ModelError(f"the tokenizer's first tokens must be {', '.join(SPECIALS)}, its ids without gaps")
        self._tokens: list[str] = [token for token in tokens if token is not None]
        self._byte_level = isinstance(inner.decoder, decoders.ByteLevel)
        self._prefix = " " if self._byte_level and _adds_space(inner.pre_tokenizer) else ""
        self._lead = inner.encode("").ids
        # Byte-level BPE splits text before every single space and never merges across a split. With a space before the
        # text as well, the ids of a sentence are those of its words.
        self.joins_words = bool(self._prefix) and not self._lead
        self._word_cache = WordCache(self.encode_whole) if self.joins_words else None

    @classmethod
    def load(cls, path: Path, vocabulary: int | None = None) -> Tokenizer:
        """Reads a file. `vocabulary` is the number of tokens that the model has, if it is to be compared."""
        loaded = cls(read_tokenizer(path, SPECIALS))
        if vocabulary is not None and loaded.size != vocabulary:
            raise ModelError(f"{path} has {loaded.size} tokens, but the model has {vocabulary}")
        return loaded

    def save(self, path: Path) -> None:
        path.write_text(self._inner.to_str(pretty=False) + "\n", encoding="utf-8")

    @classmethod
    def train_bytes(cls, sentences: Iterable[str], size: int) -> Tokenizer:
        """Byte-level BPE. Each digit is a token, so that any number is copied digit by digit."""
        inner = tokenizers.Tokenizer(models.BPE())
        inner.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
        )
        inner.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=size,
            special_tokens=list(SPECIALS),
            initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
            show_progress=False,
        )
        inner.train_from_iterator((f" {sentence}" for sentence in sentences), trainer)
        return cls(_without_added_tokens(inner))

    @classmethod
    def train_characters(cls, sentences: Iterable[str], size: int) -> Tokenizer:
        """The most frequent characters; any other is spelled out in its UTF-8 bytes."""
        counts: dict[str, int] = {}
        for sentence in sentences:
            for character in sentence:
                counts[character] = counts.get(character, 0) + 1
        available = max(0, size - len(SPECIALS) - len(BYTE_TOKENS))
        characters = sorted(counts, key=lambda character: (-counts[character], character))[:available]
        vocabulary = {token: index for index, token in enumerate([*SPECIALS, *BYTE_TOKENS, *characters])}
        inner = tokenizers.Tokenizer(models.BPE(vocab=vocabulary, merges=[], byte_fallback=True))
        inner.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
        return cls(inner)

    @property
    def by_character(self) -> bool:
        """Whether every character is a token, as suits scripts without spaces between words."""
        return not self._byte_level

    @property
    def size(self) -> int:
        return len(self._tokens)

    def encode(self, text: str) -> list[int]:
        return self._word_cache.encode(text) if self._word_cache else self.encode_whole(text)

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        if self._word_cache:
            return list(map(self._word_cache.encode, texts))
        encoded = self._inner.encode_batch_fast([self._prefix + text for text in texts])
        return [encoding.ids if text else [] for encoding, text in zip(encoded, texts, strict=True)]

    def encode_whole(self, text: str) -> list[int]:
        """The same as `encode`, without a cache."""
        return self._inner.encode(self._prefix + text).ids if text else []

    def decode(self, ids: Iterable[int]) -> str:
        return self._join([self._bytes[index] for index in ids])[1]

    def pieces(self, ids: Sequence[int]) -> Pieces:
        """Decodes ids and finds the characters of each. A character of several ids belongs to each of them."""
        written = [self._bytes[index] for index in ids]
        data, text = self._join(written)
        drop = self._lead_in(data)
        if data.isascii():
            ends = [max(0, end - drop) for end in accumulate(map(len, written))]
            return Pieces(text, [0, *ends][:-1], ends)
        before = _characters_before(data)
        if before[-1] - drop != len(text):  # not UTF-8: each bad byte became a character of its own
            before = _characters_before_broken(data)
        starts, ends, position = [], [], 0
        for piece in written:
            within = bool(piece) and (piece[0] & 0xC0) == 0x80  # continues a character that an earlier id began
            starts.append(max(0, before[position] - within - drop))
            position += len(piece)
            ends.append(max(0, before[position] - drop))
        return Pieces(text, starts, ends)

    def _join(self, written: Sequence[bytes]) -> tuple[bytes, str]:
        """All bytes, and their text without the space that encoding added before it."""
        data = b"".join(written)
        return data, data[self._lead_in(data) :].decode("utf-8", errors="replace")

    def _lead_in(self, data: bytes) -> int:
        """The number of bytes before the text: 1 for the space that encoding added, if it is there."""
        return len(self._prefix) if data.startswith(b" ") else 0

    @cached_property
    def longest_token(self) -> int:
        """Bytes of the longest token."""
        return max(map(len, self._bytes))

    def text_of(self, index: int) -> str:
        """One token as readable text."""
        return self._bytes[index].decode("utf-8", errors="replace") or self._tokens[index]

    @cached_property
    def ids_by_text(self) -> dict[str, int]:
        """The tokens by their text, without special tokens and parts of characters."""
        return {
            text: index
            for index in range(len(SPECIALS), self.size)
            if (text := self.text_of(index)) and "\ufffd" not in text
        }

    @cached_property
    def starts_word(self) -> list[bool]:
        """For each id, whether a word, number or punctuation mark begins with it."""
        return [self._begins(token, data) for token, data in zip(self._tokens, self._bytes, strict=True)]

    def _begins(self, token: str, data: bytes) -> bool:
        if not self._byte_level or not data:
            return True
        return token.startswith(_SPACE) or (data[0] < 0x80 and not data[:1].isalnum() and data[:1] != b"'")

    @cached_property
    def _bytes(self) -> list[bytes]:
        if self._byte_level:
            alphabet = _byte_alphabet()
            table = [bytes(alphabet[character] for character in token) for token in self._tokens]
        else:
            table = [
                bytes([int(token[3:5], 16)]) if _is_byte_token(token) else token.encode("utf-8")
                for token in self._tokens
            ]
        for index in (PAD, BOS, EOS, *self._lead):
            table[index] = b""
        return table


def _adds_space(pre_tokenizer: pre_tokenizers.PreTokenizer | None) -> bool:
    return not isinstance(pre_tokenizer, pre_tokenizers.ByteLevel) or bool(pre_tokenizer.add_prefix_space)


def _is_byte_token(token: str) -> bool:
    return len(token) == 6 and token.startswith("<0x") and token.endswith(">")


def _without_added_tokens(inner: tokenizers.Tokenizer) -> tokenizers.Tokenizer:
    """Special tokens keep their ids but are never matched inside text."""
    description: dict[str, Any] = json.loads(inner.to_str())
    description["added_tokens"] = []
    return tokenizers.Tokenizer.from_str(json.dumps(description))


def _byte_alphabet() -> dict[str, int]:
    """The printable character that byte-level BPE uses for each byte."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in set(printable)]
    return {chr(byte): byte for byte in printable} | {chr(256 + index): byte for index, byte in enumerate(hidden)}


def _characters_before(data: bytes) -> Sequence[int]:
    """For each byte offset, the number of characters that begin before it."""
    before, count = [0], 0
    for byte in data:
        count += (byte & 0xC0) != 0x80
        before.append(count)
    return before


def _characters_before_broken(data: bytes) -> Sequence[int]:
    return [len(data[:position].decode("utf-8", errors="replace")) for position in range(len(data) + 1)]

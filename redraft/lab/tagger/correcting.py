"""Corrects sentences with a tagger: up to three passes of tags, each on the result of the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from redraft.engines.native.engine import NativeEngine
from redraft.lab.tagger.folder import Floats, TaggerFolder, TaggerOptions, TagLayer
from redraft.lab.tagger.slots import NONE, Slots, find_slots
from redraft.lab.tagger.tags import KEEP, OTHER, Tag, apply_tags
from redraft.lab.tagger.vocabulary import TagVocabulary
from redraft.lab.tagger.words import join_words, split_words
from redraft.tokens.tokenizer import Tokenizer

BATCH_SIZE = 16


class TagScorer(Protocol):
    """What computes the network."""

    @property
    def max_tokens(self) -> int: ...

    def score(self, sources: Sequence[Sequence[int]], slots: Sequence[Sequence[int]]) -> list[Floats]:
        """The logits (slots, tags) at some slots of each source; the last slot of a source is <eos>."""
        ...


class NativeScorer:
    """The encoder on the native engine, and the linear layer in single precision."""

    def __init__(self, engine: NativeEngine, layer: TagLayer) -> None:
        self._engine = engine
        self._weight = np.ascontiguousarray(layer.weight.T)
        self._bias = layer.bias

    @property
    def max_tokens(self) -> int:
        return self._engine.max_tokens

    def score(self, sources: Sequence[Sequence[int]], slots: Sequence[Sequence[int]]) -> list[Floats]:
        states = self._engine.encode_states(sources)
        # Each source by itself, so that its numbers do not depend on the others.
        return [rows[list(chosen)] @ self._weight + self._bias for rows, chosen in zip(states, slots, strict=True)]


@dataclass(frozen=True, slots=True)
class TaggedLine:
    """A corrected line."""

    text: str
    passes: int
    """Passes of the encoder; 0 if the line has too many tokens, or none."""


@dataclass(slots=True)
class _Open:
    """A sentence that is not finished."""

    index: int
    words: list[str]
    ids: list[int]
    seen: set[str]
    passes: int = 0


class Tagger:
    """A tagger on some engine."""

    def __init__(
        self, vocabulary: TagVocabulary, tokenizer: Tokenizer, scorer: TagScorer, options: TaggerOptions
    ) -> None:
        self.vocabulary, self.options = vocabulary, options
        self._tokenizer, self._scorer = tokenizer, scorer

    @classmethod
    def open(cls, folder: Path, threads: int = 0, options: TaggerOptions | None = None) -> Tagger:
        """The tagger in a folder on the native engine. `threads` 0 means one for each usable core."""
        found = TaggerFolder.open(folder)
        tokenizer = Tokenizer.load(found.encoder.tokenizer, found.encoder.config.vocabulary)
        scorer = NativeScorer(NativeEngine(found.encoder, threads), found.layer)
        return cls(found.vocabulary, tokenizer, scorer, options or found.options)

    def correct_lines(self, lines: Sequence[str]) -> list[str]:
        """The corrected lines, with single spaces between words."""
        return [line.text for line in self.correct(lines)]

    def correct(self, lines: Sequence[str]) -> list[TaggedLine]:
        """Corrects lines of one sentence each."""
        results = [TaggedLine(line, 0) for line in lines]
        waiting = [found for index, line in enumerate(lines) if (found := self._read(index, line, set(), 0))]
        while waiting:
            waiting.sort(key=lambda sentence: len(sentence.ids))
            following: list[_Open] = []
            for start in range(0, len(waiting), BATCH_SIZE):
                batch = waiting[start : start + BATCH_SIZE]
                for sentence, tags in zip(batch, self._predict(batch), strict=True):
                    before, passes = join_words(sentence.words), sentence.passes + 1
                    text = apply_tags(sentence.words, tags, self.vocabulary.forms)
                    results[sentence.index] = TaggedLine(text, passes)
                    if text != before and text not in sentence.seen and passes < self.options.max_passes:
                        again = self._read(sentence.index, text, sentence.seen | {before}, passes)
                        following += [again] if again else []
            waiting = following
        return results

    def find_tags(self, lines: Sequence[str]) -> list[list[Tag]]:
        """The tags of the first pass, for the start of each line and for each of its words; KEEP for lines that are
        too long."""
        found = [[KEEP] * (1 + len(split_words(line))) for line in lines]
        read = [sentence for index, line in enumerate(lines) if (sentence := self._read(index, line, set(), 0))]
        for sentence, tags in zip(read, self._predict(read) if read else [], strict=True):
            found[sentence.index] = tags
        return found

    def _read(self, index: int, line: str, seen: set[str], passes: int) -> _Open | None:
        words = split_words(line)
        ids = self._tokenizer.encode(join_words(words))
        return _Open(index, words, ids, seen, passes) if ids and len(ids) <= self._scorer.max_tokens else None

    def _predict(self, batch: Sequence[_Open]) -> list[list[Tag]]:
        slots = [find_slots(sentence.ids, sentence.words, self._tokenizer) for sentence in batch]
        logits = self._scorer.score([sentence.ids for sentence in batch], [each.tagged for each in slots])
        return [self._choose(each, rows) for each, rows in zip(slots, logits, strict=True)]

    def _choose(self, slots: Slots, logits: Floats) -> list[Tag]:
        """The likeliest tag of each slot, or KEEP where the options ask for more."""
        probabilities = softmax(logits)
        tags = [KEEP] * (1 + len(slots.words))
        if (1 - probabilities[:, 0]).max() < self.options.min_error_probability:
            return tags
        best = probabilities.argmax(axis=1)
        tagged = [0, *(place for place, slot in enumerate(slots.words, 1) if slot != NONE)]
        for row, (place, number) in enumerate(zip(tagged, best.tolist(), strict=True)):
            tag = self.vocabulary.tags[number]
            if tag != OTHER and probabilities[row, number] >= self.options.min_probability:
                tags[place] = tag
        return tags


def softmax(logits: Floats) -> Floats:
    exponentials: Floats = np.exp(logits - logits.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)  # type: ignore[no-any-return]

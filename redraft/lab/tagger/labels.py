"""Labels of training pairs: the number and the weight of a tag at the first token of each word."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from redraft.lab.data.pair import Pair
from redraft.lab.tagger.slots import NONE, find_slots
from redraft.lab.tagger.tags import KEEP, apply_tags
from redraft.lab.tagger.vocabulary import TagVocabulary
from redraft.lab.tagger.words import join_words, split_words
from redraft.lab.train.packing import DrawnPair
from redraft.lab.train.workers import Encode
from redraft.tokens.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class TagLabels:
    """The tag vocabulary of a training run, for its data workers."""

    path: Path

    def open(self, tokenizer: Tokenizer, changed_weight: float) -> TagLabeller:
        return TagLabeller(TagVocabulary.read(self.path), tokenizer, changed_weight)


class TagLabeller:
    """Labels pairs. Words with another tag than KEEP weigh `changed_weight`, further tokens of a word nothing."""

    def __init__(self, vocabulary: TagVocabulary, tokenizer: Tokenizer, changed_weight: float) -> None:
        self._vocabulary = vocabulary
        self._tokenizer = tokenizer
        self._changed_weight = changed_weight

    def label(self, pair: Pair, encode: Encode, index: int) -> DrawnPair:
        """Of pairs that need several passes, those with an odd index are labelled as after the first pass."""
        words = split_words(pair.source)
        tags = self._vocabulary.find_tags(pair.source, pair.target)
        if index % 2 and any(tag != KEEP for tag in tags):
            after = split_words(apply_tags(words, tags, self._vocabulary.forms))
            if after != words and after != split_words(pair.target):
                words, tags = after, self._vocabulary.find_tags(join_words(after), pair.target)
        ids = encode(join_words(words))
        labels, weights = [0] * (len(ids) + 1), [0.0] * (len(ids) + 1)
        slots = find_slots(ids, words, self._tokenizer)
        for slot, tag in zip((slots.start, *slots.words), tags, strict=True):
            if slot != NONE:
                labels[slot] = self._vocabulary.numbers[tag]
                weights[slot] = 1.0 if tag == KEEP else self._changed_weight
        # The target slots of the pack are those of the source, so that labels and source tokens lie side by side.
        return DrawnPair(ids, ids, labels=labels, weights=weights)

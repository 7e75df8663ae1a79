"""Reads the lexicons and corrections that the English error table is built from, as their makers publish them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

from redraft.errors import InputError
from redraft.lab.data import english
from redraft.lab.data.filters import Overlap
from redraft.lab.data.gold import GoldSentence
from redraft.lab.data.readers import Faults, read_lines, read_m2, read_pairs, read_sentences
from redraft.lab.data.tokenization import split_chunk, tokenize

SAMPLE = 40_000
LISTED_WEIGHT = 0.5
LEARNER_LIST_WEIGHT = 2.0


def gather(folder: Path, overlap: Overlap, faults: Faults) -> english.EnglishSources:
    """Everything under a folder with clean/, pairs/ and lexicon/, less corrections that `overlap` keeps out."""
    for name in ("clean", "pairs", "lexicon"):
        if not (folder / name).is_dir():
            raise InputError(f"{folder}: no {name}/ in it; the folder must hold clean/, pairs/ and lexicon/")
    lexicon = folder / "lexicon"
    clean = sorted((folder / "clean").iterdir())
    counts = count_words(clean, faults)
    return english.EnglishSources(
        counts=counts,
        gold=_read_gold(folder / "pairs", english.rank(counts), overlap, faults),
        misspellings=_read_misspellings(lexicon, faults),
        confusions=_read_confusions(lexicon / "lt_confusion_sets.txt", faults),
        dialects=frozenset(_read_dialects(lexicon / "lt_en-US-GB.txt", faults)),
        uncountable=frozenset(_read_entries(lexicon / "lt_uncountable.txt", faults)),
        sample=_sample(clean, faults),
    )


def count_words(paths: Iterable[Path], faults: Faults) -> Counter[str]:
    """How often each token stands in the text after the first place, whose capital says nothing about the word."""
    counts: Counter[str] = Counter()
    for path in paths:
        chunks: Counter[str] = Counter()
        for sentence in read_sentences(path, faults):
            chunks.update(sentence.split()[1:])
        for chunk, count in chunks.items():
            for token in split_chunk(chunk):
                counts[token] += count
    return counts


def _read_gold(folder: Path, known: Mapping[str, int], overlap: Overlap, faults: Faults) -> Iterator[GoldSentence]:
    for path in sorted(folder.glob("wi.*.train.m2*")):
        for sentence in read_m2(path, faults):
            if not overlap.holds(" ".join(sentence.tokens)):
                yield english.invert_m2(sentence)
    for path in sorted(folder.glob("fce.train.raw.tsv*")):
        for pair in read_pairs(path, faults):
            if not overlap.holds(pair.source) and not overlap.holds(pair.target):
                yield english.invert_pair(tokenize(pair.source), tokenize(pair.target), known)


def _read_entries(path: Path, faults: Faults) -> Iterator[str]:
    for _, line in read_lines(path, faults):
        entry = line.partition("#")[0].strip()
        if entry:
            yield entry


def _read_misspellings(lexicon: Path, faults: Faults) -> Iterator[tuple[str, str, float]]:
    for entry in _read_entries(lexicon / "codespell.txt", faults):
        wrong, _, rights = entry.partition("->")
        right = rights.split(",")[0].strip().lower()
        if right.isalpha():
            yield right, wrong.lower(), LISTED_WEIGHT
    for number, line in read_lines(lexicon / "toefl_spell.tsv", faults):
        columns = line.split("\t")
        if len(columns) >= 5 and number > 1:
            yield columns[4].lower(), columns[2].lower(), LEARNER_LIST_WEIGHT


def _read_confusions(path: Path, faults: Faults) -> Iterator[tuple[str, str]]:
    """`a -> b` says that a is written where b is right; `a; b` says both ways."""
    for entry in _read_entries(path, faults):
        words = [part.partition("|")[0].strip() for part in entry.split(";")]
        wrong, arrow, right = words[0].partition("->")
        if arrow:
            yield right.strip(), wrong.strip()
        elif len(words) > 1:
            yield words[0], words[1]
            yield words[1], words[0]


def _read_dialects(path: Path, faults: Faults) -> Iterator[tuple[str, str]]:
    for entry in _read_entries(path, faults):
        american, *british = (part.strip() for part in entry.replace("|", ";").split(";"))
        for spelling in british:
            yield american, spelling
            yield spelling, american


def _sample(paths: list[Path], faults: Faults) -> list[str]:
    """Some sentences from the head of each file, as many of each."""
    share = SAMPLE // max(1, len(paths))
    sentences = [sentence for path in paths for sentence in islice(read_sentences(path, faults), 4 * share)]
    return random.Random(0).sample(sentences, min(SAMPLE, len(sentences)))

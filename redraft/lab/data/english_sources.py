"""Reads the lexicons and corrections that the English error table is built from, in their published formats."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

from redraft.errors import InputError
from redraft.lab.data import english_table
from redraft.lab.data.english_llm import WRITERS
from redraft.lab.data.filters import Overlap
from redraft.lab.data.gold import GoldSentence
from redraft.lab.data.readers import Faults, read_lines, read_m2, read_pairs, read_sentences
from redraft.lab.data.source_record import SourceSelection
from redraft.lab.data.tokenization import split_chunk, tokenize

SAMPLE = 40_000
LISTED_WEIGHT = 0.5
"""Weight of a misspelling in a list made for spelling checkers."""
PEOPLE_WEIGHT = 1.0
"""Weight of a misspelling in a list of what people wrote."""
LEARNER_LIST_WEIGHT = 2.0
"""Weight of a misspelling in a list of what learners wrote."""
PEOPLE = ("birkbeck", "norvig")


def gather(folder: Path, overlap: Overlap, faults: Faults) -> english_table.EnglishSources:
    """Sources from a folder with clean/, pairs/ and lexicon/, without the corrections of excluded sentences."""
    for name in ("clean", "pairs", "lexicon"):
        if not (folder / name).is_dir():
            raise InputError(f"{folder}: there is no {name}/ in it; the folder needs clean/, pairs/ and lexicon/")
    lexicon = folder / "lexicon"
    clean = sorted((folder / "clean").iterdir())
    counts = count_words(clean, faults)
    return english_table.EnglishSources(
        counts=counts,
        gold=_read_gold(folder, english_table.rank(counts), overlap, faults),
        misspellings=read_misspellings(lexicon, faults),
        confusions=_read_confusions(lexicon / "lt_confusion_sets.txt", faults),
        dialects=frozenset(_read_dialects(lexicon / "lt_en-US-GB.txt", faults)),
        uncountable=frozenset(_read_entries(lexicon / "lt_uncountable.txt", faults)),
        sample=draw_sample(clean, faults),
    )


def count_words(paths: Iterable[Path], faults: Faults) -> Counter[str]:
    """Counts of the tokens in the text. First words are left out: their capitals say nothing about the word."""
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
    pairs = folder / "pairs"
    for path in sorted(pairs.glob("wi.*.train.m2*")):
        for sentence in read_m2(path, faults):
            if not overlap.holds(" ".join(sentence.tokens)):
                yield english_table.invert_m2(sentence)
    raw = [*pairs.glob("fce.train.raw.tsv*"), *pairs.glob("realec.raw.tsv*")]
    raw += [path for name in WRITERS for path in (folder / "llm").glob(f"{name}.tsv*")]
    for path in sorted(raw):
        for pair in read_pairs(path, faults):
            if not overlap.holds(pair.source) and not overlap.holds(pair.target):
                yield english_table.invert_pair(tokenize(pair.source), tokenize(pair.target), known)


def _read_entries(path: Path, faults: Faults) -> Iterator[str]:
    for _, line in read_lines(path, faults):
        entry = line.partition("#")[0].strip()
        if entry:
            yield entry


def read_misspellings(
    lexicon: Path, faults: Faults, selection: SourceSelection | None = None
) -> Iterator[tuple[str, str, float]]:
    """Misspellings of the lists in a folder, of all or of those that a source list allows."""
    own = [lexicon / "codespell.txt", lexicon / "toefl_spell.tsv"]
    others = sorted(lexicon.glob("misspellings_*.tsv*"))
    listed, learners = own if selection is None else ([*selection.choose([path]), None][0] for path in own)
    for entry in _read_entries(listed, faults) if listed else ():
        wrong, _, rights = entry.partition("->")
        right = rights.split(",")[0].strip().lower()
        if right.isalpha():
            yield right, wrong.lower(), LISTED_WEIGHT
    for number, line in read_lines(learners, faults) if learners else ():
        columns = line.split("\t")
        if len(columns) >= 5 and number > 1:
            yield columns[4].lower(), columns[2].lower(), LEARNER_LIST_WEIGHT
    seen: set[tuple[str, str]] = set()
    for path in others if selection is None else selection.choose(others):
        for number, row in _read_rows(path, faults, selection):
            wrong, right, origin = [*(column.lower() for column in row), "", ""][:3]
            if not right:
                faults.note(path, number, "expected the wrong spelling, the right one and the origin between tabs")
            elif (right, wrong) not in seen:
                seen.add((right, wrong))
                yield right, wrong, PEOPLE_WEIGHT if origin.startswith(PEOPLE) else LISTED_WEIGHT


def _read_rows(path: Path, faults: Faults, selection: SourceSelection | None) -> Iterator[tuple[int, list[str]]]:
    if selection is not None:
        return selection.read_rows(path, faults)
    return ((number, line.split("\t")) for number, line in read_lines(path, faults))


def _read_confusions(path: Path, faults: Faults) -> Iterator[tuple[str, str]]:
    """Pairs of right and wrong word. `a -> b`: a is written where b is right; `a; b`: both ways."""
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


def draw_sample(paths: list[Path], faults: Faults) -> list[str]:
    """Sentences from the head of each file, the same number of each."""
    share = SAMPLE // max(1, len(paths))
    sentences = [sentence for path in paths for sentence in islice(read_sentences(path, faults), 4 * share)]
    return random.Random(0).sample(sentences, min(SAMPLE, len(sentences)))

"""The English error table and training files from the sources of a source list alone.

What the usual table learns from learners' texts comes from three places here: corrections mined from git histories and
chats, the inflections of english_inflection.py, and the function words of english_function_errors.py.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from redraft.errors import InputError
from redraft.lab.data import english_table, english_words, filters
from redraft.lab.data.english_corpus import collect_forbidden, hold_out
from redraft.lab.data.english_function_errors import list_function_errors
from redraft.lab.data.english_pattern_pairs import draw_pairs
from redraft.lab.data.english_personal_sentences import choose_personal
from redraft.lab.data.english_sources import count_words, draw_sample, read_misspellings
from redraft.lab.data.english_style import has_no_style
from redraft.lab.data.filters import Overlap
from redraft.lab.data.gold import GoldSentence
from redraft.lab.data.pair import Pair
from redraft.lab.data.pair_sifter import PairSifter, respell
from redraft.lab.data.readers import Faults
from redraft.lab.data.source_record import SourceSelection
from redraft.lab.data.table import Family
from redraft.lab.data.text_output import write_lines
from redraft.lab.data.tokenization import tokenize
from redraft.text.dialects import are_variants

CORRECTIONS = ("git_typo_commits", "git_spell", "git_grammar_strict", "git_more_strict", "eracond.tok")
"""Pairs of which most are true corrections."""
LOOSE = ("git_grammar_loose", "git_punct_case", "git_more_loose")
"""Pairs of which about half are corrections; they need a filter before anything is trained on them."""
LEAST_KEPT = 0.6
"""Least share of unchanged words: other pairs are rewritten sentences."""
INFLECTIONS = "lemminflect"
"""Name, in a source list, of the package that english_inflection.py takes its forms from."""

FILES = ("pairs_mined.tsv.xz", "pairs_loose.tsv.xz", "heldout.txt", "clean/personal.txt.xz", "pairs_patterns.tsv.xz")
"""Files that `assemble` writes, compressed because they are sent to another machine with their records."""

SHARES: Mapping[Family, float] = {
    Family.SPELLING: 0.32, Family.PUNCTUATION: 0.12, Family.ARTICLE: 0.10, Family.PREPOSITION: 0.08,
    Family.VERB: 0.05, Family.VERB_FORM: 0.07, Family.NOUN_NUMBER: 0.06, Family.AGREEMENT: 0.06,
    Family.WORD_FORM: 0.03, Family.CHOICE: 0.03, Family.FUNCTION: 0.02, Family.PRONOUN: 0.02, Family.CASING: 0.02,
    Family.SPACING: 0.03, Family.ORDER: 0.02, Family.REPEAT: 0.01, Family.DROP: 0.005, Family.STRETCH: 0.01,
    Family.INSERTION: 0.06,
}  # fmt: skip
"""Shares of the families, set by hand and in round figures before they were compared with any text: most for spelling,
then for the five kinds of errors that textbooks for learners name first (article, preposition, number, verb form,
agreement)."""


class _Variants:
    """All pairs of American and British spellings of a word."""

    def __contains__(self, pair: object) -> bool:
        return isinstance(pair, tuple) and are_variants(*pair)


def gather(folder: Path, selection: SourceSelection, overlap: Overlap, faults: Faults) -> english_table.EnglishSources:
    """Sources of the error table from a folder with clean/, mined/ and lexicon/, without excluded sentences."""
    clean = _choose_clean(folder, selection)
    counts = count_words(clean, faults)
    selection.use(INFLECTIONS)
    return english_table.EnglishSources(
        counts=counts,
        gold=_read_gold(folder / "mined", english_table.rank(counts), selection, overlap, faults),
        misspellings=read_misspellings(folder / "lexicon", faults, selection),
        confusions=(),
        dialects=_Variants(),
        uncountable=english_words.UNCOUNTABLE,
        sample=draw_sample(clean, faults),
        written=list_function_errors(),
        shares=SHARES,
    )


def _choose_clean(folder: Path, selection: SourceSelection) -> list[Path]:
    for name in ("clean", "mined", "lexicon"):
        if not (folder / name).is_dir():
            raise InputError(f"{folder}: there is no {name}/ in it; the folder needs clean/, mined/ and lexicon/")
    clean = selection.choose(sorted((folder / "clean").iterdir()))
    if not clean:
        raise InputError(f"{folder / 'clean'}: the source list allows none of its files")
    return clean


def _find(folder: Path, names: Iterable[str], selection: SourceSelection) -> Iterator[tuple[str, Path]]:
    for name in names:
        yield from ((name, path) for path in selection.choose(sorted(folder.glob(f"{name}.tsv*"))))


def _read_gold(
    folder: Path, known: Mapping[str, int], selection: SourceSelection, overlap: Overlap, faults: Faults
) -> Iterator[GoldSentence]:
    sift = PairSifter(overlap)
    for name, path in _find(folder, CORRECTIONS, selection):
        for pair in sift(name, selection.read_pairs(path, faults), *_corrections_alone()):
            tokenized = name.endswith(".tok")
            source, target = (side if tokenized else tokenize(side) for side in (pair.source, pair.target))
            yield _drop_doubled(english_table.invert_pair(source, target, known))


def _corrections_alone() -> tuple[tuple[str, filters.Filter], ...]:
    return (
        ("unchanged", filters.is_changed),
        ("rewritten", filters.keeps_words(LEAST_KEPT)),
        ("house style", has_no_style),
    )


def _drop_doubled(sentence: GoldSentence) -> GoldSentence:
    """The sentence without edits that double a word: editors find many of those, and the noise makes its own."""
    tokens = sentence.tokens
    edits = tuple(
        edit
        for edit in sentence.edits
        if edit.start < edit.end or not {word.lower() for word in edit.wrong} & _neighbours(tokens, edit.start)
    )
    return GoldSentence(tokens, edits)


def _neighbours(tokens: tuple[str, ...], place: int) -> set[str]:
    return {token.lower() for token in tokens[max(0, place - 1) : place + 1]}


@dataclass(frozen=True, slots=True)
class OpenAssembly:
    """Numbers of pairs and sentences written, the files, and what the filters dropped of each source."""

    mined_pairs: int
    loose_pairs: int
    pattern_pairs: int
    personal: int
    held_out: int
    files: tuple[Path, ...]
    reports: dict[str, str]


def assemble(folder: Path, selection: SourceSelection, output: Path, faults: Faults, seed: int = 11) -> OpenAssembly:
    """Write the training files, `FILES`."""
    clean = _choose_clean(folder, selection)
    overlap = collect_forbidden(folder / "dev", faults)
    sift = PairSifter(overlap)
    mined: list[Pair] = []
    for name, path in _find(folder / "mined", CORRECTIONS, selection):
        kept = sift(name, selection.read_pairs(path, faults), *_corrections_alone())
        mined += kept
        mined += sift(f"{name} respelled", respell(kept, tokenized=not name.endswith(".tok")))
    loose: list[Pair] = []
    for name, path in _find(folder / "mined", LOOSE, selection):
        loose += sift(name, selection.read_pairs(path, faults), *_corrections_alone())
    held_out = hold_out(folder / "clean", overlap, faults)
    files = tuple(output / name for name in FILES)
    for path, pairs in zip(files, (mined, loose), strict=False):
        shuffled = random.Random(seed).sample(pairs, len(pairs))
        write_lines(path, (f"{pair.source}\t{pair.target}" for pair in shuffled))
    write_lines(files[2], held_out)
    personal = write_lines(files[3], choose_personal(clean, frozenset(held_out), faults))
    selection.use(INFLECTIONS)
    patterns = draw_pairs(clean, frozenset(held_out), overlap, faults)
    write_lines(files[4], patterns.lines())
    return OpenAssembly(
        mined_pairs=len(mined),
        loose_pairs=len(loose),
        pattern_pairs=len(patterns.rows),
        personal=personal,
        held_out=len(held_out),
        files=files,
        reports={**{name: chain.report() for name, chain in sift.chains.items()}, "patterns": patterns.report()},
    )

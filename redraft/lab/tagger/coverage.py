"""How many corrections a tag vocabulary can express, in one pass and in several.

    python -m redraft.lab.tagger.coverage tags.json DEV.m2 --sizes 1000 5000 10000

The tagger is given the right tags: those that lead to the annotators' text.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from redraft.edits.m2 import M2Edit, M2Sentence, read
from redraft.lab.evaluate.maxmatch import score
from redraft.lab.tagger.tags import after_passes
from redraft.lab.tagger.vocabulary import TagVocabulary
from redraft.lab.train.module_command import run_command


@dataclass(frozen=True, slots=True)
class Coverage:
    tags: int
    passes: int
    edits: float
    """Share of the edits that are expressed: recall by MaxMatch of the text that the tags give."""
    sentences: float
    """Share of the wrong sentences that become the annotators' text."""


def measure(sentences: Sequence[M2Sentence], vocabulary: TagVocabulary, passes: int) -> Coverage:
    """Coverage of the first annotator's corrections."""
    first = [only_first(sentence) for sentence in sentences]
    pairs = [(" ".join(sentence.tokens), " ".join(sentence.corrected())) for sentence in first]
    outputs = [after_passes(source, target, vocabulary.forms, vocabulary.choose, passes) for source, target in pairs]
    wrong = [(target, output) for (source, target), output in zip(pairs, outputs, strict=True) if source != target]
    right = sum(target == output for target, output in wrong)
    return Coverage(len(vocabulary.tags), passes, score(outputs, first).recall, right / max(1, len(wrong)))


@dataclass(frozen=True, slots=True)
class KindCoverage:
    """Edits of one kind, and those of them that are not expressed."""

    kind: str
    edits: int
    left: int


def measure_kinds(sentences: Iterable[M2Sentence], vocabulary: TagVocabulary, passes: int) -> list[KindCoverage]:
    """Coverage by kind of edit, the kind with most edits left first. Each edit is made alone."""
    edits, left = Counter[str](), Counter[str]()
    for sentence in map(only_first, sentences):
        source = " ".join(sentence.tokens)
        for edit in sentence.edits:
            target = " ".join(M2Sentence(sentence.tokens, (edit,)).corrected())
            if source == target:  # some annotators mark a word without a correction
                continue
            edits[edit.kind] += 1
            left[edit.kind] += after_passes(source, target, vocabulary.forms, vocabulary.choose, passes) != target
    return [KindCoverage(kind, edits[kind], count) for kind, count in left.most_common()]


def only_first(sentence: M2Sentence) -> M2Sentence:
    """The sentence with the edits of its first annotator, without those that overlap an earlier one."""
    edits: list[M2Edit] = []
    for edit in sorted(sentence.annotations.get(0, ()), key=lambda edit: (edit.start, edit.end)):
        if not edits or edit.start >= edits[-1].end:
            edits.append(edit)
    return M2Sentence(sentence.tokens, tuple(edits))


def write_table(rows: Iterable[Coverage]) -> str:
    lines = ["| tags | passes | edits | sentences |", "|---|---|---|---|"]
    lines += [f"| {row.tags:,} | {row.passes} | {row.edits:.1%} | {row.sentences:.1%} |" for row in rows]
    return "\n".join(lines) + "\n"


def write_kinds(rows: Sequence[KindCoverage]) -> str:
    total = KindCoverage("all", sum(row.edits for row in rows), sum(row.left for row in rows))
    lines = ["| kind | edits | left |", "|---|---|---|"]
    lines += [f"| {row.kind} | {row.edits:,} | {row.left:,} |" for row in (total, *rows)]
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m redraft.lab.tagger.coverage", description="Measure how many corrections tags can express."
    )
    parser.add_argument("tags", type=Path, help="tag vocabulary, a JSON file")
    parser.add_argument("m2", type=Path, help="M2 file with corrections")
    parser.add_argument("--sizes", type=int, nargs="+", help="numbers of most frequent tags; default all")
    parser.add_argument("--passes", type=int, nargs="+", default=[1, 3], help="most passes; default 1 3")
    parser.add_argument("--kinds", action="store_true", help="print the kinds of the edits that are left instead")
    options = parser.parse_args(arguments)

    def run() -> int:
        vocabulary, sentences = TagVocabulary.read(options.tags), list(read(options.m2))
        sizes = options.sizes or [len(vocabulary.tags)]
        if options.kinds:
            chosen = vocabulary.first(max(sizes))
            sys.stdout.write(write_kinds(measure_kinds(sentences, chosen, max(options.passes))))
            return 0
        rows = (measure(sentences, vocabulary.first(size), passes) for size in sizes for passes in options.passes)
        sys.stdout.write(write_table(rows))
        return 0

    return run_command(run)


if __name__ == "__main__":
    sys.exit(main())

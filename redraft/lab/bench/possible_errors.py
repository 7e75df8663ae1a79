"""Possible errors beside gold edits: how often an annotator has changed the same place, and to the same text.

`python -m redraft.lab.bench.possible_errors --m2 FILE … --correct FILE`
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from redraft.check.document import Finding
from redraft.check.loading import load
from redraft.check.options import CheckOptions
from redraft.check.session import CheckSession
from redraft.edits.edit import Edit
from redraft.edits.m2 import M2Sentence
from redraft.errors import InputError
from redraft.lab.bench.machine import describe
from redraft.lab.bench.text_report import print_report
from redraft.lab.data.readers import Faults, read_m2, read_sentences
from redraft.lab.train.module_command import run_command
from redraft.text.span import Span


class GoldPlaces:
    """Where the annotators of a tokenized sentence have changed it, and to what."""

    def __init__(self, sentence: M2Sentence) -> None:
        self.text = " ".join(sentence.tokens)
        starts = [0]
        for token in sentence.tokens:
            starts.append(starts[-1] + len(token) + 1)
        self.words = [Span(start, start + len(token)) for start, token in zip(starts, sentence.tokens, strict=False)]
        self.changes = [
            (Span(starts[edit.start], max(starts[edit.start], starts[edit.end] - 1)), edit.corrections[0].strip())
            for edits in sentence.annotations.values()
            for edit in edits
        ]

    def corrections_at(self, span: Span) -> list[str]:
        """What annotators have written at a place, or at the space beside it."""
        wider = Span(max(0, span.start - 1), span.end + 1)
        return [correction for place, correction in self.changes if place.touches(wider)]


def measure_gold(session: CheckSession, sentences: Sequence[M2Sentence]) -> dict[str, Any]:
    """Figures of possible errors and, beside them, of the edits that are made and of all words."""
    possible: list[tuple[Finding, list[str]]] = []
    made: list[list[str]] = []
    words: list[list[str]] = []
    doubted = 0
    for sentence in sentences:
        gold = GoldPlaces(sentence)
        findings = session.check(gold.text).findings
        doubtful = [finding for finding in findings if not finding.edit.certain]
        doubted += bool(doubtful)
        possible += [(finding, gold.corrections_at(finding.edit.span)) for finding in doubtful]
        made += [gold.corrections_at(finding.edit.span) for finding in findings if finding.edit.certain]
        words += [gold.corrections_at(span) for span in gold.words if span.of(gold.text).isalpha()]
    first = [_replacements(finding)[0] in corrections for finding, corrections in possible]
    any_of = [not set(_replacements(finding)).isdisjoint(corrections) for finding, corrections in possible]
    return {
        "sentences": len(sentences),
        "possible_errors": len(possible),
        "sentences_with_some": _percent(doubted, len(sentences)),
        "at_a_gold_edit": _percent(sum(bool(corrections) for _, corrections in possible), len(possible)),
        "first_replacement_right": _percent(sum(first), len(possible)),
        "any_replacement_right": _percent(sum(any_of), len(possible)),
        "edits_made_at_a_gold_edit": _percent(sum(map(bool, made)), len(made)),
        "words_at_a_gold_edit": _percent(sum(map(bool, words)), len(words)),
    }


def measure_correct(session: CheckSession, sentences: Sequence[str]) -> dict[str, Any]:
    """The possible errors in correct sentences."""
    found: list[tuple[str, Edit]] = []
    doubted = 0
    for sentence in sentences:
        edits = [finding.edit for finding in session.check(sentence).findings if not finding.edit.certain]
        doubted += bool(edits)
        found += [(sentence, edit) for edit in edits]
    return {
        "sentences": len(sentences),
        "possible_errors": len(found),
        "sentences_with_some": _percent(doubted, len(sentences)),
    }


def _replacements(finding: Finding) -> list[str]:
    return [one.replacement.strip() for one in finding.alternatives] or [finding.edit.replacement.strip()]


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "none"


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    if not (arguments.m2 or arguments.correct):
        raise InputError("nothing to measure on: give M2 files with --m2, or correct sentences with --correct")
    corrector = load(arguments.model, threads=arguments.threads)
    session = CheckSession(corrector, CheckOptions(alternatives=True, possible_errors=True))
    report: dict[str, Any] = {"machine": describe("python -m redraft.lab.bench.possible_errors")}
    for path in arguments.m2:
        sentences = [sentence for sentence in read_m2(path, Faults()) if sentence.tokens]
        report[path.name.removesuffix(".m2")] = measure_gold(session, sentences[:: arguments.every])
    for path in arguments.correct:
        report[path.name] = measure_correct(session, list(read_sentences(path, Faults()))[:: arguments.every])
    return report


def main(arguments: Sequence[str] | None = None) -> int:
    return run_command(lambda: _run(_parser().parse_args(arguments)))


def _run(arguments: argparse.Namespace) -> int:
    print_report(measure(arguments), arguments.json)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m redraft.lab.bench.possible_errors", description="Compare possible errors with gold edits."
    )
    parser.add_argument("--model", default="en", help="installed model or model folder (default: en)")
    parser.add_argument("--m2", type=Path, nargs="*", default=[], help="M2 files")
    parser.add_argument("--correct", type=Path, nargs="*", default=[], help="files of correct sentences, one a line")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="use every Nth sentence (default: 1)")
    parser.add_argument("--threads", type=int, default=0, help="threads; default one for each usable core")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())

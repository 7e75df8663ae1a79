"""Scores Redraft's own edits against gold edits by span-based correction: same tokens, same correction.

Counting is as in ERRANT, but the extraction of edits is Redraft's, so the figures are close to ERRANT's, not equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from redraft.edits.align import Change, align
from redraft.edits.classify import classify
from redraft.edits.m2 import M2Edit, M2Sentence
from redraft.errors import ConfigError
from redraft.lab.evaluate.score import Counts, Report, SentenceScore, TokenEdit, check_lengths
from redraft.text.span import Span

VERSION = "2"
DETECTED_ONLY = "UNK"  # kind of an error for which the annotator gave no correction


@dataclass(frozen=True, slots=True)
class Options:
    beta: float = 0.5

    def __post_init__(self) -> None:
        if self.beta <= 0:
            raise ConfigError("beta must be above 0; below 1 it favours precision")


def score(
    hypotheses: Sequence[str],
    gold: Sequence[M2Sentence],
    options: Options | None = None,
    *,
    advance: Callable[[], None] = lambda: None,
) -> Report:
    """Scores one tokenized line for each gold sentence; `advance` is called after each."""
    check_lengths(hypotheses, "hypotheses", gold, "the gold")
    proposals = (extract(sentence.tokens, line.split()) for line, sentence in zip(hypotheses, gold, strict=True))
    return count(proposals, gold, options, advance=advance)


def extract(source: Sequence[str], target: Sequence[str]) -> tuple[TokenEdit, ...]:
    """Redraft's edits between two token sequences."""
    before, after = " ".join(source), " ".join(target)
    edits = []
    for change in _whole_tokens(before, after, align(before, after)):
        start = len(before[: change.source.start].split())
        old, new = change.source.of(before).split(), change.target.of(after).split()
        if old != new:
            kind = classify(before, after, change)
            edits.append(TokenEdit(start, start + len(old), " ".join(old), " ".join(new), str(kind)))
    return tuple(edits)


def count(
    proposals: Iterable[Sequence[TokenEdit]],
    gold: Iterable[M2Sentence],
    options: Options | None = None,
    *,
    advance: Callable[[], None] = lambda: None,
) -> Report:
    """Counts edits against the annotator that gives the highest F over all sentences so far, as ERRANT does."""
    candidates = (
        [_match(annotator, proposed, edits) for annotator, edits in sentence.annotations.items()]
        for proposed, sentence in zip(proposals, gold, strict=True)
    )
    return Report.choose(candidates, rank, (options or Options()).beta, advance)


def rank(running: Counts, counts: Counts, beta: float) -> tuple[float, int, int, int]:
    # ERRANT compares F rounded to four places.
    f = round((running + counts).f(beta), 4)
    return f, counts.correct, counts.correct - counts.proposed, counts.correct - counts.gold


def _match(annotator: int, proposed: Sequence[TokenEdit], edits: Iterable[M2Edit]) -> SentenceScore:
    gold = tuple(edit for edit in edits if edit.kind != DETECTED_ONLY)
    offered = {(edit.start, edit.end, edit.replacement) for edit in proposed}
    wanted = {(edit.start, edit.end, correction) for edit in gold for correction in edit.corrections}
    found = tuple(
        any((edit.start, edit.end, correction) in offered for correction in edit.corrections) for edit in gold
    )
    right = tuple((edit.start, edit.end, edit.replacement) in wanted for edit in proposed)
    correct = sum(found)
    counts = Counts(correct, correct + right.count(False), len(gold))
    return SentenceScore(annotator, counts, tuple(proposed), right, gold, found)


def _whole_tokens(before: str, after: str, changes: Iterable[Change]) -> list[Change]:
    """The changes widened to whole tokens on both sides; those that share a token are merged."""
    widened: list[Change] = []
    for change in changes:
        start, target_start = change.source.start, change.target.start
        end, target_end = change.source.end, change.target.end
        while _splits_token(before, start) or _splits_token(after, target_start):
            start, target_start = start - 1, target_start - 1
        while _splits_token(before, end) or _splits_token(after, target_end):
            end, target_end = end + 1, target_end + 1
        if widened and (start < widened[-1].source.end or target_start < widened[-1].target.end):
            start, target_start = widened[-1].source.start, widened[-1].target.start
            widened.pop()
        widened.append(Change(Span(start, end), Span(target_start, target_end)))
    return widened


def _splits_token(text: str, position: int) -> bool:
    return 0 < position < len(text) and not text[position - 1].isspace() and not text[position].isspace()

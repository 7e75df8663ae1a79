"""Scores edits of characters against reference corrections, as ChERRANT does for Chinese.

A reference is a whole corrected sentence. Source and correction are aligned character by character, neighbouring steps
are merged into edits, and an edit is right if a reference has the same characters replaced by the same. Where several
alignments are equally cheap, the edits of all of them count, each as often as it occurs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

from redraft.edits.common_prefix import common_prefix_length
from redraft.edits.m2 import M2Edit, M2Sentence, read_lines
from redraft.errors import InputError
from redraft.lab.evaluate.character_alignment import (
    DELETE,
    INSERT,
    MATCH,
    SUBSTITUTE,
    TRANSPOSE,
    Alignment,
    Step,
    align,
)
from redraft.lab.evaluate.character_similarity import PUNCTUATION, CharacterSimilarity
from redraft.lab.evaluate.score import Counts, Report, SentenceScore, TokenEdit, check_lengths
from redraft.lab.evaluate.spans import Options, rank

VERSION = "1"
CORRECT = "没有错误"  # as a reference: the sentence has no error
UNINTELLIGIBLE = "无法标注"  # as a reference: the sentence cannot be understood, so it is not scored
MISSING_PART = "[缺失成分]"  # in a reference: a missing part that only the writer knows; one token
KINDS = {TRANSPOSE: "word order", SUBSTITUTE: "substitution", INSERT: "missing", DELETE: "redundant"}


@dataclass(frozen=True, slots=True)
class Item:
    """A source sentence and its reference corrections."""

    source: str
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Extractor:
    """Edits between two sentences; `simplify` is applied to corrections, not to sources, as ChERRANT does."""

    similarity: CharacterSimilarity = field(default_factory=CharacterSimilarity)
    simplify: Callable[[str], str] = str

    def extract(self, source: str, target: str) -> tuple[TokenEdit, ...]:
        """The edits of every cheapest alignment, one alignment after the other, the same edits only once."""
        old, new = tokenize(source), tokenize(self.simplify("".join(target.split())))
        if old == new or "".join(new) == CORRECT:
            return ()
        distinct = dict.fromkeys(_merge(alignment, old, new) for alignment in align(old, new, self.similarity))
        return tuple(_describe(step, old, new) for steps in distinct for step in steps)


def score(
    hypotheses: Sequence[str],
    gold: Sequence[Item],
    extractor: Extractor,
    options: Options | None = None,
    *,
    advance: Callable[[], None] = lambda: None,
) -> Report:
    """Scores one corrected sentence for each item, against the reference that gives the highest F so far."""
    check_lengths(hypotheses, "hypotheses", gold, "the references")
    candidates = (_score_item(hypothesis, item, extractor) for hypothesis, item in zip(hypotheses, gold, strict=True))
    return Report.choose(candidates, rank, (options or Options()).beta, advance)


def tokenize(sentence: str) -> tuple[str, ...]:
    """Characters without white space; the mark of a missing part is one token."""
    tokens: list[str] = []
    for number, part in enumerate("".join(sentence.split()).split(MISSING_PART)):
        tokens += [MISSING_PART] * bool(number)
        tokens += part
    return tuple(tokens)


def by_character(sentence: M2Sentence) -> M2Sentence:
    """Gold edits with one token a character, from gold edits in words or characters."""
    starts = [0]
    for token in sentence.tokens:
        starts.append(starts[-1] + len(token))
    edits = (
        replace(
            edit,
            start=edit.start if edit.is_noop else starts[edit.start],
            end=edit.end if edit.is_noop else starts[edit.end],
            corrections=tuple(spell_out(correction) for correction in edit.corrections),
        )
        for edit in sentence.edits
    )
    return M2Sentence(tuple("".join(sentence.tokens)), tuple(edits))


def spell_out(text: str) -> str:
    """The characters separated by spaces, as scorers of tokens take them."""
    return " ".join("".join(text.split()))


def read_references(path: Path) -> list[Item]:
    """Lines of a source and its references, separated by tabs, with or without a leading number."""
    rows = [line.split("\t") for line in read_lines(path)]
    if not rows:
        raise InputError(f"{path}: the file is empty; each line must have a source and its references")
    numbered = all(row[0].strip().isdecimal() for row in rows)
    items = []
    for line, row in enumerate(rows, start=1):
        source, *references = row[1:] if numbered else row
        if not references:
            raise InputError(f"{path}:{line}: no reference; write the source, a tab, and a correction")
        items.append(Item(source.strip(), tuple(reference.strip() for reference in references)))
    return items


def read_hypotheses(path: Path) -> list[str]:
    """One correction a line; of lines with tabs (number, source, correction), the last column."""
    return [line.split("\t")[-1].strip() for line in read_lines(path)]


def _score_item(hypothesis: str, item: Item, extractor: Extractor) -> list[SentenceScore]:
    """The sentence against each of its references."""
    if item.references == (UNINTELLIGIBLE,):
        return [SentenceScore(0, Counts(), (), (), (), ())]
    proposed = extractor.extract(item.source, hypothesis)
    return [
        _match(number, proposed, extractor.extract(item.source, reference))
        for number, reference in enumerate(item.references)
    ]


def _match(annotator: int, proposed: Sequence[TokenEdit], wanted: Sequence[TokenEdit]) -> SentenceScore:
    offered, gold = Counter(map(_key, proposed)), Counter(map(_key, wanted))
    right = tuple(_key(edit) in gold for edit in proposed)
    found = tuple(_key(edit) in offered for edit in wanted)
    # An edit shared by several alignments counts as often as it is in the reference.
    correct = sum(found)
    counts = Counts(correct, correct + right.count(False), len(wanted))
    edits = tuple(M2Edit(edit.start, edit.end, edit.kind, (edit.replacement,), annotator=annotator) for edit in wanted)
    return SentenceScore(annotator, counts, tuple(proposed), right, edits, found)


def _key(edit: TokenEdit) -> tuple[int, int, str]:
    return edit.start, edit.end, edit.replacement


def _describe(step: Step, old: Sequence[str], new: Sequence[str]) -> TokenEdit:
    source, target = old[step.start : step.end], new[step.target_start : step.target_end]
    return TokenEdit(step.start, step.end, "".join(source), "".join(target), KINDS[step.operation])


def _merge(alignment: Alignment, old: Sequence[str], new: Sequence[str]) -> tuple[Step, ...]:
    """The edits of an alignment: adjacent steps and moved characters are merged, equal ends are trimmed."""
    runs = [
        step
        for operation, group in groupby(alignment, key=_group)
        for step in (list(group) if operation == TRANSPOSE else _join_run(list(group)))
    ]
    edits = (step for step in _join_moves(runs, old, new) if step.operation != MATCH)
    trimmed = (_trim(step, old, new) if step.operation == SUBSTITUTE else step for step in edits)
    return tuple(step for step in trimmed if old[step.start : step.end] != new[step.target_start : step.target_end])


def _group(step: Step) -> str:
    return step.operation if step.operation in (MATCH, TRANSPOSE) else ""


def _join_run(run: list[Step]) -> list[Step]:
    """Merges a run into one step, unless it has only insertions and deletions."""
    operations = {step.operation for step in run}
    if operations == {INSERT, DELETE}:
        return run
    return [_join(run, operations.pop() if len(operations) == 1 else SUBSTITUTE)]


def _join(steps: Sequence[Step], operation: str) -> Step:
    first, last = steps[0], steps[-1]
    return Step(operation, first.start, last.end, first.target_start, last.target_end)


def _join_moves(runs: Sequence[Step], old: Sequence[str], new: Sequence[str]) -> list[Step]:
    """Merges a deletion and an insertion of the same text on two sides of something kept into one transposition."""
    steps: list[Step] = []
    position = 0
    while position < len(runs):
        three = runs[position : position + 3]
        if len(three) == 3 and _is_move(three, old, new):
            steps.append(_join(three, TRANSPOSE))
            position += 3
        else:
            steps.append(runs[position])
            position += 1
    return steps


def _is_move(three: Sequence[Step], old: Sequence[str], new: Sequence[str]) -> bool:
    first, kept, last = three

    def before(step: Step) -> str:
        return "".join(old[step.start : step.end])

    def after(step: Step) -> str:
        return "".join(new[step.target_start : step.target_end])

    ends = first.operation + last.operation
    if ends == SUBSTITUTE * 2 and kept.operation == MATCH:
        return _exchanged(before(first), after(last), before(last), after(first))
    if kept.operation not in (MATCH, TRANSPOSE):
        return False
    if ends == DELETE + INSERT:
        return _moved(before(first), after(last))
    return ends == INSERT + DELETE and _moved(before(last), after(first))


def _exchanged(left: str, new_right: str, right: str, new_left: str) -> bool:
    if min(map(len, (left, new_right, right, new_left))) == 1:
        return left == new_right and right == new_left
    return _is_near(left, new_right) and _is_near(right, new_left)


def _moved(gone: str, come: str) -> bool:
    short, long = sorted((gone, come), key=len)
    if {short, long} & PUNCTUATION or len(long) - len(short) > 1:
        return False
    if len(short) == 1:
        return short == long
    turned = len(short) == len(long) and short in long + long
    return turned or _is_near(short, long)


def _is_near(one: str, other: str) -> bool:
    """Whether the two differ by at most one inserted, deleted or substituted character."""
    short, long = sorted((one, other), key=len)
    head = common_prefix_length(short, long)
    return len(long) - len(short) <= 1 and long[head + 1 :] == short[head + (len(short) == len(long)) :]


def _trim(step: Step, old: Sequence[str], new: Sequence[str]) -> Step:
    source, target = old[step.start : step.end], new[step.target_start : step.target_end]
    head = common_prefix_length(source, target)
    tail = common_prefix_length(source[head:][::-1], target[::-1])
    if tail > len(target) - head:  # the two ends would overlap; ChERRANT then keeps the second
        tail = 0
    if len(source) == head + tail:
        operation = INSERT
    elif len(target) == head + tail:
        operation = DELETE
    else:
        operation = SUBSTITUTE
    return Step(operation, step.start + head, step.end - tail, step.target_start + head, step.target_end - tail)

"""Finds the changes that turn one text into another, in whole words.

Words are compared first. Blocks that a reader sees as one change are then merged, and the white space between words is
assigned to the changes, so that applying all of them gives exactly the target.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from redraft.edits.blocks import Block, differences, is_word
from redraft.edits.inflection import shifts
from redraft.edits.lexicon import ARTICLES, AUXILIARIES, CONJUNCTIONS, PREPOSITIONS
from redraft.edits.subsequence import subsequence_ratio
from redraft.text.patterns import HAN_AND_KANA
from redraft.text.span import Span
from redraft.text.words import words


@dataclass(frozen=True, slots=True)
class Change:
    """Replace the source text at `source` by the target text at `target`; either span may be empty."""

    source: Span
    target: Span


def align(source: str, target: str) -> list[Change]:
    """The changes in order. Applying all of them to `source` gives exactly `target`."""
    if source == target:
        return []
    head = _common_head(source, target)
    tail = _common_tail(source[head:], target[head:])
    source_words = [span.shift(head) for span in words(source[head : len(source) - tail])]
    target_words = [span.shift(head) for span in words(target[head : len(target) - tail])]
    old, new = [span.of(source) for span in source_words], [span.of(target) for span in target_words]
    blocks = _merge(_merge_moves(_merge_characters(differences(old, new)), old, new))
    source_row = _Row(source, source_words, head, len(source) - tail)
    target_row = _Row(target, target_words, head, len(target) - tail)
    raw = _tile(blocks, source_row, target_row)
    return [_trim(change, source, target) for change in _join_spacing(raw, source, target)]


def _common_head(source: str, target: str) -> int:
    """Length of the common prefix, cut after its last white space so that no word is split."""
    head = source[: _common_length(source, target)]
    if head[-1:].isspace():
        return len(head)
    return len(head) - len(head.rsplit(maxsplit=1)[-1]) if head else 0


def _common_length(source: str, target: str) -> int:
    """Length of the common prefix, by bisection: strings are compared much faster than their characters one by one."""
    low, high = 0, min(len(source), len(target))
    while low < high:
        middle = (low + high + 1) // 2
        if source[low:middle] == target[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_tail(source: str, target: str) -> int:
    """Length of the common suffix, cut before its first white space."""
    return _common_head(source[::-1], target[::-1])


def _merge(blocks: list[Block]) -> list[Block]:
    """Joins neighbouring blocks that a reader sees as one change."""
    blocks = _merge_respaced(blocks)
    merged = blocks[:1]
    substituted = bool(blocks) and blocks[0].is_substitution
    for index in range(1, len(blocks)):
        block = blocks[index]
        joins = blocks[index - 1].touches(block) and _belong(blocks[index - 1], block)
        if joins and substituted:
            # Two substitutions stay two changes, and an auxiliary is joined with the verb after it.
            following = blocks[index + 1] if index + 1 < len(blocks) else None
            taken = following and block.touches(following) and _inflects(block, following)
            joins = not taken and (not block.is_substitution or block.changes_case_only)
        if joins:
            merged[-1] = merged[-1].join(block)
        else:
            merged.append(block)
        substituted = block.is_substitution or (joins and substituted)
    return merged


_CHARACTER = re.compile(rf"[{HAN_AND_KANA}]")


def _merge_characters(blocks: list[Block]) -> list[Block]:
    """Joins adjacent blocks of Chinese or Japanese characters, whose words have no spaces between them."""
    merged: list[Block] = []
    for block in blocks:
        if merged and merged[-1].touches(block) and _is_unspaced(merged[-1]) and _is_unspaced(block):
            merged[-1] = merged[-1].join(block)
        else:
            merged.append(block)
    return merged


_LONGEST_MOVE = 6
"""In characters."""


def _merge_moves(blocks: list[Block], old: list[str], new: list[str]) -> list[Block]:
    """Joins a deletion and an insertion of the same characters nearby, with the characters between them."""
    merged: list[Block] = []
    for block in blocks:
        if merged and _is_move(merged[-1], block):
            first = merged[-1]
            whole_old = tuple(old[first.source_start : block.source_end])
            whole_new = tuple(new[first.target_start : block.target_end])
            merged[-1] = Block(first.source_start, whole_old, first.target_start, whole_new)
        else:
            merged.append(block)
    return merged


def _is_move(first: Block, second: Block) -> bool:
    near = second.source_start - first.source_end <= _LONGEST_MOVE
    return near and _is_unspaced(first) and first.old == second.new and first.new == second.old


def _is_unspaced(block: Block) -> bool:
    return all(_CHARACTER.match(token) for token in block.old + block.new)


_LONGEST_RESPACED = 6
_JOINING_MARKS = frozenset("-‐‑–'’")


def _merge_respaced(blocks: list[Block]) -> list[Block]:
    """Joins runs that differ only in spaces, hyphens and apostrophes: "now a days" and "nowadays"."""
    merged: list[Block] = []
    index = 0
    while index < len(blocks):
        run = best = blocks[index]
        best_index = index
        for further in range(index + 1, min(index + _LONGEST_RESPACED, len(blocks))):
            if not run.touches(blocks[further]):
                break
            run = run.join(blocks[further])
            if _is_respaced(run):
                best, best_index = run, further
        merged.append(best)
        index = best_index + 1
    return merged


def _is_respaced(block: Block) -> bool:
    return (
        len(block.old) != len(block.new)
        and _squeeze(block.old) == _squeeze(block.new)
        and all(is_word(token) or token in _JOINING_MARKS for token in block.old + block.new)
    )


def _squeeze(tokens: tuple[str, ...]) -> str:
    """Letters and digits in lower case, so that "every day", "every-day" and "everyday" are equal."""
    return "".join(character for token in tokens for character in token.lower() if character.isalnum())


_RESPELLED = 0.8
"""Words this similar are one word, spelled or formed differently."""


def _belong(first: Block, second: Block) -> bool:
    """Whether two adjacent blocks are one change: "to go" for "going", ". We" for ", we", "a few" for "few"."""
    if second.changes_case_only:
        tokens = first.old + first.new
        opens_sentence = any(token[-1] in ".!?" for token in tokens)
        return opens_sentence or (not first.is_substitution and all(map(is_word, tokens)))
    if not first.is_substitution:
        return _belongs_to(first, second)
    return not second.is_substitution and _belongs_to(second, first)


def _belongs_to(addition: Block, other: Block) -> bool:
    """Whether an insertion or deletion is one change with its neighbour."""
    if not other.is_substitution:
        return bool(addition.old) == bool(other.old) or _replaces_conjunction(addition, other)
    added = [word.lower() for word in addition.old + addition.new]
    if not all(map(is_word, added)) or not is_word(other.old[0]) or any(word in ARTICLES for word in added):
        return False
    old, new = other.old[0].lower(), other.new[0].lower()
    if shifts(old, new):
        return not any(word in PREPOSITIONS and word != "to" for word in added)
    # A word that is spelled differently is one change, and the word added beside it another.
    return not other.changes_case_only and subsequence_ratio(old, new) < _RESPELLED


def _replaces_conjunction(first: Block, second: Block) -> bool:
    """Whether a comma or the like takes the place of "and" or "but", or the other way round."""
    conjunctions, marks = sorted(
        (first.old + first.new, second.old + second.new), key=lambda tokens: not is_word(tokens[0])
    )
    return len(conjunctions) == len(marks) == 1 and conjunctions[0].lower() in CONJUNCTIONS and not is_word(marks[0])


def _inflects(addition: Block, other: Block) -> bool:
    """Whether an auxiliary or "to" is added or removed together with a change of the verb after it."""
    return (
        not addition.is_substitution
        and other.is_substitution
        and all(word.lower() in AUXILIARIES or word.lower() == "to" for word in addition.old + addition.new)
        and bool(shifts(other.old[0].lower(), other.new[0].lower()))
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """The words of one text between two offsets."""

    text: str
    words: list[Span]
    start: int
    end: int

    def part(self, first: int, end: int) -> str:
        """The words from `first` to `end`, each with the white space before it."""
        return self.text[self.after(first) : self.after(end)]

    def after(self, count: int) -> int:
        """Offset of the end of the first `count` words."""
        return self.words[count - 1].end if count else self.start


def _tile(blocks: list[Block], source: _Row, target: _Row) -> Iterator[Change]:
    """Changes that cover all that differs.

    A block includes the white space before it. Between equal words the white space is a change of its own; where all of
    it is the same, it is left out.
    """
    i = j = 0
    for block in [*blocks, Block(len(source.words), (), len(target.words), ())]:
        if source.part(i, block.source_start) != target.part(j, block.target_start):
            for k, m in zip(range(i, block.source_start), range(j, block.target_start), strict=True):
                yield Change(Span(source.after(k), source.words[k].start), Span(target.after(m), target.words[m].start))
        i, j = block.source_start, block.target_start
        i_end, j_end = block.source_end, block.target_end
        yield Change(Span(source.after(i), source.after(i_end)), Span(target.after(j), target.after(j_end)))
        i, j = i_end, j_end
    yield Change(Span(source.after(i), source.end), Span(target.after(j), target.end))


def _join_spacing(changes: Iterator[Change], source: str, target: str) -> list[Change]:
    """Drops changes of equal text, and joins a change of white space with the change next to it."""
    joined: list[Change] = []
    for change in changes:
        if change.source.of(source) == change.target.of(target):
            continue
        last = joined[-1] if joined else None
        if not last or last.source.end != change.source.start or last.target.end != change.target.start:
            joined.append(change)
        elif _is_blank(last, source, target) or _is_blank(change, source, target):
            joined[-1] = Change(Span(last.source.start, change.source.end), Span(last.target.start, change.target.end))
        else:
            joined[-1:] = _move_spacing(last, change, source, target)
    return joined


def _move_spacing(first: Change, second: Change, source: str, target: str) -> list[Change]:
    """Two adjacent changes; white space that differs before the second, a substitution, is moved into the first."""
    before, after = second.source.of(source), second.target.of(target)
    gap, new_gap = len(before) - len(before.lstrip()), len(after) - len(after.lstrip())
    if before[:gap] == after[:new_gap] or not before[gap:] or not after[new_gap:]:
        return [first, second]
    cut, new_cut = second.source.start + gap, second.target.start + new_gap
    return [
        Change(Span(first.source.start, cut), Span(first.target.start, new_cut)),
        Change(Span(cut, second.source.end), Span(new_cut, second.target.end)),
    ]


def _is_blank(change: Change, source: str, target: str) -> bool:
    return not (change.source.of(source).strip() or change.target.of(target).strip())


def _trim(change: Change, source: str, target: str) -> Change:
    """The change without the white space that both sides begin or end with."""
    start, end, new_start, new_end = change.source.start, change.source.end, change.target.start, change.target.end
    while start < end and new_start < new_end and source[start].isspace() and source[start] == target[new_start]:
        start, new_start = start + 1, new_start + 1
    while start < end and new_start < new_end and source[end - 1].isspace() and source[end - 1] == target[new_end - 1]:
        end, new_end = end - 1, new_end - 1
    return Change(Span(start, end), Span(new_start, new_end))

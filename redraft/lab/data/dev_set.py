"""Makes a dev set from the last pairs of a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from redraft.edits.m2 import NOOP, M2Edit, M2Sentence, write
from redraft.lab.data.filters import Overlap
from redraft.lab.data.pair import Pair
from redraft.lab.data.text_output import write_lines


@dataclass(frozen=True, slots=True)
class Parts:
    training: list[Pair]
    dev: list[Pair]


def hold_out(pairs: Sequence[Pair], count: int) -> Parts:
    """Split off the last `count` pairs, mostly by other writers than the first; drop pairs that share a sentence."""
    dev = list(pairs[len(pairs) - min(count, len(pairs) // 2) :])
    overlap = Overlap(side for pair in dev for side in (pair.source, pair.target))
    passes = overlap.excludes(near=False)
    return Parts([pair for pair in pairs[: len(pairs) - len(dev)] if passes(pair)], dev)


def write_gold(path: Path, pairs: Iterable[Pair]) -> None:
    """Write an M2 file whose tokens are the parts between spaces."""
    write_lines(path, (line.rstrip("\n") for line in write(map(find_edits, pairs))))


def find_edits(pair: Pair) -> M2Sentence:
    old, new = pair.source.split(), pair.target.split()
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    edits = [
        M2Edit(start, end, tag, (" ".join(new[first:last]),))
        for tag, start, end, first, last in matcher.get_opcodes()
        if tag != "equal"
    ]
    return M2Sentence(tuple(old), tuple(edits) or (M2Edit(-1, -1, NOOP, ("",)),))

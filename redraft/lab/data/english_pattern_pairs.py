"""Draws pairs from clean text with the error patterns of english_patterns.py, evenly over patterns and files."""

from __future__ import annotations

import heapq
import os
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from redraft.lab.data import filters
from redraft.lab.data.english_patterns import load_index, load_patterns, write_error
from redraft.lab.data.english_personal_sentences import is_personal
from redraft.lab.data.filters import Overlap
from redraft.lab.data.pair import Pair
from redraft.lab.data.readers import Faults, read_sentences
from redraft.lab.data.tokenization import tokenize
from redraft.process_pool import open_pool

TOKENIZED = 0.3
"""Share of pairs in the tokenized spelling."""
FILE_DIVISOR = 5
"""The limit of a pattern, divided by this, is the most that a file gives of personal sentences, and of others."""
LONGEST = 40
"""Most words of a sentence; learners seldom write longer ones."""
PERSONAL_SHARE = 0.7
"""Share of the pairs of a pattern whose sentence is personal, where there are enough."""
SEARCHED = 0.5
"""Share of the other sentences that is searched, to save time."""
_WHOLE = re.compile(r"^[A-Z“\"'‘].*[.!?…][\"'”’)]*$")


@dataclass(frozen=True, slots=True)
class Drawn:
    """A pair of a file, with a random key: the lowest keys are kept."""

    key: float
    source: str
    target: str
    names: str
    """Names of its patterns, joined by `|`."""
    personal: bool


@dataclass(frozen=True, slots=True)
class PatternPairs:
    rows: list[tuple[Pair, str]]
    """Pairs and the names of their patterns."""
    counts: dict[str, int]
    """Pairs by group of patterns, of the first pattern of each pair."""

    def report(self) -> str:
        lines = [f"{count:>10,} {group}" for group, count in self.counts.items()]
        return "\n".join([*lines, f"{len(self.rows):>10,} in all"])

    def lines(self) -> Iterator[str]:
        return (f"{pair.source}\t{pair.target}\t{names}" for pair, names in self.rows)


def draw_pairs(
    paths: Sequence[Path],
    held_out: frozenset[str],
    overlap: Overlap,
    faults: Faults,
    seed: int = 11,
    workers: int | None = None,
) -> PatternPairs:
    """Pairs from the files, shuffled, without held-out and excluded sentences. The same seed gives the same pairs."""
    workers = min(workers or os.cpu_count() or 1, len(paths)) or 1
    tasks = [(path, held_out, seed) for path in sorted(paths, key=_size, reverse=True)]
    if workers == 1:
        found = [_search_file(*task) for task in tasks]
    else:
        with open_pool(workers) as pool:
            found = [future.result() for future in [pool.submit(_search_file, *task) for task in tasks]]
    for _, file_faults in found:
        faults.add(file_faults)
    keep = filters.is_new()
    excluded = overlap.excludes(near=False)
    rows: list[tuple[Pair, str]] = []
    counts: Counter[str] = Counter()
    for place, pattern in enumerate(load_patterns()):
        passing = [
            [drawn for drawn in by_pattern.get(place, ()) if excluded(Pair(drawn.source, drawn.target))]
            for by_pattern, _ in found
        ]
        for drawn in _choose(passing, pattern.limit):
            pair = Pair(drawn.source, drawn.target)
            if keep(pair):
                rows.append((pair, drawn.names))
                counts[pattern.group] += 1
    rng = random.Random(f"patterns {seed}")
    rng.shuffle(rows)
    rows = [(pair.respell(tokenize) if rng.random() < TOKENIZED else pair, names) for pair, names in rows]
    return PatternPairs(rows, dict(counts))


def _size(path: Path) -> tuple[int, str]:
    return path.stat().st_size, path.name


def _choose(lists: Sequence[list[Drawn]], limit: int) -> list[Drawn]:
    """Up to `limit` pairs, most of them personal, evenly from the lists."""
    personal = [[drawn for drawn in found if drawn.personal] for found in lists]
    chosen = list(_take_evenly(personal, round(PERSONAL_SHARE * limit)))
    taken = {id(drawn) for drawn in chosen}
    others = [[drawn for drawn in found if id(drawn) not in taken] for found in lists]
    return [*chosen, *_take_evenly(others, limit - len(chosen))]


def _take_evenly(lists: Iterable[list[Drawn]], limit: int) -> Iterator[Drawn]:
    """Up to `limit` pairs, from each list the same number as far as it has them, lowest keys first."""
    remaining = sorted((sorted(drawn, key=lambda one: one.key) for drawn in lists), key=len)
    for place, drawn in enumerate(remaining):
        taken = drawn[: limit // (len(remaining) - place)]
        limit -= len(taken)
        yield from taken


def _search_file(path: Path, held_out: frozenset[str], seed: int) -> tuple[dict[int, list[Drawn]], Faults]:
    """Pairs of a file by the number of their pattern: of personal sentences and of others, each at most a share of what
    a pattern may have in all."""
    faults, index = Faults(), load_index()
    rng = random.Random(f"{path.name} {seed}")
    numbers = {pattern: place for place, pattern in enumerate(load_patterns())}
    most = [max(1, pattern.limit // FILE_DIVISOR) for pattern in load_patterns()]
    heaps: defaultdict[tuple[int, bool], list[tuple[float, int, Drawn]]] = defaultdict(list)
    for line, sentence in enumerate(read_sentences(path, faults)):
        personal = is_personal(path.name, sentence)
        if not personal and rng.random() >= SEARCHED:
            continue
        candidates = index.candidates(sentence)
        if not candidates or not _is_usable(sentence) or sentence in held_out:
            continue
        for pattern in candidates:
            key = rng.random()
            place = numbers[pattern]
            heap = heaps[place, personal]
            if len(heap) == most[place] and key >= -heap[0][0]:
                continue
            wrong = write_error(sentence, pattern, rng)
            if wrong is None or wrong.source == sentence:
                continue
            names = "|".join(used.name for used in wrong.patterns)
            drawn = Drawn(key, wrong.source, sentence, names, personal)
            push: Callable[..., object] = heapq.heappush if len(heap) < most[place] else heapq.heapreplace
            push(heap, (-key, line, drawn))
    merged: defaultdict[int, list[Drawn]] = defaultdict(list)
    for (place, _), heap in heaps.items():
        merged[place] += [drawn for *_, drawn in heap]
    return dict(merged), faults


def _is_usable(sentence: str) -> bool:
    return "\t" not in sentence and _WHOLE.match(sentence) is not None and 3 <= sentence.count(" ") < LONGEST

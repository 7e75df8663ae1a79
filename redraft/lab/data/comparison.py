"""Compares the errors of synthetic pairs with those of annotated pairs, kind by kind."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from redraft.edits.align import align
from redraft.edits.classify import classify
from redraft.edits.edit import Kind
from redraft.lab.data.pair import Pair


def draw_sample(pairs: Iterable[Pair], size: int, seed: int = 0) -> list[Pair]:
    """A uniform sample of at most `size` pairs: corpora are sorted, so the first pairs are not like the others."""
    generator = random.Random(seed)
    sample: list[Pair] = []
    for place, pair in enumerate(pairs):
        if place < size:
            sample.append(pair)
        elif (chosen := generator.randrange(place + 1)) < size:
            sample[chosen] = pair
    return sample


class Operation(StrEnum):
    """What a correction does with words."""

    ADD = "add"
    CHANGE = "change"
    REMOVE = "remove"


@dataclass
class EditCounts:
    """Numbers of edits of each kind in some pairs."""

    name: str
    pairs: int = 0
    changed: int = 0
    words: int = 0
    edits: Counter[tuple[Kind, Operation]] = field(default_factory=Counter)

    def add(self, pairs: Iterable[Pair]) -> None:
        for pair in pairs:
            self.pairs += 1
            self.changed += pair.source != pair.target
            self.words += len(pair.target.split())
            for change in align(pair.source, pair.target):
                kind = classify(pair.source, pair.target, change)
                old, new = change.source.of(pair.source).strip(), change.target.of(pair.target).strip()
                operation = Operation.ADD if not old else Operation.REMOVE if not new else Operation.CHANGE
                self.edits[kind, operation] += 1

    def share(self, kind: Kind, operation: Operation) -> float:
        return self.edits[kind, operation] / max(1, self.edits.total())

    def summary(self) -> str:
        return (
            f"{self.name}: {self.pairs:,} pairs, {100 * self.changed / max(1, self.pairs):.1f}% with edits, "
            f"{100 * self.edits.total() / max(1, self.words):.1f} edits in 100 words"
        )


def tabulate(synthetic: EditCounts, annotated: Sequence[EditCounts]) -> str:
    """A table of shares in percent, the most frequent kinds of the first annotated pairs first."""
    every = (synthetic, *annotated)
    rows = sorted(
        set().union(*(counts.edits for counts in every)),
        key=lambda row: (*(-counts.edits[row] for counts in annotated), -synthetic.edits[row], row),
    )
    width = max(12, *(len(counts.name) + 2 for counts in every))
    lines = [counts.summary() for counts in every]
    lines += [f"distance from {counts.name}: {distance(synthetic, counts):.3f}" for counts in annotated]
    lines += ["", f"{'kind':<14}{'to correct':<12}" + "".join(f"{counts.name:>{width}}" for counts in every)]
    for kind, operation in rows:
        shares = "".join(f"{100 * counts.share(kind, operation):{width}.2f}" for counts in every)
        lines.append(f"{kind:<14}{operation:<12}{shares}")
    return "\n".join(lines)


def distance(one: EditCounts, other: EditCounts) -> float:
    """Half the sum of the differences of the shares: 0 for the same mixture, 1 for nothing in common."""
    rows = {*one.edits, *other.edits}
    return sum(abs(one.share(*row) - other.share(*row)) for row in rows) / 2


def plot(synthetic: EditCounts, annotated: Sequence[EditCounts], path: Path) -> None:
    """Draw a bar chart with a group of bars for each kind. Needs matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    every = (synthetic, *annotated)
    kinds = sorted(Kind, key=lambda kind: sum(annotated[0].share(kind, operation) for operation in Operation))
    height = 0.8 / len(every)
    figure, axes = pyplot.subplots(figsize=(7, 6), layout="constrained")
    for number, counts in enumerate(every):
        shares = [100 * sum(counts.share(kind, operation) for operation in Operation) for kind in kinds]
        places = [place + (number - (len(every) - 1) / 2) * height for place in range(len(kinds))]
        axes.barh(places, shares, height=height, label=counts.name)
    axes.set_yticks(range(len(kinds)), [str(kind) for kind in kinds])
    axes.set_xlabel("% of edits")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)

"""Compares the errors of made pairs with those of real ones, kind by kind."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from redraft.edits.align import align
from redraft.edits.classify import classify
from redraft.edits.edit import Kind
from redraft.lab.data.pair import Pair


def draw_sample(pairs: Iterable[Pair], size: int, seed: int = 0) -> list[Pair]:
    """So many pairs, each as likely to be taken: corpora are sorted, and the head of one is not like the whole."""
    generator = random.Random(seed)
    sample: list[Pair] = []
    for place, pair in enumerate(pairs):
        if place < size:
            sample.append(pair)
        elif (chosen := generator.randrange(place + 1)) < size:
            sample[chosen] = pair
    return sample


class Operation(StrEnum):
    """What the correction does."""

    ADD = "add"
    CHANGE = "change"
    REMOVE = "remove"


@dataclass
class Census:
    """How many edits of each kind some pairs have."""

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


def tabulate(made: Census, real: Census) -> str:
    """A table of shares in percent, the commonest kinds of the real pairs first."""
    rows = sorted({*made.edits, *real.edits}, key=lambda row: (-real.edits[row], -made.edits[row], row))
    lines = [made.summary(), real.summary(), "", f"{'kind':<14}{'to correct':<12}{made.name:>12}{real.name:>12}"]
    for kind, operation in rows:
        shares = f"{100 * made.share(kind, operation):12.2f}{100 * real.share(kind, operation):12.2f}"
        lines.append(f"{kind:<14}{operation:<12}{shares}")
    return "\n".join(lines)


def distance(made: Census, real: Census) -> float:
    """Half the sum of the differences of the shares: 0 for the same mixture, 1 for nothing in common."""
    rows = {*made.edits, *real.edits}
    return sum(abs(made.share(*row) - real.share(*row)) for row in rows) / 2


def plot(made: Census, real: Census, path: Path) -> None:
    """Bars side by side, one pair of bars a kind. Needs matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    kinds = sorted(Kind, key=lambda kind: sum(real.share(kind, operation) for operation in Operation))
    figure, axes = pyplot.subplots(figsize=(7, 6), layout="constrained")
    for census, offset in ((made, -0.2), (real, 0.2)):
        shares = [100 * sum(census.share(kind, operation) for operation in Operation) for kind in kinds]
        axes.barh([place + offset for place in range(len(kinds))], shares, height=0.4, label=census.name)
    axes.set_yticks(range(len(kinds)), [str(kind) for kind in kinds])
    axes.set_xlabel("% of edits")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)

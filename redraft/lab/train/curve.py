"""How a run went: its loss and its dev scores, read off the log and drawn."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redraft.errors import InputError
from redraft.lab.train.journal import LOG


@dataclass(frozen=True, slots=True)
class Curve:
    """Loss by step, dev scores by file and step, and the step each stage but the last ended at."""

    losses: Mapping[int, float]
    scores: Mapping[str, Mapping[int, float]]
    ends: Mapping[str, int]


def read_curve(run: Path) -> Curve:
    """The curve of a run's folder, or of a log file. What a run did twice after an interruption counts once."""
    log = run / LOG if run.is_dir() else run
    losses: dict[int, float] = {}
    scores: dict[str, dict[int, float]] = {}
    ends: dict[str, int] = {}
    for event in _read_events(log):
        if event["event"] == "train":
            losses[event["step"]] = event["loss"]
        elif event["event"] == "dev":
            for key in (key for key in event if key.endswith(".f")):
                scores.setdefault(key.removesuffix(".f"), {})[event["step"]] = event[key]
        elif event["event"] == "stage":
            ends[event["stage"]] = event["step"]
    if not losses:
        raise InputError(f"{log}: no step of a training run is in it yet")
    return Curve(dict(sorted(losses.items())), scores, ends)


def _read_events(log: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = log.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise InputError(f"{log}: no such log; name the folder of a training run") from None
    for number, line in enumerate(lines, 1):
        try:
            yield json.loads(line)
        except ValueError as error:
            if number < len(lines):  # the last line of a run that goes on may be half written
                raise InputError(f"{log}:{number}: not a line of JSON ({error})") from None


def plot(curve: Curve, path: Path) -> None:
    """Loss on a logarithmic scale and, where there are any, dev scores on a scale of their own. Needs matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    axes.plot(list(curve.losses), list(curve.losses.values()), color="C0", linewidth=1.5, label="loss")
    axes.set(xlabel="step", ylabel="loss", yscale="log", xlim=(0, None))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("{x:g}")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.grid(which="both", alpha=0.25)
    for step in list(curve.ends.values())[:-1]:
        axes.axvline(step, color="0.6", linewidth=0.8, linestyle="--")
    lines = axes.get_lines()[:1]
    if curve.scores:
        beside = axes.twinx()
        for number, (name, scores) in enumerate(curve.scores.items(), 1):
            lines += beside.plot(list(scores), list(scores.values()), f"C{number}o-", linewidth=1, label=f"F0.5 {name}")
        beside.set(ylabel="F0.5 on dev", ylim=(0, None))
        beside.spines[["top"]].set_visible(False)
    figure.legend(handles=lines, frameon=False, loc="outside upper center", ncols=len(lines))
    axes.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)

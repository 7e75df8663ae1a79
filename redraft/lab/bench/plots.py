"""Plots of the measurements, for the page; without matplotlib the page has none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from redraft.lab.bench import published

Figures = Mapping[str, Any]
_SIZE = (7.0, 3.6)
_COLOURS = ("#1b6ca8", "#d1495b", "#edae49", "#3d8168")
_DPI = 110


def draw(found: Mapping[str, Figures], folder: Path) -> dict[str, str]:
    """Writes the plots of all measurements there are; file name → title."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return {}
    drawn = {}
    for file, (title, paint) in PLOTS.items():
        name = file.partition("-")[0]
        if name not in found:
            continue
        figure = Figure(figsize=_SIZE, layout="constrained")
        axes = figure.add_subplot()
        paint(axes, found[name]["figures"])
        axes.grid(alpha=0.3)
        axes.set_axisbelow(True)
        folder.mkdir(parents=True, exist_ok=True)
        figure.savefig(folder / file, dpi=_DPI, metadata={"Software": None})
        drawn[file] = title
    return drawn


def _latency(axes: Any, figures: Figures) -> None:
    for colour, (name, setup) in zip(_COLOURS, figures["setups"].items(), strict=False):
        axes.scatter(
            [tokens for tokens, _, _ in setup["points"]],
            [milliseconds for _, _, milliseconds in setup["points"]],
            s=[8 + 14 * edits for _, edits, _ in setup["points"]],
            color=colour,
            alpha=0.55,
            label=name,
        )
    axes.set(xlabel="tokens (larger dots: more edits)", ylabel="milliseconds", yscale="log")
    axes.legend()


def _peers(axes: Any, figures: Figures) -> None:
    methods = sorted(figures["methods"], key=lambda name: figures["methods"][name]["mean"], reverse=True)
    means = [figures["methods"][name]["mean"] for name in methods]
    colours = [_COLOURS[0] if name.startswith("redraft") else _COLOURS[1] for name in methods]
    bars = axes.barh(methods, means, color=colours)
    axes.bar_label(bars, [f" {mean:.0f} ms" for mean in means])
    axes.set(xlabel="mean milliseconds a sentence", xlim=(0, 1.2 * max(means)))


def _edit_ratios(axes: Any, figures: Figures) -> None:
    points = figures["decoding"]["points"]
    for column, (colour, name) in enumerate(zip(_COLOURS, ("suffix", "refine"), strict=False), start=1):
        axes.scatter(
            [point[0] for point in points],
            [point[column] for point in points],
            s=14,
            color=colour,
            alpha=0.6,
            label=name,
        )
    axes.set(xlabel="edit ratio", ylabel="times as fast as greedy")
    axes.legend()


def _longest_drafts(axes: Any, figures: Figures) -> None:
    names = [str(longest or "∞") for longest in published.LONGEST_DRAFTS]
    for colour, policy in zip(_COLOURS, ("suffix", "refine"), strict=False):
        rows = [figures["longest_drafts"][f"{policy} {longest or 'unlimited'}"] for longest in published.LONGEST_DRAFTS]
        axes.plot(names, [row["speedup"] for row in rows], marker="o", color=colour, label=policy)
    paper = [published.LONGEST_DRAFTS[1] / seconds for seconds in published.LONGEST_DRAFTS.values()]
    axes.plot(names, paper, marker="o", linestyle="--", color="grey", label="paper, on a GPU")
    axes.set(xlabel="L_max", ylabel="times as fast as greedy")
    axes.legend()


def _throughput(axes: Any, figures: Figures) -> None:
    sizes = figures["sizes"]
    names = ["one sentence" if size == "1" else size for size in sizes]
    axes.plot(names, [values["sentences_per_second"] for values in sizes.values()], marker="o", color=_COLOURS[0])
    axes.set(xlabel="tokens side by side", ylabel="sentences a second", ylim=(0, None))


PLOTS: Mapping[str, tuple[str, Callable[[Any, Figures], None]]] = {
    "latency-lengths.png": ("Milliseconds a sentence by tokens", _latency),
    "peers-means.png": ("Mean milliseconds a sentence", _peers),
    "paper-edit-ratios.png": ("Speedup over greedy by edit ratio", _edit_ratios),
    "paper-longest-drafts.png": ("Speedup by the longest draft", _longest_drafts),
    "throughput-sizes.png": ("Sentences a second", _throughput),
}
"""File name, which begins with the name of the measurement → title and how to draw it."""

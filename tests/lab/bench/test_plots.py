from __future__ import annotations

import sys

import pytest
from bench_figures import FIGURES, MACHINE

from redraft.lab.bench import plots

FOUND = {name: {"machine": MACHINE, "figures": figures} for name, figures in FIGURES.items()}


def test_every_plot_is_drawn_once_its_figures_are_there(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib, which the extra [bench] names, is missing")
    assert plots.draw({"peers": FOUND["peers"]}, tmp_path) == {"peers-means.png": "Mean milliseconds a sentence"}
    drawn = plots.draw(FOUND, tmp_path)
    assert set(drawn) == set(plots.PLOTS) == {path.name for path in tmp_path.iterdir()}
    assert all((tmp_path / name).read_bytes().startswith(b"\x89PNG") for name in drawn)


def test_without_matplotlib_there_are_none(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert plots.draw(FOUND, tmp_path) == {}

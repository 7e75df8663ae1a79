"""The page says what the figures say, and docs/benchmarks.md is such a page."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from bench_figures import FIGURES, MACHINE

from redraft.errors import InputError
from redraft.lab.bench import plots, report

DOCS = Path(__file__).parents[3] / "docs"


def page(folder):
    return (folder / report.PAGE).read_text(encoding="utf-8")


def test_every_measurement_has_its_section(tmp_path):
    for number, (name, figures) in enumerate(FIGURES.items(), start=1):
        report.save(tmp_path, name, MACHINE, figures)
        assert page(tmp_path).count(f"`{MACHINE['command']}`") == number
        assert report.HEADINGS[name] in page(tmp_path)
    for line in page(tmp_path).splitlines():
        assert not line.startswith("|") or line.endswith("|")


def test_goals_are_worked_out(tmp_path):
    for name, figures in FIGURES.items():
        report.save(tmp_path, name, MACHINE, figures)
    text = page(tmp_path)
    assert "| times as fast as ctranslate2 int8 greedy | 4× | 4.5× |" in text
    assert "| share of what the hardware allows, onnx/int8, 25 tokens unchanged | 40% | 42% |" in text
    assert "| fewer decoder calls than the paper's rule | 35% | 40% |" in text
    assert "| A processor, big-9+3: times as fast as transformers beam 5 | 60× | 115× |" in text
    assert "| A processor, big-9+3: milliseconds a sentence, mean | under 2 | 10.00 |" in text


def test_a_shape_that_failed_and_a_model_that_was_not_measured_leave_no_table():
    figures = copy.deepcopy(FIGURES["gpu"])
    whole = report.assemble({"gpu": {"machine": MACHINE, "figures": figures}}, {})
    assert "### big-9+3" in whole and "### the embedded model" in whole and "alone refine 0" in whole
    assert "big-6+6" not in whole
    del figures["parts"]["embedded"]
    assert "### the embedded model" not in report.assemble({"gpu": {"machine": MACHINE, "figures": figures}}, {})


def test_another_model_stands_beside_the_main_one(tmp_path):
    other = {**FIGURES["latency"], "sentences": 77}
    report.save(tmp_path, "latency", MACHINE, other, "zh")
    report.save(tmp_path, "latency", MACHINE, FIGURES["latency"])
    text = page(tmp_path)
    assert text.index(f"{report.HEADINGS['latency']}\n") < text.index(f"{report.HEADINGS['latency']}: the model zh\n")
    assert "77 sentences, one at a time" in text
    assert text.count("| share of what the hardware allows") == 1


def test_a_busy_machine_is_told():
    busy = {**MACHINE, "load": 7.5}
    quiet, loud = (
        report.assemble({"throughput": {"machine": machine, "figures": FIGURES["throughput"]}}, {})
        for machine in (MACHINE, busy)
    )
    assert "busy" not in quiet
    assert "busy with other programs (load 7.5)" in loud


def test_what_could_not_be_had_is_told():
    figures = copy.deepcopy(FIGURES["checkers"])
    del figures["checkers"]["harper.js"], figures["version"]
    figures["skipped"] = "node is not installed"
    text = report.assemble({"checkers": {"machine": MACHINE, "figures": figures}}, {})
    assert "harper.js is not in the table: node is not installed." in text


def test_damaged_figures_are_named(tmp_path):
    (tmp_path / report.FIGURES).mkdir()
    (tmp_path / report.FIGURES / "paper.json").write_text("{")
    with pytest.raises(InputError, match=r"paper\.json is damaged"):
        report.write(tmp_path)


def test_the_page_in_docs_is_up_to_date(tmp_path):
    found = report.read(DOCS)
    if not found:
        pytest.skip("nothing was measured yet")
    pytest.importorskip("matplotlib", reason="matplotlib, which the extra [bench] names, is missing")
    images = plots.draw(found, tmp_path)
    assert page(DOCS) == report.assemble(found, images), "put it together again: redraft bench page docs"
    assert all((DOCS / report.IMAGES / image).is_file() for image in images)

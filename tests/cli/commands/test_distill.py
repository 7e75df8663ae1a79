from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny import PAIRS

from redraft.engines.cuda.engine import CudaEngine
from redraft.engines.torch import TorchEngine
from redraft.lab.data.table import ErrorTable
from redraft.model.folder import ModelFolder

Run = Callable[..., Any]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("".join(f"{source}\n" for source, _ in PAIRS) + "\xff\n", encoding="latin-1")
    return path


@pytest.mark.parametrize("options", [(), ("--beams", 2), ("--engine", "torch", "--batch", 3)])
def test_pairs_are_written_and_counted(
    run: Run, tiny_model: ModelFolder, text: Path, tmp_path: Path, options: tuple[object, ...]
) -> None:
    output = tmp_path / "pairs.tsv"
    outcome = run("distill", tiny_model.path, text, "-o", output, *options)
    assert (outcome.code, outcome.text) == (0, f"8 pairs in {output}; 0 sentences left out\n")
    assert output.read_text() == "".join(f"{source}\t{target}\n" for source, target in PAIRS)
    assert f"{text}:9: not UTF-8" in outcome.err


def test_clean_text_gets_errors_first(run: Run, tiny_model: ModelFolder, tmp_path: Path) -> None:
    table, clean, output = tmp_path / "errors.json.gz", tmp_path / "clean.txt", tmp_path / "pairs.tsv"
    ErrorTable("en").save(table)
    clean.write_text("".join(f"{target}\n" for _, target in PAIRS))
    assert run("distill", tiny_model.path, clean, "-o", output, "--error-table", table, "--seed", 2).code == 0
    sources = {line.split("\t")[0] for line in output.read_text().splitlines()}
    assert sources - {target for _, target in PAIRS}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-o", "pairs.txt"), "must be a .tsv file"),
        (("-o", "pairs.tsv", "--error-table", "none.gz"), "none.gz"),
    ],
)
def test_a_mistake_is_named(
    run: Run, tiny_model: ModelFolder, text: Path, options: tuple[object, ...], message: str
) -> None:
    outcome = run("distill", tiny_model.path, text, *options)
    assert outcome.code == 2
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_teacher_that_does_not_exist_is_refused(run: Run, text: Path) -> None:
    outcome = run("distill", "nobody", text, "-o", "pairs.tsv")
    assert outcome.code == 2
    assert "there is no model 'nobody'" in outcome.err


def test_the_engine_for_a_gpu_labels_in_bulk_and_samples(
    run: Run, tiny_model: ModelFolder, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine is opened on the CPU here, and the text done in a thread."""
    engine = CudaEngine(TorchEngine.load(tiny_model).model, tiny_model.eos)
    monkeypatch.setattr(CudaEngine, "load", lambda folder, dtype: engine)
    monkeypatch.setattr("redraft.lab.train.bulk_teacher.count_workers", lambda: 0)
    output = tmp_path / "pairs.tsv"
    assert run("distill", tiny_model.path, text, "-o", output, "--engine", "cuda", "--batch", 8).code == 0
    assert output.read_text() == "".join(f"{source}\t{target}\n" for source, target in PAIRS)


def test_sampling_needs_the_engine_for_a_gpu(run: Run, tiny_model: ModelFolder, text: Path, tmp_path: Path) -> None:
    outcome = run("distill", tiny_model.path, text, "-o", tmp_path / "pairs.tsv", "--temperature", 1)
    assert outcome.code == 2
    assert "--temperature needs --engine cuda" in outcome.err

"""A teacher that labels in bulk writes what one that labels batch by batch writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from threads import one_thread
from tiny import PAIRS
from training_world import make_world

from redraft.decode.loop import DecodeOptions
from redraft.engines.cuda.bulk.sampling import Sampling
from redraft.engines.torch import TorchEngine
from redraft.errors import InputError
from redraft.lab.data.synthesis import Recipe
from redraft.lab.train.bulk_teacher import BulkTeacher
from redraft.lab.train.distillation import Teacher, distill, task_checksum
from redraft.model.folder import ModelFolder
from redraft.tokens.tokenizer import Tokenizer

WRONG = [source for source, _ in PAIRS]
LINES = "".join(f"{source}\t{target}\n" for source, target in PAIRS)
TOO_LONG = "She go to school every days. " * 60


@pytest.fixture(scope="module")
def engine(tiny_model: ModelFolder) -> TorchEngine:
    return TorchEngine.load(tiny_model)


@pytest.fixture(scope="module")
def teacher(tiny_model: ModelFolder, engine: TorchEngine) -> Teacher:
    return Teacher(engine, Tokenizer.load(tiny_model.tokenizer), DecodeOptions())


@pytest.fixture
def bulk(tiny_model: ModelFolder, engine: TorchEngine) -> Iterator[BulkTeacher]:
    """The text is done in a thread: processes take seconds to start."""
    with one_thread():
        yield replace(BulkTeacher.open(tiny_model, engine.model, DecodeOptions(), batch=6), workers=0)


def test_the_lines_are_in_the_order_of_the_sentences(
    bulk: BulkTeacher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches of two, one of which has no sentence that fits: more batches than fit on the device."""
    monkeypatch.setattr("redraft.lab.data.synthesis.BATCH", 2)
    reports: list[int] = []
    sentences = [TOO_LONG, TOO_LONG, *WRONG, TOO_LONG]
    done = distill(bulk, sentences, tmp_path / "pairs.tsv", advance=lambda: reports.append(1))
    assert (tmp_path / "pairs.tsv").read_text() == LINES
    assert (done.read, done.written, done.left_out, len(reports)) == (11, 8, 3, 11)


def test_processes_do_the_text(bulk: BulkTeacher, tmp_path: Path) -> None:
    distill(replace(bulk, workers=1), WRONG, tmp_path / "pairs.tsv")
    assert (tmp_path / "pairs.tsv").read_text() == LINES


def test_errors_are_the_same_as_batch_by_batch(bulk: BulkTeacher, teacher: Teacher, tmp_path: Path) -> None:
    make_world(tmp_path)
    clean = (tmp_path / "clean.txt").read_text().splitlines()[:8]
    for name, labeller in (("one", bulk), ("other", teacher)):
        distill(labeller, clean, tmp_path / f"{name}.tsv", Recipe(tmp_path / "errors.json.gz", seed=3))
    assert (tmp_path / "one.tsv").read_text() == (tmp_path / "other.tsv").read_text()


def test_an_interrupted_run_goes_on_to_the_same_output(
    bulk: BulkTeacher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("redraft.lab.data.synthesis.BATCH", 2)
    monkeypatch.setattr("redraft.lab.train.bulk_teacher._AHEAD", 1)

    def interrupted() -> Iterator[str]:
        yield from WRONG * 3
        raise KeyboardInterrupt

    output = tmp_path / "pairs.tsv"
    with pytest.raises(KeyboardInterrupt):
        distill(bulk, interrupted(), output, task="it")
    assert not output.exists()
    done = distill(bulk, WRONG * 4, output, task="it", resume=True)
    assert output.read_text() == LINES * 4
    assert (done.read, done.written) == (32, 32)


def test_a_fault_of_a_worker_is_reported(bulk: BulkTeacher, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.json"):
        distill(bulk, WRONG, tmp_path / "pairs.tsv", Recipe(tmp_path / "none.json"))


def test_the_sizes_follow_the_number_of_sentences_at_a_time(tiny_model: ModelFolder, engine: TorchEngine) -> None:
    sizes = []
    for batch in (None, 4):
        options = BulkTeacher.open(tiny_model, engine.model, DecodeOptions(threshold=0.5), batch=batch).decoder.options
        sizes.append((options.rows, options.tokens, options.encoder_tokens, options.threshold))
    assert sizes == [(1024, 8192, 8192, 0.5), (4, 32, engine.max_tokens + 1, 0.5)]


def test_samples_are_reproducible_and_part_of_the_task(
    tiny_model: ModelFolder, engine: TorchEngine, teacher: Teacher, tmp_path: Path
) -> None:
    written, tasks = [], set()
    for name, sampling in (("a", Sampling(1.6, 1)), ("b", Sampling(1.6, 1)), ("c", Sampling(1.6, 2))):
        opened = BulkTeacher.open(tiny_model, engine.model, DecodeOptions(), batch=6, sampling=sampling)
        distill(replace(opened, workers=0), WRONG, tmp_path / f"{name}.tsv")
        written.append((tmp_path / f"{name}.tsv").read_text())
        tasks.add(task_checksum(tiny_model.path, opened, []))
    assert written[0] == written[1] != written[2]
    greedy = BulkTeacher.open(tiny_model, engine.model, DecodeOptions(), batch=6)
    tasks.add(task_checksum(tiny_model.path, greedy, []))
    assert len(tasks) == 3
    assert task_checksum(tiny_model.path, greedy, []) == task_checksum(tiny_model.path, teacher, [])

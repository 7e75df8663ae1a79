from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tiny import PAIRS
from training_world import make_world

from redraft.decode.loop import Decoded, DecodeOptions
from redraft.engines.onnx import OnnxEngine
from redraft.engines.torch import TorchEngine
from redraft.errors import ConfigError, InputError
from redraft.lab.data.noise import Noiser
from redraft.lab.data.readers import Faults, read_sources
from redraft.lab.data.synthesis import Recipe
from redraft.lab.data.table import ErrorTable
from redraft.lab.train.distillation import DistillProgress, Teacher, distill, task_checksum
from redraft.model.folder import ModelFolder
from redraft.tokens.tokenizer import Tokenizer

WRONG = [source for source, _ in PAIRS]
LINES = [f"{source}\t{target}\n" for source, target in PAIRS]
TOO_LONG = "She go to school every days. " * 60


@pytest.fixture(scope="module")
def teacher(tiny_model: ModelFolder) -> Teacher:
    return Teacher(OnnxEngine(tiny_model, 1), Tokenizer.load(tiny_model.tokenizer), DecodeOptions())


@pytest.mark.parametrize("engine", ["onnx", "torch"])
@pytest.mark.parametrize("beams", [1, 3])
def test_the_teacher_s_corrections_are_written(
    teacher: Teacher, tiny_model: ModelFolder, tmp_path: Path, engine: str, beams: int
) -> None:
    chosen = teacher.engine if engine == "onnx" else TorchEngine.load(tiny_model)
    output = tmp_path / "deep" / "pairs.tsv"
    done = distill(replace(teacher, engine=chosen, beams=beams, batch=3), WRONG, output)
    assert output.read_text() == "".join(LINES)
    assert (done.read, done.written, done.left_out) == (8, 8, 0)
    assert [path.name for path in output.parent.iterdir()] == ["pairs.tsv"]


def test_a_sentence_without_a_correction_is_left_out_and_counted(teacher: Teacher, tmp_path: Path) -> None:
    done = distill(teacher, [WRONG[0], TOO_LONG, WRONG[1]], tmp_path / "pairs.tsv")
    assert (tmp_path / "pairs.tsv").read_text() == "".join(LINES[:2])
    assert (done.read, done.written, done.left_out) == (3, 2, 1)


def test_a_correction_that_is_no_text_is_left_out(teacher: Teacher, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = teacher.tokenizer.encode("é")[-1:]  # half a character
    written = [Decoded(broken, [], [], True, []), Decoded([], [], [], True, []), Decoded([5], [], [], False, [])]
    monkeypatch.setattr(Teacher, "_decode", lambda self, sources: written)
    assert teacher.label(["one", "two", "three"]) == [None, None, None]


def test_progress_is_reported_for_every_sentence(teacher: Teacher, tmp_path: Path) -> None:
    reports: list[int] = []
    distill(replace(teacher, batch=2), WRONG[:5], tmp_path / "pairs.tsv", advance=lambda: reports.append(1))
    assert len(reports) == 5


def test_errors_are_put_into_clean_text_as_by_synthesis(teacher: Teacher, tmp_path: Path) -> None:
    make_world(tmp_path)
    table = tmp_path / "errors.json.gz"
    clean = (tmp_path / "clean.txt").read_text().splitlines()[:6]
    distill(teacher, clean, tmp_path / "pairs.tsv", Recipe(table, seed=3))
    noiser = Noiser(ErrorTable.load(table), seed=3)
    made = [
        noiser.pair(text, place, after).source
        for place, (text, after) in enumerate(zip(clean, [*clean[1:], ""], strict=True))
    ]
    sources = [line.split("\t")[0] for line in (tmp_path / "pairs.tsv").read_text().splitlines()]
    assert set(sources) <= set(made)
    assert len(sources) > 2


def interrupted(sentences: list[str], after: int) -> Iterator[str]:
    yield from sentences[:after]
    raise KeyboardInterrupt


def test_an_interrupted_run_goes_on_to_the_same_output(
    teacher: Teacher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("redraft.lab.data.synthesis.BATCH", 3)
    output = tmp_path / "pairs.tsv"
    sentences = [*WRONG[:4], TOO_LONG, *WRONG[4:]]
    with pytest.raises(KeyboardInterrupt):
        distill(teacher, interrupted(sentences, 7), output, task="it")
    assert not output.exists()
    with (tmp_path / "pairs.tsv.partial").open("a") as file:
        file.write("torn")  # written after the last record
    with pytest.raises(ConfigError, match="another teacher or other text"):
        distill(teacher, sentences, output, task="something else", resume=True)
    done = distill(teacher, sentences, output, task="it", resume=True)
    assert output.read_text() == "".join(LINES)
    assert (done.read, done.written) == (9, 8)
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.tsv"]


def test_without_a_progress_file_a_run_starts_again(teacher: Teacher, tmp_path: Path) -> None:
    assert distill(teacher, WRONG[:1], tmp_path / "pairs.tsv", resume=True) == DistillProgress(1, 1, len(LINES[0]))


def test_damage_is_named(teacher: Teacher, tmp_path: Path) -> None:
    output, record = tmp_path / "pairs.tsv", tmp_path / "pairs.tsv.progress"
    record.write_text("{}")
    with pytest.raises(InputError, match="damaged"):
        distill(teacher, WRONG, output, resume=True)
    record.write_text('{"task": "", "read": 1, "written": 1, "size": 50}')
    (tmp_path / "pairs.tsv.partial").write_text("short")
    with pytest.raises(InputError, match="shorter than its progress file"):
        distill(teacher, WRONG, output, resume=True)
    with pytest.raises(InputError, match="nothing to correct"):
        distill(teacher, [], output)


def test_settings_that_cannot_be_are_refused(teacher: Teacher) -> None:
    with pytest.raises(ConfigError, match="1 or more"):
        replace(teacher, beams=0)
    with pytest.raises(ConfigError, match="no threshold"):
        replace(teacher, beams=2, decode=DecodeOptions(threshold=0.5))


def test_a_task_depends_on_teacher_text_and_noise(teacher: Teacher, tiny_model: ModelFolder, tmp_path: Path) -> None:
    text, table = tmp_path / "text.txt", tmp_path / "errors.json.gz"
    text.write_text("one\n")
    ErrorTable("en").save(table)
    names = {task_checksum(tiny_model.path, teacher, [text])}
    names.add(task_checksum(tiny_model.path, replace(teacher, beams=2), [text]))
    names.add(task_checksum(tiny_model.path, teacher, [text], Recipe(table)))
    names.add(task_checksum(tiny_model.path, teacher, [text], Recipe(table, seed=1)))
    assert task_checksum(tiny_model.path, replace(teacher, batch=7), [text]) in names
    text.write_text("one\ntwo\n")
    names.add(task_checksum(tiny_model.path, teacher, [text]))
    assert len(names) == 5


def test_text_and_the_sources_of_pairs_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One  line.\n\nAnother.\n")
    (tmp_path / "b.tsv").write_text("he go\the goes\n")
    (tmp_path / "c.m2").write_text(
        "S two cat\nA 1 2|||R|||cats|||REQUIRED|||-NONE-|||0\nA 0 1|||R|||a|||REQUIRED|||-NONE-|||1\n\n"
    )
    paths = [tmp_path / name for name in ("a.txt", "b.tsv", "c.m2")]
    assert list(read_sources(paths, Faults())) == ["One line.", "Another.", "he go", "two cat"]

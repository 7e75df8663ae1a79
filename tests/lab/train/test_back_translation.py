"""The tiny model stands for one that writes errors: it changes the left sides of its pairs into the right ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from threads import one_thread
from tiny import PAIRS

from redraft.errors import ConfigError, InputError
from redraft.lab.data.source_record import SourceRecord
from redraft.lab.train.back_translation import back_translate, is_other_sentence, main, open_error_writer
from redraft.lab.train.bulk_teacher import BulkTeacher
from redraft.model.folder import ModelFolder

CLEAN = [left for left, _ in PAIRS]
SWAPPED = "".join(f"{right}\t{left}\n" for left, right in PAIRS)
TOO_LONG = "She go to school every days. " * 60


@pytest.fixture
def writer(tiny_model: ModelFolder) -> Iterator[BulkTeacher]:
    """At a temperature at which a sample is the likeliest token. The text is done in a thread."""
    with one_thread():
        yield replace(open_error_writer(tiny_model, "cpu", 0.01), workers=0)


def test_what_the_model_writes_becomes_the_source(writer: BulkTeacher, tmp_path: Path) -> None:
    report = back_translate(writer, [*CLEAN, TOO_LONG, "He has two cats."], tmp_path / "pairs.tsv")
    assert (tmp_path / "pairs.tsv").read_text() == SWAPPED + "He has two cats.\tHe has two cats.\n"
    assert (report.read, report.unusable, report.too_different, report.unchanged, report.written) == (10, 1, 0, 1, 9)


def test_another_seed_gives_other_errors(tiny_model: ModelFolder, tmp_path: Path) -> None:
    texts = []
    for seed in (1, 1, 2):
        with one_thread():
            writer = replace(open_error_writer(tiny_model, "cpu", 1.5, seed), workers=0)
            back_translate(writer, CLEAN, tmp_path / "pairs.tsv")
        texts.append((tmp_path / "pairs.tsv").read_text())
    assert texts[0] == texts[1] != texts[2]


def test_a_sample_that_is_another_sentence_is_dropped(
    writer: BulkTeacher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("redraft.lab.train.back_translation.LEAST_COMMON_WORDS", 0.6)
    report = back_translate(writer, CLEAN, tmp_path / "pairs.tsv")
    kept = (tmp_path / "pairs.tsv").read_text().splitlines()
    assert report.too_different + len(kept) == len(CLEAN) and 0 < len(kept) < len(CLEAN)


@pytest.mark.parametrize(
    ("noisy", "clean", "other"),
    [
        ("He have two cat.", "He has two cats.", False),
        ("wich", "Which?", False),
        ("Thank you", "Thanks a lot", False),
        ("The train was late again this morning .", "We had dinner with all of our friends .", True),
        ("the the the the the the", "We had dinner with all of our friends .", True),
    ],
)
def test_sides_with_few_words_in_common_are_other_sentences(noisy: str, clean: str, other: bool) -> None:
    assert is_other_sentence(noisy, clean) == is_other_sentence(clean, noisy) == other


def test_text_without_a_sentence_is_refused_and_nothing_written(writer: BulkTeacher, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no sentence"):
        back_translate(writer, [], tmp_path / "pairs.tsv")
    assert list(tmp_path.iterdir()) == []


def test_a_temperature_of_zero_is_refused(tiny_model: ModelFolder) -> None:
    with pytest.raises(ConfigError, match="temperature"):
        open_error_writer(tiny_model, "cpu", 0.0)


def test_the_module_writes_pairs_and_their_sources(
    tiny_model: ModelFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("redraft.lab.train.bulk_teacher.count_workers", lambda: 0)
    text, allowed, output = tmp_path / "own.txt", tmp_path / "own.toml", tmp_path / "pairs.tsv.xz"
    text.write_text("".join(f"{line}\n" for line in CLEAN))
    allowed.write_text(
        'licence = "MIT"\n[sources.own]\ntitle = "Own"\nlicence = "MIT"\nattribution = "us"\nfiles = ["own.txt"]\n'
    )
    arguments = [str(tiny_model.path), str(text), "--output", str(output), "--temperature", "0.01", "--device", "cpu"]
    with one_thread():
        assert main([*arguments, "--source-list", str(allowed)]) == 0
    assert SourceRecord.read(output).sources == {"own"}
    assert "8 written, of these" in capsys.readouterr().out
    other = tmp_path / "other.txt"
    text.rename(other)
    assert main([arguments[0], str(other), *arguments[2:], "--source-list", str(allowed)]) == 2
    assert "other.txt" in capsys.readouterr().err

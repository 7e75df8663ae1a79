from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest
from english_folder import lay_out
from typer.testing import Result

from redraft.errors import ConfigError, InputError
from redraft.lab.data.shards import Shards
from redraft.lab.data.source_record import SourceRecord
from redraft.model.folder import ModelFolder
from redraft.terminal.progress import Bar
from redraft.tokens.tokenizer import Tokenizer

Invoke = Callable[..., Result]
MDN = frozenset({"mdn/content"})


def test_prepare_filters_and_reports(invoke: Invoke, pairs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.tsv"
    outcome = invoke("prepare", pairs, "-o", out, "--changed", "--spelling", "tokenized")
    assert outcome.exit_code == 0
    assert out.read_text() == "He go home .\tHe goes home .\n"
    assert "1 dropped: unchanged" in outcome.stdout
    assert "1 dropped: duplicate" in outcome.stdout
    assert f"{pairs}:3: no tab" in outcome.stderr


def test_prepare_keeps_dev_sentences_out(invoke: Invoke, pairs: Path, tmp_path: Path) -> None:
    dev = tmp_path / "dev.txt"
    dev.write_text("he goes home\n")
    outcome = invoke("prepare", pairs, "-o", tmp_path / "out.tsv", "--exclude", dev, "--near", "--script", "latin")
    assert (tmp_path / "out.tsv").read_text() == "All is well.\tAll is well.\n"
    assert "2 dropped: excluded" in outcome.stdout


def test_prepare_packs(invoke: Invoke, pairs: Path, tmp_path: Path) -> None:
    Tokenizer.train_bytes(["He goes home."], 300).save(tmp_path / "tokenizer.json")
    invoke("prepare", pairs, "-o", tmp_path / "ids", "--tokenizer", tmp_path / "tokenizer.json", "--max-ratio", "2")
    assert len(Shards(tmp_path / "ids")) == 2


def test_prepare_makes_the_english_files(invoke: Invoke, tmp_path: Path) -> None:
    outcome = invoke("prepare", lay_out(tmp_path / "en"), "--english", "-o", tmp_path / "out")
    assert outcome.exit_code == 0
    assert (tmp_path / "out" / "pairs_all.tsv").is_file()
    assert "held out" in outcome.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--layout", "xml"), "--layout must be one of m2"),
        (("--spelling", "odd"), "--spelling must be one of"),
        (("-o", "folder"), "name a .tsv file"),
    ],
)
def test_prepare_says_what_is_wrong(
    invoke: Invoke, pairs: Path, tmp_path: Path, options: tuple[str, str], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        invoke("prepare", pairs, "-o", tmp_path / "out.tsv", *options)


def test_a_development_set_is_held_out(invoke: Invoke, tmp_path: Path) -> None:
    lines = [f"Він іде дому {number}.\tВін іде додому {number}." for number in range(10)]
    (tmp_path / "in.tsv").write_text("\n".join(lines), encoding="utf-8")
    dev, out = tmp_path / "dev.m2", tmp_path / "out.tsv"
    result = invoke("prepare", tmp_path / "in.tsv", "-o", out, "--dev", dev, "--dev-pairs", 3)
    assert "3 pairs in the dev set" in result.stdout
    assert out.read_text(encoding="utf-8").splitlines() == lines[:7]
    assert dev.read_text(encoding="utf-8").count("додому") == 3


def test_chinese_takes_a_folder(invoke: Invoke, pairs: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one folder"):
        invoke("prepare", pairs, "--chinese", "-o", tmp_path / "out")


def test_with_a_source_list_only_its_sources_are_used(invoke: Invoke, open_folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("lemminflect")
    out = tmp_path / "out"
    outcome = invoke("prepare", open_folder, "--english", "--source-list", "open", "-o", out)
    assert "rows left out, because their repository is not listed: 1\n" in outcome.stdout
    assert not (out / "wi_all.tsv").exists()
    record = SourceRecord.read(out / "pairs_patterns.tsv.xz")
    sources = {"openstax", "us-government", "wikinews", "git-history", "lemminflect"}
    assert record == SourceRecord(frozenset(sources), MDN)
    invoke("error-table", open_folder, "--source-list", "open", "-o", out / "errors.json.gz")
    assert SourceRecord.read(out / "errors.json.gz").sources >= {"lemminflect", "codespell", "toefl-spell"}
    invoke("error-table", out / "errors.json.gz", "--source-list", "open", "--rate", "chat=0", "-o", out / "b.json.gz")
    assert SourceRecord.read(out / "b.json.gz") == SourceRecord.read(out / "errors.json.gz")


def test_pairs_are_prepared_under_a_source_list(invoke: Invoke, open_folder: Path, pairs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.tsv"
    invoke("prepare", open_folder / "mined" / "git_spell.tsv.xz", "--source-list", "open", "-o", out)
    assert out.read_text() == "I has a cat.\tI have a cat.\n"
    invoke("prepare", out, "--source-list", "open", "--spelling", "tokenized", "-o", tmp_path / "again.tsv")
    assert SourceRecord.read(tmp_path / "again.tsv") == SourceRecord(frozenset({"git-history"}), MDN)
    with pytest.raises(InputError, match="it is not known what this file was made from"):
        invoke("prepare", pairs, "--source-list", "open", "-o", tmp_path / "other.tsv")
    assert not (tmp_path / "other.tsv").exists()


@pytest.mark.parametrize("options", [("--chinese",), ("--tokenizer", "tokenizer.json")])
def test_options_without_a_source_list(invoke: Invoke, pairs: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match=r"--source-list works with --english and with \.tsv output"):
        invoke("prepare", pairs, "--source-list", "open", "-o", tmp_path / "out", *options)


def test_pairs_that_a_model_does_not_prefer_are_dropped(
    invoke: Invoke, tiny_model: ModelFolder, tmp_path: Path
) -> None:
    pairs, out = tmp_path / "in.tsv", tmp_path / "out.tsv"
    pairs.write_text("He have two cat.\tHe has two cats.\nI agree with you.\tI am agree with you.\n")
    outcome = invoke("prepare", pairs, "--agrees-with", tiny_model.path, "-o", out)
    assert out.read_text() == "He have two cat.\tHe has two cats.\n"
    assert "1 dropped: not preferred by the model" in outcome.stdout
    invoke("prepare", pairs, "--agrees-with", tiny_model.path, "--min-preference", "-1000", "-o", out)
    assert len(out.read_text().splitlines()) == 2


def test_pairs_with_an_unlikely_correction_are_dropped(invoke: Invoke, tiny_model: ModelFolder, tmp_path: Path) -> None:
    pairs, out = tmp_path / "in.tsv", tmp_path / "out.tsv"
    pairs.write_text("He has two cats.\tHe have two cat.\nI agree.\tI agree.\n")
    outcome = invoke("prepare", pairs, "--agrees-with", tiny_model.path, "--min-gain", "-1", "-o", out)
    assert out.read_text() == "I agree.\tI agree.\n"
    assert "1 dropped: too unlikely by the model" in outcome.stdout
    with pytest.raises(ConfigError, match="--min-preference and --min-gain exclude each other"):
        both = ("--min-gain", "-1", "--min-preference", "2")
        invoke("prepare", pairs, "--agrees-with", tiny_model.path, *both, "-o", out)


def test_a_limit_without_a_model_is_refused(invoke: Invoke, pairs: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--min-preference and --min-gain need --agrees-with"):
        invoke("prepare", pairs, "--min-gain", "-1", "-o", tmp_path / "out.tsv")


def test_the_bar_counts_the_pairs_that_a_model_scores(
    invoke: Invoke, tiny_model: ModelFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, int] | float] = []

    class RecordedBar(Bar):
        def __call__(self, steps: float = 1) -> None:
            seen.append(steps)

        def restart(self, title: str, total: int) -> None:
            seen.append((title, total))

    monkeypatch.setattr("redraft.cli.commands.prepare.progress", lambda title, total: nullcontext(RecordedBar()))
    pairs = tmp_path / "in.tsv"
    pairs.write_text("He have two cat.\tHe has two cats.\nI agree.\tI agree.\nHe have two cat.\tHe has two cats.\n")
    invoke("prepare", pairs, "--changed", "--agrees-with", tiny_model.path, "-o", tmp_path / "out.tsv")
    assert seen == [1, ("Scoring", 1), 1], "one file is read, and one pair is left to score"


def test_a_model_filters_pairs_only(invoke: Invoke, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--agrees-with filters pairs"):
        invoke("prepare", lay_out(tmp_path / "en"), "--english", "--agrees-with", "en", "-o", tmp_path / "out")

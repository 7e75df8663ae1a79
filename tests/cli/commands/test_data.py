from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from english_folder import lay_out, pack
from typer.testing import CliRunner, Result

from redraft.cli.commands import data
from redraft.errors import ConfigError, InputError
from redraft.lab.data.noise_rates import SHARES
from redraft.lab.data.shards import Shards
from redraft.lab.data.source_record import SourceRecord
from redraft.lab.data.table import Candidate, ErrorTable, Family
from redraft.model.folder import ModelFolder
from redraft.tokens.tokenizer import Tokenizer

Run = Callable[..., Result]
MDN = frozenset({"mdn/content"})
PAIRS = "He go home.\tHe goes home.\nAll is well.\tAll is well.\nno tab here\nHe go home.\tHe goes home.\n"


@pytest.fixture
def run() -> Run:
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(data.prepare)
    app.command()(data.synthesize)
    app.command("error-table")(data.error_table)

    def run(*arguments: object) -> Result:
        return CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)

    return run


@pytest.fixture
def table_file(tmp_path: Path) -> Path:
    path = tmp_path / "table.json.gz"
    candidates = {"the": (Candidate("", Family.ARTICLE, 4000.0),)}
    ErrorTable("en", candidates=candidates, ranks={"the": 0, "cats": 1}, density={"article": 400.0}).save(path)
    return path


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "in.tsv"
    path.write_text(PAIRS)
    return path


def test_prepare_filters_and_reports(run: Run, pairs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.tsv"
    outcome = run("prepare", pairs, "-o", out, "--changed", "--spelling", "tokenized")
    assert outcome.exit_code == 0
    assert out.read_text() == "He go home .\tHe goes home .\n"
    assert "1 dropped: unchanged" in outcome.stdout
    assert "1 dropped: duplicate" in outcome.stdout
    assert f"{pairs}:3: no tab" in outcome.stderr


def test_prepare_keeps_dev_sentences_out(run: Run, pairs: Path, tmp_path: Path) -> None:
    dev = tmp_path / "dev.txt"
    dev.write_text("he goes home\n")
    outcome = run("prepare", pairs, "-o", tmp_path / "out.tsv", "--exclude", dev, "--near", "--script", "latin")
    assert (tmp_path / "out.tsv").read_text() == "All is well.\tAll is well.\n"
    assert "2 dropped: excluded" in outcome.stdout


def test_prepare_packs(run: Run, pairs: Path, tmp_path: Path) -> None:
    Tokenizer.train_bytes(["He goes home."], 300).save(tmp_path / "tokenizer.json")
    run("prepare", pairs, "-o", tmp_path / "ids", "--tokenizer", tmp_path / "tokenizer.json", "--max-ratio", "2")
    assert len(Shards(tmp_path / "ids")) == 2


def test_prepare_makes_the_english_files(run: Run, tmp_path: Path) -> None:
    outcome = run("prepare", lay_out(tmp_path / "en"), "--english", "-o", tmp_path / "out")
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
    run: Run, pairs: Path, tmp_path: Path, options: tuple[str, str], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        run("prepare", pairs, "-o", tmp_path / "out.tsv", *options)


def test_a_table_and_what_it_makes(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("lemminflect")
    folder = lay_out(tmp_path / "en")
    table, out = tmp_path / "errors.json.gz", tmp_path / "made.tsv.gz"
    outcome = run("error-table", folder, "-o", table)
    assert outcome.exit_code == 0
    assert "errors of" in outcome.stdout
    clean = folder / "clean" / "openstax.txt.xz"
    gold = folder / "pairs" / "wi.train.raw.tsv.xz"
    outcome = run("synthesize", clean, "--error-table", table, "-o", out, "--clean", "0", "--compare", gold)
    assert outcome.exit_code == 0
    assert f"5 pairs in {out}" in outcome.stdout
    assert "synthetic: 5 pairs" in outcome.stdout


def test_synthesize_says_what_is_wrong(run: Run, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("All is well.\n")
    with pytest.raises(InputError, match="error-table"):
        run("synthesize", text, "--error-table", tmp_path / "none", "-o", tmp_path / "out.tsv")
    with pytest.raises(ConfigError, match="--engine"):
        run("synthesize", text, "--error-table", tmp_path / "none", "-o", tmp_path / "out.tsv", "--engine", "magic")
    with pytest.raises(ConfigError, match="--compare"):
        run("synthesize", text, "--error-table", tmp_path / "none", "-o", tmp_path / "out.tsv", "--plot", "x.png")


def test_a_table_is_copied_with_other_rates(run: Run, table_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "other.json.gz"
    run("error-table", table_file, "-o", out, "--rate", "chat=0.25", "--share", "spelling=0.5")
    old, new = ErrorTable.load(table_file), ErrorTable.load(out)
    assert new.rates == {"chat": 0.25}
    assert new.shares["spelling"] == 0.5
    assert new.shares["article"] == SHARES[Family.ARTICLE]
    assert new.candidates == old.candidates
    for wrong in ("chta=0.1", "chat", "chat=2"):
        with pytest.raises(ConfigError, match=r"chat|chta"):
            run("error-table", table_file, "-o", tmp_path / "none.json.gz", "--rate", wrong)
    assert not (tmp_path / "none.json.gz").exists()


def test_synthesize_takes_any_rate(run: Run, table_file: Path, tmp_path: Path) -> None:
    (tmp_path / "clean.txt").write_text("The cats went to the house.\n" * 30)
    rates = ("--rate", "fragments=1", "--rate", "tokenized=0")
    run("synthesize", tmp_path / "clean.txt", "--error-table", table_file, "-o", tmp_path / "out.tsv", *rates)
    targets = {line.partition("\t")[2] for line in (tmp_path / "out.tsv").read_text().splitlines()}
    assert not any(target.endswith(".") for target in targets)


def test_another_language_needs_pairs(run: Run, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="name a file"):
        run("error-table", tmp_path, "-o", tmp_path / "x", "--language", "tlh")


def test_a_development_set_is_held_out(run: Run, tmp_path: Path) -> None:
    lines = [f"Він іде дому {number}.\tВін іде додому {number}." for number in range(10)]
    (tmp_path / "in.tsv").write_text("\n".join(lines), encoding="utf-8")
    dev, out = tmp_path / "dev.m2", tmp_path / "out.tsv"
    result = run("prepare", tmp_path / "in.tsv", "-o", out, "--dev", dev, "--dev-pairs", 3)
    assert "3 pairs in the dev set" in result.stdout
    assert out.read_text(encoding="utf-8").splitlines() == lines[:7]
    assert dev.read_text(encoding="utf-8").count("додому") == 3


def test_a_table_of_any_language_comes_from_pairs(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in.tsv").write_text("Він іде дому.\tВін іде додому.\n" * 3, encoding="utf-8")
    table = tmp_path / "errors.json.gz"
    run("error-table", tmp_path / "in.tsv", "--language", "uk", "-o", table)
    assert ErrorTable.load(table).language == "uk"
    (tmp_path / "clean.txt").write_text("Він іде додому.\n", encoding="utf-8")
    result = run("synthesize", tmp_path / "clean.txt", "--error-table", table, "-o", tmp_path / "made.tsv")
    assert "1 pairs" in result.stdout


def test_chinese_takes_a_folder(run: Run, pairs: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one folder"):
        run("prepare", pairs, "--chinese", "-o", tmp_path / "out")


@pytest.fixture
def open_folder(tmp_path: Path) -> Path:
    folder = lay_out(tmp_path / "en")
    (folder / "mined").mkdir()
    rows = ["I has a cat.\tI have a cat.\tmdn/content\tINFL", "He go.\tHe goes.\tsome/where\tINFL"]
    pack(folder / "mined" / "git_spell.tsv.xz", rows)
    return folder


def test_with_a_source_list_only_its_sources_are_used(run: Run, open_folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("lemminflect")
    out = tmp_path / "out"
    outcome = run("prepare", open_folder, "--english", "--source-list", "open", "-o", out)
    assert "rows left out, because their repository is not listed: 1\n" in outcome.stdout
    assert not (out / "wi_all.tsv").exists()
    record = SourceRecord.read(out / "pairs_mined.tsv.xz")
    assert record == SourceRecord(frozenset({"openstax", "us-government", "wikinews", "git-history"}), MDN)
    run("error-table", open_folder, "--source-list", "open", "-o", out / "errors.json.gz")
    assert SourceRecord.read(out / "errors.json.gz").sources >= {"lemminflect", "codespell", "toefl-spell"}
    run("error-table", out / "errors.json.gz", "--source-list", "open", "--rate", "chat=0", "-o", out / "b.json.gz")
    assert SourceRecord.read(out / "b.json.gz") == SourceRecord.read(out / "errors.json.gz")


def test_pairs_are_prepared_under_a_source_list(run: Run, open_folder: Path, pairs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.tsv"
    run("prepare", open_folder / "mined" / "git_spell.tsv.xz", "--source-list", "open", "-o", out)
    assert out.read_text() == "I has a cat.\tI have a cat.\n"
    run("prepare", out, "--source-list", "open", "--spelling", "tokenized", "-o", tmp_path / "again.tsv")
    assert SourceRecord.read(tmp_path / "again.tsv") == SourceRecord(frozenset({"git-history"}), MDN)
    with pytest.raises(InputError, match="it is not known what this file was made from"):
        run("prepare", pairs, "--source-list", "open", "-o", tmp_path / "other.tsv")
    assert not (tmp_path / "other.tsv").exists()


@pytest.mark.parametrize("options", [("--chinese",), ("--tokenizer", "tokenizer.json")])
def test_options_without_a_source_list(run: Run, pairs: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match=r"--source-list works with --english and with \.tsv output"):
        run("prepare", pairs, "--source-list", "open", "-o", tmp_path / "out", *options)
    with pytest.raises(ConfigError, match="works with the English table only"):
        run("error-table", pairs, "--language", "uk", "--source-list", "open", "-o", tmp_path / "t.json.gz")


def test_pairs_that_a_model_does_not_prefer_are_dropped(run: Run, tiny_model: ModelFolder, tmp_path: Path) -> None:
    pairs, out = tmp_path / "in.tsv", tmp_path / "out.tsv"
    pairs.write_text("He have two cat.\tHe has two cats.\nI agree with you.\tI am agree with you.\n")
    outcome = run("prepare", pairs, "--agrees-with", tiny_model.path, "-o", out)
    assert out.read_text() == "He have two cat.\tHe has two cats.\n"
    assert "1 dropped: not preferred by the model" in outcome.stdout
    run("prepare", pairs, "--agrees-with", tiny_model.path, "--min-preference", "-1000", "-o", out)
    assert len(out.read_text().splitlines()) == 2


def test_a_model_filters_pairs_only(run: Run, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--agrees-with filters pairs"):
        run("prepare", lay_out(tmp_path / "en"), "--english", "--agrees-with", "en", "-o", tmp_path / "out")

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from redraft.checksum import checksum
from redraft.errors import InputError
from redraft.lab.data.shards import write
from redraft.lab.data.source_record import SourceRecord
from redraft.lab.train.config import read
from redraft.lab.train.process_group import ProcessGroup
from redraft.lab.train.run_log import RunLog
from redraft.lab.train.sources import (
    check_files,
    check_licences,
    count_workers,
    index_text,
    plan_workers,
    prepare_sources,
)
from redraft.lab.train.training_run import train
from redraft.tokens.tokenizer import Tokenizer


def test_a_stage_gets_the_sources_of_its_mix(config_file):
    config = read(config_file())
    sources = prepare_sources(config, Path(), ProcessGroup(), RunLog(None))
    first, second = (
        plan_workers(config.data, stage, number, sources, Path()) for number, stage in enumerate(config.stages)
    )
    assert [(source.kind, source.share) for source in first.sources] == [
        ("clean", 0.6),
        ("pairs", 0.2),
        ("shards", 0.2),
    ]
    assert [(source.kind, source.share) for source in second.sources] == [("pairs", 1.0)]
    assert first.error_table is not None and second.error_table is None  # pairs have errors already
    assert first.seed != second.seed


def test_text_that_no_stage_uses_is_not_read(config_file, tmp_path):
    changes = ["stages.first.mix={pairs=1.0}", f"data.sources.clean.files=['{tmp_path / 'nowhere.txt'}']"]
    assert prepare_sources(read(config_file(), changes), Path(), ProcessGroup(), RunLog(None)).keys() == {"pairs"}


def test_workers_are_shared_by_the_processes_of_one_machine(config_file, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 16)
    data = read(config_file(), ["data.workers=0"]).data
    assert count_workers(data, ProcessGroup()) == 15
    assert count_workers(data, ProcessGroup(rank=0, size=4)) == 3


def prepare_packed(config_file, *changes: str) -> None:
    changes = ("stages.first.mix={packed=1.0}", "stages.second.mix={packed=1.0}", *changes)
    prepare_sources(read(config_file(), changes), Path(), ProcessGroup(), RunLog(None))


def test_packed_ids_of_another_tokenizer_are_refused(config_file, tmp_path):
    other = tmp_path / "other.json"
    Tokenizer.train_bytes(["another text"], 400).save(other)
    with pytest.raises(InputError, match=rf"packed with another tokenizer than {other}"):
        prepare_packed(config_file, f"data.tokenizer={other}")


def test_packed_ids_are_not_copied_and_must_be_there(config_file, tmp_path):
    prepare_packed(config_file)
    assert not (tmp_path / "run" / "text").exists()
    with pytest.raises(InputError, match="no training file matches"):
        prepare_packed(config_file, f"data.sources.packed.files=['{tmp_path / 'nowhere'}']")
    with pytest.raises(InputError, match=r"shards\.json is missing"):
        prepare_packed(config_file, f"data.sources.packed.files=['{tmp_path}']")


def test_a_folder_without_pairs_is_refused(config_file, world, tmp_path):
    write(tmp_path / "none", [], 400, checksum(world / "tokenizer.json"))
    with pytest.raises(InputError, match="no pair is left"):
        prepare_packed(config_file, f"data.sources.packed.files=['{tmp_path / 'none'}']")


def test_all_missing_files_are_named_at_once(config_file, tmp_path):
    check_files(read(config_file()), Path())
    changes = [
        "data.tokenizer=a.json",
        "data.error_table=b.gz",
        "start=c",
        "data.exclude=['d/*.txt']",
        "dev.m2=['e.m2']",
    ]
    changes += ["data.sources.clean.files=['f.xz', 'g.xz']", "data.sources.unused={kind='copy', files=['h']}"]
    with pytest.raises(InputError) as failure:
        check_files(read(config_file(), changes), tmp_path)
    assert str(failure.value).splitlines()[1:] == [
        "  data.tokenizer: a.json",
        "  data.error_table: b.gz",
        "  start: c",
        "  data.exclude: d/*.txt",
        "  dev.m2: e.m2",
        "  data.sources.clean.files: f.xz",
        "  data.sources.clean.files: g.xz",
    ]


def test_missing_files_are_found_before_a_device_is_used(config_file, monkeypatch):
    def fail(name: str) -> None:
        raise AssertionError("a device was chosen")

    monkeypatch.setattr("redraft.lab.train.training_run.choose_device", fail)
    with pytest.raises(InputError, match=r"data\.tokenizer: nowhere\.json"):
        train(read(config_file(), ["data.tokenizer=nowhere.json"]))


@pytest.fixture
def listed(world, tmp_path):
    """A source list that allows the clean text, and records of the other files but the pairs."""
    path = tmp_path / "sources.toml"
    path.write_text(
        'licence = "MIT"\n'
        '[sources.towns]\nfiles = ["clean.txt"]\ntitle = "Towns"\nlicence = "CC0"\nattribution = "Ann"\n'
        '[sources.words]\ntitle = "Words"\nlicence = "MIT"\nattribution = "Bob"\n[repositories]\n"a/b" = "CC BY 4.0"\n'
    )
    files = {}
    for name in ("tokenizer.json", "errors.json.gz", "pairs.tsv"):
        files[name] = shutil.copy(world / name, tmp_path)
    for name in ("tokenizer.json", "errors.json.gz"):
        SourceRecord(frozenset({"words"})).write(tmp_path / name)
    return [
        "licence=MIT",
        f"data.source_list={path}",
        f"data.tokenizer={files['tokenizer.json']}",
        f"data.error_table={files['errors.json.gz']}",
        f"data.sources.pairs.files=['{files['pairs.tsv']}']",
        "stages.first.mix={clean=0.6, pairs=0.4}",
    ]


def test_files_that_the_source_list_does_not_allow_are_refused_all_at_once(config_file, listed, tmp_path):
    (tmp_path / "tokenizer.json.sources.json").unlink()
    with pytest.raises(InputError) as failure:
        check_licences(read(config_file(), listed), Path())
    lines = str(failure.value).splitlines()
    assert lines[0].endswith("sources.toml does not allow all that the config names:")
    assert [line.split(": ")[0] for line in lines[1:]] == ["  data.tokenizer", "  data.sources.pairs.files"]


def test_the_check_comes_before_a_device_is_used(config_file, listed, monkeypatch):
    monkeypatch.setattr("redraft.lab.train.training_run.choose_device", lambda name: pytest.fail("a device was chosen"))
    with pytest.raises(InputError, match=r"pairs\.tsv: it is not known what this file was made from"):
        train(read(config_file(), listed))


def test_the_card_gives_credit_to_what_was_used(config_file, listed, tmp_path):
    SourceRecord(frozenset({"words"}), frozenset({"a/b"})).write(tmp_path / "pairs.tsv")
    changes = [*listed, "stages.first.steps=1", "stages.second.steps=1"]
    model = train(read(config_file(), changes)).model
    assert model
    card = (model / "card.md").read_text()
    assert "Licence of the model: MIT." in card
    assert "| Towns | CC0 | Ann |\n| Words | MIT | Bob |" in card
    assert "| [a/b](https://github.com/a/b) | CC BY 4.0 |" in card


def test_packed_ids_are_refused_under_a_source_list(config_file, listed):
    with pytest.raises(InputError, match=r"data\.sources\.packed\.files: .*ids: it is not known"):
        check_licences(read(config_file(), [*listed, "stages.first.mix={packed=1.0}"]), Path())


def test_a_start_with_other_terms_is_refused(config_file, listed, tiny_model, tmp_path):
    changes = [*listed, "stages.first.mix={clean=1.0}", "stages.second.mix={clean=1.0}", f"start={tiny_model.path}"]
    check_licences(read(config_file(), changes), Path())
    other = [change.replace("sources.toml", "other.toml") for change in changes]
    (tmp_path / "other.toml").write_text((tmp_path / "sources.toml").read_text().replace('"MIT"', '"CC0"', 1))
    with pytest.raises(
        InputError, match=r"start: .*its licence is 'MIT'; with this source list a model must have 'CC0'"
    ):
        check_licences(read(config_file(), [*other, "licence=CC0"]), Path())


@pytest.fixture
def with_tokenizer_of_model(listed, tiny_model, tmp_path):
    """The changes of `listed`, for clean text alone, with the tokenizer of a model folder that a test may change."""
    shutil.copytree(tiny_model.path, tmp_path / "model")
    changes = [change for change in listed if not change.startswith("data.tokenizer=")]
    changes += ["stages.first.mix={clean=1.0}", "stages.second.mix={clean=1.0}"]
    return [*changes, f"data.tokenizer={tmp_path / 'model' / 'tokenizer.json'}"]


def test_the_tokenizer_of_a_model_is_allowed_as_the_model_is(config_file, with_tokenizer_of_model, tmp_path):
    text = check_licences(read(config_file(), with_tokenizer_of_model), Path())
    assert text.endswith(f"The tokenizer is that of {tmp_path / 'model'}, whose card lists further sources.\n")
    started = check_licences(read(config_file(), [*with_tokenizer_of_model, f"start={tmp_path / 'model'}"]), Path())
    assert "The tokenizer" not in started, "the card names the start already"


def test_the_tokenizer_of_a_model_with_another_licence_is_refused(config_file, with_tokenizer_of_model, tmp_path):
    path = tmp_path / "sources.toml"
    path.write_text(path.read_text().replace('"MIT"', '"CC0"', 1))
    changes = [*with_tokenizer_of_model, "licence=CC0"]
    with pytest.raises(InputError, match=r"  data\.tokenizer: .*model: its licence is 'MIT'; .* must have 'CC0'"):
        check_licences(read(config_file(), changes), Path())
    SourceRecord(frozenset({"words"})).write(tmp_path / "model" / "tokenizer.json")
    assert "Words" in check_licences(read(config_file(), changes), Path()), "the record says more than the licence"


def test_a_tokenizer_that_is_not_the_one_of_its_model_is_refused(config_file, with_tokenizer_of_model, world, tmp_path):
    shutil.copy(world / "tokenizer.json", tmp_path / "model")
    with pytest.raises(
        InputError, match=r"  data\.tokenizer: .*tokenizer\.json is damaged: its SHA-256 is not the one"
    ):
        check_licences(read(config_file(), with_tokenizer_of_model), Path())


def test_a_tokenizer_without_a_manifest_is_of_no_model(config_file, with_tokenizer_of_model, tmp_path):
    (tmp_path / "model" / "manifest.json").unlink()
    with pytest.raises(InputError, match=r"  data\.tokenizer: .*it is not known what this file was made from"):
        check_licences(read(config_file(), with_tokenizer_of_model), Path())


def test_another_file_in_a_model_folder_is_no_tokenizer_of_the_model(config_file, with_tokenizer_of_model, tmp_path):
    other = tmp_path / "model" / "other.json"
    shutil.copy(other.with_name("tokenizer.json"), other)
    with pytest.raises(InputError, match=r"  data\.tokenizer: .*it is not known what this file was made from"):
        check_licences(read(config_file(), [*with_tokenizer_of_model, f"data.tokenizer={other}"]), Path())


def test_the_model_has_the_licence_of_the_source_list(config_file, listed):
    with pytest.raises(InputError, match="licence: must be 'MIT', not 'Apache 2'"):
        check_licences(read(config_file(), [*listed, "licence=Apache 2"]), Path())


def test_without_a_source_list_nothing_is_refused(config_file):
    assert check_licences(read(config_file()), Path()) == ""


def test_the_source_list_holds_for_variants_too(config_file, listed):
    """The only file that is not allowed is that of one variant."""
    path = config_file()
    path.write_text(path.read_text(encoding="utf-8").replace("mix = { pairs = 1.0 }", "mix = { clean = 1.0 }"))
    shared = [*listed, "stages.first.mix={clean=1.0}", "last_shared_stage=first"]
    variants = "variants=[{name='a', set=['stages.second.mix={clean=0.5, pairs=0.5}']}, {name='b'}]"
    with pytest.raises(InputError, match=r"data\.sources\.pairs\.files: .*pairs\.tsv"):
        check_licences(read(path, [*shared, variants]), Path())
    assert "Towns" in check_licences(read(path, [*shared, variants.replace("pairs=0.5", "pairs=0.0")]), Path())


def test_text_is_indexed_before_the_run(config_file, tmp_path, capsys):
    """Also before all files are there: weights to start from, and pairs that another run makes."""
    changes = ["start=none", f"data.sources.pairs.files=['{tmp_path / 'later.tsv'}']"]
    index_text(read(config_file(), changes))
    printed = capsys.readouterr().err
    assert "pairs: not indexed, because" in printed and "later.tsv does not exist" in printed
    indexed = {path.parent.name: path.stat().st_mtime_ns for path in (tmp_path / "run" / "text").glob("*/indexed.json")}
    assert "clean" in indexed and "pairs" not in indexed
    assert train(read(config_file(), ["stages.first.steps=1"])).finished
    again = {path.parent.name: path.stat().st_mtime_ns for path in (tmp_path / "run" / "text").glob("*/indexed.json")}
    assert indexed.items() <= again.items() and "pairs" in again

from __future__ import annotations

from pathlib import Path

import pytest
from tiny import PAIRS

from redraft.lab.data.pair import Pair
from redraft.lab.data.source_record import SourceRecord
from redraft.lab.train.agreement import AgreementFilter, main
from redraft.model.folder import ModelFolder

CORRECTIONS = [Pair(source, target) for source, target in PAIRS]
REVERSED = [Pair(pair.target, pair.source) for pair in CORRECTIONS]
TOO_LONG = Pair("She go to school every days. " * 60, "She goes to school every day. " * 60)


@pytest.fixture(scope="module")
def agreement(tiny_model: ModelFolder) -> AgreementFilter:
    return AgreementFilter.open(tiny_model, "cpu")


def test_a_model_prefers_corrections_to_their_opposites(agreement: AgreementFilter) -> None:
    assert all(preference and preference > 2 for preference in agreement.preferences(CORRECTIONS))
    assert all(preference and preference < -2 for preference in agreement.preferences(REVERSED))


def test_the_preference_of_the_opposite_is_the_negative_one(agreement: AgreementFilter) -> None:
    forward, backward = agreement.preferences(CORRECTIONS), agreement.preferences(REVERSED)
    assert [-value for value in backward if value is not None] == pytest.approx(forward, abs=1e-3)


def test_a_pair_has_the_same_preference_alone_and_in_a_batch(agreement: AgreementFilter) -> None:
    alone = [agreement.preferences([pair])[0] for pair in CORRECTIONS]
    assert agreement.preferences(CORRECTIONS) == pytest.approx(alone, abs=1e-3)


def test_unchanged_pairs_are_not_preferred(agreement: AgreementFilter) -> None:
    assert agreement.preferences([Pair("He has two cats.", "He has two cats.")]) == pytest.approx([0.0], abs=1e-4)


def test_what_is_kept_is_counted(tiny_model: ModelFolder) -> None:
    agreement = AgreementFilter.open(tiny_model, "cpu")
    assert list(agreement.apply([CORRECTIONS[0], REVERSED[1], TOO_LONG, CORRECTIONS[2]])) == [
        CORRECTIONS[0],
        CORRECTIONS[2],
    ]
    assert (agreement.read, agreement.kept, agreement.too_long) == (4, 2, 1)
    assert "1 dropped: not preferred by the model" in agreement.report()


def test_by_gain_unchanged_pairs_and_likely_corrections_are_kept(tiny_model: ModelFolder) -> None:
    unchanged = Pair("He has two cats.", "He has two cats.")
    pairs = [CORRECTIONS[0], REVERSED[0], unchanged]
    by_gain = AgreementFilter.open(tiny_model, "cpu", -1.0, "gain")
    assert list(by_gain.apply(pairs)) == [CORRECTIONS[0], unchanged]
    assert "1 dropped: too unlikely by the model" in by_gain.report()
    assert list(AgreementFilter.open(tiny_model, "cpu").apply(pairs)) == [CORRECTIONS[0]]


def test_every_batch_is_reported(tiny_model: ModelFolder) -> None:
    agreement = AgreementFilter.open(tiny_model, "cpu")
    agreement.batch = 2
    counts: list[int] = []
    kept = agreement.apply([*CORRECTIONS[:3], TOO_LONG, TOO_LONG], counts.append)
    assert next(kept) == CORRECTIONS[0]
    assert counts == [2, 2, 1], "pairs that are too long, and two batches"


def test_the_module_runs_where_there_is_no_typer(
    tiny_model: ModelFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs, output = tmp_path / "pairs.tsv", tmp_path / "kept.tsv.xz"
    pairs.write_text("".join(f"{pair.source}\t{pair.target}\n" for pair in (CORRECTIONS[0], REVERSED[1])))
    assert main([str(tiny_model.path), str(pairs), str(output), "--device", "cpu"]) == 0
    written = capsys.readouterr()
    assert "1 kept" in written.out
    assert written.err.startswith("2 of 2 pairs, ")
    assert output.is_file()


def test_a_least_gain_instead_of_a_preference(
    tiny_model: ModelFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs, output = tmp_path / "pairs.tsv", tmp_path / "kept.tsv"
    pairs.write_text(f"{REVERSED[1].source}\t{REVERSED[1].target}\nHe has two cats.\tHe has two cats.\n")
    arguments = [str(tiny_model.path), str(pairs), str(output), "--device", "cpu"]
    assert main([*arguments, "--min-gain", "-1"]) == 0
    assert output.read_text() == "He has two cats.\tHe has two cats.\n"
    with pytest.raises(SystemExit):
        main([*arguments, "--min-gain", "-1", "--min-preference", "2"])
    assert "--min-preference: not allowed with argument --min-gain" in capsys.readouterr().err


def test_under_a_source_list_model_and_pairs_must_be_allowed(
    tiny_model: ModelFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs, output, sources = (tmp_path / name for name in ("pairs.tsv", "kept.tsv", "sources.toml"))
    pairs.write_text(f"{CORRECTIONS[0].source}\t{CORRECTIONS[0].target}\n")
    entry = '[sources.a]\ntitle = "A"\nlicence = "CC0"\nattribution = "B"\n'
    arguments = [str(tiny_model.path), str(pairs), str(output), "--device", "cpu", "--source-list", str(sources)]
    sources.write_text(f'licence = "CC BY-SA 4.0"\n{entry}')
    assert main(arguments) == 2
    assert "it is not known what this file was made from" in capsys.readouterr().err
    SourceRecord(frozenset({"a"})).write(pairs)
    assert main(arguments) == 2
    assert "its licence is 'MIT'; with this source list a model must have" in capsys.readouterr().err
    sources.write_text(f'licence = "MIT"\n{entry}')
    assert main(arguments) == 0
    assert SourceRecord.read(output) == SourceRecord(frozenset({"a"}))

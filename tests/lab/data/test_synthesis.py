from __future__ import annotations

from pathlib import Path

import pytest

from redraft.errors import ConfigError, InputError
from redraft.lab.data import synthesis
from redraft.lab.data.readers import Faults
from redraft.lab.data.synthesis import Engine, Recipe, synthesize


@pytest.fixture
def clean_text(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "one.txt", tmp_path / "two.txt"]
    for start, path in enumerate(paths):
        path.write_text("".join(f"The cats went to house {start}-{number}, it is good.\n" for number in range(40)))
    return paths


def test_the_output_does_not_depend_on_the_workers(
    clean_text: list[Path], table_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(synthesis, "BATCH", 7)
    recipe = Recipe(table_file, seed=3)
    outputs = []
    for workers in (1, 2):
        out = tmp_path / f"{workers}.tsv"
        assert synthesize(clean_text, out, recipe, Faults(), workers) == 80
        outputs.append(out.read_text())
    assert outputs[0] == outputs[1]
    assert outputs[0].count("\n") == outputs[0].count("\t") == 80
    synthesize(clean_text, tmp_path / "other.tsv", Recipe(table_file, seed=4), Faults())
    assert (tmp_path / "other.tsv").read_text() != outputs[0]


def test_excluded_sentences_stay_out(clean_text: list[Path], table_file: Path, tmp_path: Path) -> None:
    excluded = frozenset(clean_text[0].read_text().splitlines())
    seen: list[int] = []
    made = synthesize(
        clean_text, tmp_path / "o.tsv", Recipe(table_file), Faults(), excluded=excluded, advance=lambda: seen.append(1)
    )
    assert made == 40
    assert len(seen) == 2


def test_a_failure_leaves_no_output(clean_text: list[Path], table_file: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        synthesize([*clean_text, tmp_path / "none"], tmp_path / "o.tsv", Recipe(table_file), Faults())
    assert not list(tmp_path.glob("o.tsv*"))


def test_what_cannot_be_done_is_said(clean_text: list[Path], table_file: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="workers"):
        synthesize(clean_text, tmp_path / "o.tsv", Recipe(table_file), Faults(), workers=0)
    with pytest.raises(InputError, match="no input"):
        synthesize([], tmp_path / "o.tsv", Recipe(table_file), Faults())
    with pytest.raises(InputError, match="error-table"):
        synthesize(clean_text, tmp_path / "o.tsv", Recipe(tmp_path / "none"), Faults(), workers=2)


def test_ray_gives_the_same(clean_text: list[Path], table_file: Path, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    recipe = Recipe(table_file, seed=3)
    synthesize(clean_text, tmp_path / "a.tsv", recipe, Faults())
    synthesize(clean_text, tmp_path / "b.tsv", recipe, Faults(), workers=1, engine=Engine.RAY)
    assert (tmp_path / "a.tsv").read_text() == (tmp_path / "b.tsv").read_text()

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest
from english_folder import pack

pytest.importorskip("lemminflect")

from redraft.lab.data.english_pattern_pairs import PatternPairs, draw_pairs
from redraft.lab.data.english_patterns import load_patterns
from redraft.lab.data.filters import Overlap
from redraft.lab.data.readers import Faults, read_sentences
from redraft.lab.data.tokenization import tokenize

FIRST = [f"I look forward to hearing from number {number}." for number in range(300)]
SECOND = [f"You depend on the river near the place {number}." for number in range(40)]


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    for name, sentences in (("a", FIRST), ("b", [*SECOND, FIRST[0], "Depend on it", "no capital depends on it."])):
        pack(tmp_path / f"{name}.txt.xz", sentences)
    return [tmp_path / "a.txt.xz", tmp_path / "b.txt.xz"]


def draw(paths: list[Path], held_out: frozenset[str] = frozenset(), seed: int = 1, workers: int = 1) -> PatternPairs:
    overlap = Overlap(["You depend on the river, near the place 7"])
    return draw_pairs(paths, held_out, overlap, Faults(), seed, workers)


def test_the_target_is_a_clean_sentence_in_either_spelling(paths: list[Path]) -> None:
    made = draw(paths)
    raw = {*FIRST, *SECOND}
    tokenized = {tokenize(sentence) for sentence in raw}
    targets = [pair.target for pair, _ in made.rows]
    assert {*targets} <= raw | tokenized
    assert 0.2 < sum(target in tokenized for target in targets) / len(targets) < 0.4
    assert all(pair.source != pair.target for pair, _ in made.rows)
    assert len({pair for pair, _ in made.rows}) == len(made.rows)
    assert sum(made.counts.values()) == len(made.rows)
    assert f"{len(made.rows):>10,} in all" in made.report()


def test_rows_name_their_patterns(paths: list[Path]) -> None:
    names = {pattern.name for pattern in load_patterns()}
    rows = [line.split("\t") for line in draw(paths).lines()]
    assert all(len(row) == 3 and {*row[2].split("|")} <= names for row in rows)
    assert any("|" in row[2] for row in rows)


def test_held_out_and_excluded_sentences_stay_out(paths: list[Path]) -> None:
    targets = {re.sub(r" (?=\.$)", "", pair.target) for pair, _ in draw(paths, frozenset(SECOND[:3])).rows}
    assert not targets & {*SECOND[:3], SECOND[7]}
    assert SECOND[4] in targets


def test_the_same_seed_gives_the_same_pairs(paths: list[Path]) -> None:
    assert draw(paths).rows == draw(paths).rows
    assert draw(paths).rows == draw(paths[::-1], workers=2).rows
    assert draw(paths).rows != draw(paths, seed=2).rows


def test_a_pattern_has_a_limit_and_files_share_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = next(pattern for pattern in load_patterns() if pattern.name == "look forward to -ing")
    monkeypatch.setattr(pattern, "limit", 60)
    personal = [f"I look forward to hearing from number {number}." for number in range(100)]
    other = [f"He looks forward to hearing from place {number}." for number in range(100)]
    paths = [tmp_path / f"{name}.txt.xz" for name in "abcdef"]
    for number, path in enumerate(paths):
        mixed = random.Random(number).sample(personal + other, 200)
        pack(path, [sentence.replace("hearing from", "hearing from " * (number + 1) + "them") for sentence in mixed])
    rows = [pair for pair, names in draw(paths).rows if names.startswith(pattern.name)]
    assert len(rows) == 60
    lengths = Counter(pair.target.count("hearing") for pair in rows)
    assert {*lengths} == {*range(1, 7)} and {*lengths.values()} == {10}, "the files have equal shares"
    assert sum(pair.target.startswith("I ") for pair in rows) >= 42, "first and second person are preferred"


@pytest.mark.parametrize("workers", [1, 2])
def test_faults_are_added_to_those_of_earlier_readers(tmp_path: Path, workers: int) -> None:
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for path in paths:
        path.write_bytes(b"I depend on the \xff.\nI depend on the river.\n")
    faults = Faults()
    list(read_sentences(paths[0], faults))
    made = draw_pairs(paths, frozenset(), Overlap([]), faults, workers=workers)
    assert made.rows and all("river" in pair.target for pair, _ in made.rows)
    assert faults.counts == {paths[0]: 2, paths[1]: 1}

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.errors import InputError
from redraft.lab.data.pair import Pair
from redraft.lab.data.shards import MANIFEST, EncodedPair, Shards, pack, write
from redraft.tokens.tokenizer import Tokenizer

sides = st.lists(st.integers(0, 99), max_size=6)


@given(st.lists(st.tuples(sides, sides), max_size=12), st.integers(1, 5), st.sampled_from([100, 1 << 16, 1 << 20]))
def test_what_goes_in_comes_out(pairs: list[tuple[list[int], list[int]]], shard_size: int, vocabulary: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        assert write(folder, (EncodedPair(*pair) for pair in pairs), vocabulary, "", shard_size) == len(pairs)
        shards = Shards(folder)
        assert [(list(pair.source), list(pair.target)) for pair in shards] == pairs
        assert list(shards.lengths()) == [(len(source), len(target)) for source, target in pairs]
        assert [list(pair.source) for pair in shards[1:3]] == [source for source, _ in pairs[1:3]]
        if pairs:
            assert list(shards[-1].target) == pairs[-1][1]


def test_a_place_outside(tmp_path: Path) -> None:
    write(tmp_path, [EncodedPair([1], [2])], 10, "")
    with pytest.raises(IndexError):
        Shards(tmp_path)[1]


def test_ids_outside_the_vocabulary_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"0\.\.9"):
        write(tmp_path, [EncodedPair([1], [10])], 10, "")
    with pytest.raises(InputError, match="missing"):
        Shards(tmp_path)


def test_an_unfinished_or_damaged_folder_is_refused(tmp_path: Path) -> None:
    write(tmp_path, [EncodedPair([1, 2], [3])], 10, "")
    index = (tmp_path / "00000.index.npy").read_bytes()
    (tmp_path / "00000.index.npy").write_bytes(index[:-8])
    with pytest.raises(InputError, match="damaged"):
        Shards(tmp_path)
    (tmp_path / "00000.index.npy").write_bytes(index)
    (tmp_path / MANIFEST).write_text('{"format": 1}')
    with pytest.raises(InputError, match="another format"):
        Shards(tmp_path)
    (tmp_path / MANIFEST).unlink()
    with pytest.raises(InputError, match="redraft prepare"):
        Shards(tmp_path)


def test_packing_text(tmp_path: Path) -> None:
    tokenizer = Tokenizer.train_bytes(["He goes home.", "She went home."], 300)
    tokenizer.save(tmp_path / "tokenizer.json")
    pairs = [Pair("He go home.", "He goes home."), Pair("", "She")]
    assert pack(tmp_path / "ids", iter(pairs), tmp_path / "tokenizer.json") == 2
    shards = Shards(tmp_path / "ids")
    assert shards.vocabulary == tokenizer.size
    texts = [Pair(tokenizer.decode(map(int, pair.source)), tokenizer.decode(map(int, pair.target))) for pair in shards]
    assert texts == pairs


def test_several_folders_are_numbered_through(tmp_path: Path) -> None:
    write(tmp_path / "one", [EncodedPair([1], [2]), EncodedPair([3], [4])], 10, "", shard_size=1)
    write(tmp_path / "none", [], 10, "")
    write(tmp_path / "two", [EncodedPair([5], [6])], 10, "")
    shards = Shards(tmp_path / "one", tmp_path / "none", tmp_path / "two")
    assert [list(pair.source) for pair in shards] == [[1], [3], [5]]
    assert list(shards.lengths()) == [(1, 1)] * 3


def test_another_tokenizer_is_refused_even_of_the_same_size(tmp_path: Path) -> None:
    for name in ("one", "two"):
        Tokenizer.train_bytes([f"{name} {name} {name}"], 262).save(tmp_path / f"{name}.json")
    assert Tokenizer.load(tmp_path / "one.json").size == Tokenizer.load(tmp_path / "two.json").size
    pack(tmp_path / "ids", [Pair("one", "one")], tmp_path / "one.json")
    shards = Shards(tmp_path / "ids")
    shards.refuse_other_tokenizers(tmp_path / "one.json")
    with pytest.raises(InputError, match=r"ids: packed with another tokenizer than .*two\.json; write it again"):
        shards.refuse_other_tokenizers(tmp_path / "two.json")
    with pytest.raises(InputError, match=r"three\.json: cannot be read"):
        shards.refuse_other_tokenizers(tmp_path / "three.json")

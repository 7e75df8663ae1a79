"""Token ids of many pairs in a few memory-mapped files, so that any pair can be read without loading all.

A folder has NNNNN.ids.npy (all ids in a row), NNNNN.index.npy (the start of each source and target, and the end)
and, written last, shards.json, with the checksum of the tokenizer file. A folder without it is incomplete.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from redraft.atomic_write import atomic_write
from redraft.checksum import checksum
from redraft.chunks import chunks
from redraft.errors import InputError
from redraft.lab.data.pair import Pair
from redraft.tokens.tokenizer import Tokenizer

FORMAT = 2
MANIFEST = "shards.json"
SHARD_SIZE = 500_000
ENCODED_AT_ONCE = 1_000

Ids = NDArray[np.uint16] | NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class EncodedPair:
    source: Sequence[int] | Ids
    target: Sequence[int] | Ids


def encode(pairs: Iterable[Pair], tokenizer: Tokenizer) -> Iterator[EncodedPair]:
    for batch in chunks(pairs, ENCODED_AT_ONCE):
        sources = tokenizer.encode_batch([pair.source for pair in batch])
        targets = tokenizer.encode_batch([pair.target for pair in batch])
        yield from map(EncodedPair, sources, targets)


def pack(folder: Path, pairs: Iterable[Pair], tokenizer: Path) -> int:
    """Encode the pairs with the tokenizer of a file and store them; returns their number."""
    loaded = Tokenizer.load(tokenizer)
    return write(folder, encode(pairs, loaded), loaded.size, checksum(tokenizer))


def write(
    folder: Path, pairs: Iterable[EncodedPair], vocabulary: int, tokenizer: str, shard_size: int = SHARD_SIZE
) -> int:
    """Store the pairs, whose ids are below `vocabulary`; returns their number."""
    folder.mkdir(parents=True, exist_ok=True)
    manifest = folder / MANIFEST
    manifest.unlink(missing_ok=True)
    kind = np.uint16 if vocabulary <= 1 << 16 else np.uint32
    sizes: list[int] = []
    for shard in chunks(pairs, shard_size):
        sides = [side for pair in shard for side in (pair.source, pair.target)]
        for side in sides:
            if len(side) and not 0 <= min(side) <= max(side) < vocabulary:
                raise InputError(
                    f"a token id outside 0..{vocabulary - 1}; encode with the tokenizer of this vocabulary"
                )
        index = np.fromiter(accumulate(map(len, sides), initial=0), dtype=np.int64, count=len(sides) + 1)
        ids = np.concatenate([np.asarray(side, dtype=kind) for side in sides])
        _save(folder / f"{len(sizes):05}.ids.npy", ids)
        _save(folder / f"{len(sizes):05}.index.npy", index)
        sizes.append(len(shard))
    with atomic_write(manifest) as partial:
        facts = {"format": FORMAT, "vocabulary": vocabulary, "tokenizer": tokenizer, "sizes": sizes}
        partial.write_text(json.dumps(facts) + "\n", encoding="utf-8")
    return sum(sizes)


def _save(path: Path, array: NDArray[np.generic]) -> None:
    with atomic_write(path) as partial, partial.open("wb") as file:
        np.save(file, array)


@dataclass(frozen=True, slots=True)
class _Folder:
    """Memory-mapped files of one folder."""

    vocabulary: int
    tokenizer: str
    sizes: list[int]
    ids: list[Ids]
    indexes: list[NDArray[np.int64]]


def _map(path: Path) -> NDArray[Any]:
    # As a plain array: slicing a numpy.memmap takes several times as long.
    return np.asarray(np.load(path, mmap_mode="r"))


def _open(folder: Path) -> _Folder:
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if manifest["format"] != FORMAT:
            raise ValueError(f"format {manifest['format']}")
        names = [f"{place:05}" for place in range(len(manifest["sizes"]))]
        found = _Folder(
            vocabulary=manifest["vocabulary"],
            tokenizer=manifest["tokenizer"],
            sizes=manifest["sizes"],
            ids=[_map(folder / f"{name}.ids.npy") for name in names],
            indexes=[_map(folder / f"{name}.index.npy") for name in names],
        )
        for size, ids, index in zip(found.sizes, found.ids, found.indexes, strict=True):
            if len(index) != 2 * size + 1 or index[-1] != len(ids):
                raise ValueError("index and ids do not fit together")
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError(f"{folder}: {Path(error.filename).name} is missing; run `redraft prepare`") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{folder}: damaged or of another format ({error}); write it again with `redraft prepare`"
        ) from None
    return found


class Shards(Sequence[EncodedPair]):
    """Pairs of one or several folders, in the order in which they were written."""

    def __init__(self, *folders: Path) -> None:
        self._folders = {folder: _open(folder) for folder in folders}
        opened = self._folders.values()
        self._ids = [ids for folder in opened for ids in folder.ids]
        self._indexes = [index for folder in opened for index in folder.indexes]
        self._ends = list(accumulate(size for folder in opened for size in folder.sizes))
        self.vocabulary = max((folder.vocabulary for folder in opened), default=0)

    def refuse_other_tokenizers(self, tokenizer: Path) -> None:
        """Raise InputError if a folder was packed with another tokenizer; its ids would mean other tokens."""
        wanted = checksum(tokenizer)
        for path, folder in self._folders.items():
            if folder.tokenizer != wanted:
                raise InputError(
                    f"{path}: packed with another tokenizer than {tokenizer}; "
                    f"write it again with `redraft prepare --tokenizer {tokenizer}`"
                )

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, place: int) -> EncodedPair: ...
    @overload
    def __getitem__(self, place: slice) -> list[EncodedPair]: ...
    def __getitem__(self, place: int | slice) -> EncodedPair | list[EncodedPair]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(f"pair {place} of {len(self)}")
        place %= len(self)
        shard = bisect_right(self._ends, place)
        inside = 2 * (place - (self._ends[shard - 1] if shard else 0))
        first, middle, end = self._indexes[shard][inside : inside + 3].tolist()
        ids = self._ids[shard]
        return EncodedPair(ids[first:middle], ids[middle:end])

    def lengths(self) -> Iterator[tuple[int, int]]:
        """Numbers of source and of target ids of each pair, to make batches of similar length."""
        for index in self._indexes:
            sizes = np.diff(index).reshape(-1, 2)
            yield from map(tuple, sizes.tolist())

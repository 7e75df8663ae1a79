"""Training text on disk: plain lines in memory-mapped files, with an index of where each line ends."""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from glob import glob
from hashlib import blake2b
from pathlib import Path

import numpy as np

from redraft.errors import InputError
from redraft.process_pool import open_pool

_MARKS = re.compile(r"[\W_]+")
INDEXED = "indexed.json"
"""Lists the finished files of a folder, with a checksum of what they were made from."""


class Lines:
    """Random access to the lines of several files, numbered from the first file to the last."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._texts = [np.memmap(path, dtype=np.uint8, mode="r") for path in files]
        self._ends = [np.load(index_of(path), mmap_mode="r") for path in files]
        self._firsts = np.cumsum([0, *(len(ends) for ends in self._ends)])

    def __len__(self) -> int:
        return int(self._firsts[-1])

    def __getitem__(self, number: int) -> str:
        file = int(np.searchsorted(self._firsts, number, side="right")) - 1
        within = number - int(self._firsts[file])
        ends = self._ends[file]
        start = int(ends[within - 1]) + 1 if within else 0
        return self._texts[file][start : int(ends[within])].tobytes().decode("utf-8")


@dataclass(frozen=True, slots=True)
class IndexedText:
    """Files ready for `Lines`, the number of lines read, and how many of them were left out."""

    files: tuple[Path, ...]
    lines: int
    excluded: int


def index_of(path: Path) -> Path:
    return path.with_name(path.name + ".ends.npy")


def normalize(sentence: str) -> str:
    """Letters and digits alone, in lower case: the same for a sentence with other case, spacing or punctuation."""
    return _MARKS.sub("", sentence.lower())


def read_excluded(files: Sequence[Path]) -> frozenset[int]:
    """Hashes of the sentences in text files and of the sources in M2 files."""
    found = set()
    for path in files:
        for line in _read_lines(path):
            if path.name.removesuffix(".xz").endswith(".m2"):
                if line.startswith("S "):
                    found.add(_hash(line[2:]))
            else:
                found.update(_hash(part) for part in line.split("\t"))
    return frozenset(found)


def expand_patterns(pattern: str, root: Path) -> list[Path]:
    """The files and folders that match a path or pattern, relative to `root`."""
    return [Path(match) for match in sorted(glob(str(root / pattern)))]  # noqa: PTH207 (Path.glob takes no absolute one)


def index_files(files: Sequence[Path], folder: Path, excluded: frozenset[int], processes: int = 1) -> IndexedText:
    """Unpacks and indexes files in parallel, without excluded lines. The same files are not read a second time."""
    origin = _checksum_of_origin(files, excluded)
    found = _read_indexed(folder, origin)
    if found is not None:
        return found
    folder.mkdir(parents=True, exist_ok=True)
    (folder / INDEXED).unlink(missing_ok=True)  # from here on the files may change: an older list must not fit them
    work = partial(_index_file, folder=folder, excluded=excluded)
    ordered = sorted(files, key=lambda path: -path.stat().st_size)
    if processes > 1 and len(files) > 1:
        with open_pool(min(processes, len(files))) as pool:
            reports = list(pool.map(work, ordered))
    else:
        reports = [work(path) for path in ordered]
    made = tuple(sorted(file for report in reports for file in report.files))
    if not made:
        raise InputError(f"{files[0]}: no line is left to train on")
    result = IndexedText(made, sum(report.lines for report in reports), sum(report.excluded for report in reports))
    names = [path.name for path in made]
    facts = {"origin": origin, "files": names, "lines": result.lines, "excluded": result.excluded}
    (folder / INDEXED).write_text(json.dumps(facts), encoding="utf-8")
    return result


def _checksum_of_origin(files: Sequence[Path], excluded: frozenset[int]) -> str:
    facts = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return blake2b(json.dumps([facts, sorted(excluded)]).encode()).hexdigest()


def _read_indexed(folder: Path, origin: str) -> IndexedText | None:
    try:
        facts = json.loads((folder / INDEXED).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    files = tuple(folder / name for name in facts["files"])
    if facts["origin"] != origin or not all(path.exists() and index_of(path).exists() for path in files):
        return None
    return IndexedText(files, facts["lines"], facts["excluded"])


def _index_file(path: Path, folder: Path, excluded: frozenset[int]) -> IndexedText:
    target = folder / path.name.removesuffix(".xz")
    lines = dropped = position = 0
    ends: list[int] = []
    partial_file = target.with_name(f"{target.name}.partial")
    with partial_file.open("wb") as out:
        for line in _read_lines(path):
            lines += 1
            if not line or (excluded and any(_hash(part) in excluded for part in line.split("\t"))):
                dropped += 1
                continue
            data = line.encode("utf-8")
            out.write(data + b"\n")
            position += len(data)
            ends.append(position)
            position += 1
    if not ends:  # an empty file cannot be mapped
        partial_file.unlink()
        return IndexedText((), lines, dropped)
    np.save(index_of(target), np.array(ends, dtype=np.int64))
    partial_file.replace(target)
    return IndexedText((target,), lines, dropped)


def _read_lines(path: Path) -> Iterator[str]:
    try:
        with lzma.open(path, "rb") if path.suffix == ".xz" else path.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    yield line.decode("utf-8").strip()
                except UnicodeDecodeError as error:
                    raise InputError(f"{path}:{number}: not UTF-8 ({error.reason})") from None
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (lzma.LZMAError, EOFError) as error:
        raise InputError(f"{path}: damaged xz file ({error}); get the file again") from error


def _hash(sentence: str) -> int:
    return int.from_bytes(blake2b(normalize(sentence).encode(), digest_size=8).digest(), "little")

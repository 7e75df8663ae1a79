"""Reads sentences and pairs from files in the usual layouts, compressed or not.

A line that cannot be used is skipped and recorded with its number: any large corpus has some.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, TextIO

from redraft.edits import m2
from redraft.errors import InputError
from redraft.lab.data.pair import Pair

FAULTS_SHOWN = 5


class Layout(StrEnum):
    """Layout of the pairs in a file or folder."""

    M2 = "m2"
    TSV = "tsv"
    """Source, tab, target; further columns are ignored."""
    PARALLEL = "parallel"
    """Two files with one sentence per line: the source and, beside it, the same name ending in .tgt, .trg or .cor."""
    BEA19 = "bea19"
    """A corpus of the BEA-2019 shared task: a folder with m2/, or one of its JSON files."""
    JFLEG = "jfleg"
    """A folder with NAME.src and NAME.ref0, NAME.ref1, …"""


@dataclass(frozen=True, slots=True)
class Fault:
    path: Path
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


@dataclass
class Faults:
    """Lines that were skipped: their number, and the first ones of each file. A line that is skipped twice counts
    twice."""

    counts: Counter[Path] = field(default_factory=Counter)
    first: list[Fault] = field(default_factory=list)

    def note(self, path: Path, line: int, reason: str) -> None:
        self.counts[path] += 1
        if self.counts[path] <= FAULTS_SHOWN:
            self.first.append(Fault(path, line, reason))

    def add(self, other: Faults) -> None:
        """Adds the lines that were skipped elsewhere, such as in another process."""
        shown = Counter(fault.path for fault in self.first)
        for fault in other.first:
            if shown[fault.path] < FAULTS_SHOWN:
                shown[fault.path] += 1
                self.first.append(fault)
        self.counts.update(other.counts)  # a Counter adds

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def report(self) -> str:
        """Text for the user; empty if no line was skipped."""
        lines = [str(fault) for fault in self.first]
        lines += [f"{path}: {count:,} lines skipped" for path, count in self.counts.items()]
        return "\n".join(lines)


def open_text(path: Path) -> TextIO:
    """A UTF-8 file, decompressed if its first bytes are those of xz, gz, bz2 or zst; bad bytes become surrogates."""
    try:
        with path.open("rb") as file:
            head = file.read(6)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the name") from error
    unpacked = _find_opener(head)(path, "rb")
    return io.TextIOWrapper(unpacked, encoding="utf-8", errors="surrogateescape", newline="\n")


def _find_opener(head: bytes) -> Callable[[Path, str], Any]:
    if head == b"\xfd7zXZ\x00":
        return lzma.open
    if head.startswith(b"\x1f\x8b"):
        return gzip.open
    if head.startswith(b"BZh"):
        return bz2.open
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        try:
            import zstandard
        except ImportError:
            raise InputError("a .zst file needs the zstandard package; install the extra 'train' of redraft") from None
        opener: Callable[[Path, str], Any] = zstandard.open
        return opener
    return Path.open


def read_lines(path: Path, faults: Faults) -> Iterator[tuple[int, str]]:
    """Lines with their numbers from 1, without line ends. Bad UTF-8 and a truncated file are faults."""
    number = 0
    with open_text(path) as file:
        try:
            for number, line in enumerate(file, start=1):
                text = line.rstrip("\r\n")
                if text.isascii() or not any("\udc80" <= character <= "\udcff" for character in text):
                    yield number, text
                else:
                    faults.note(path, number, "not UTF-8")
        except (OSError, EOFError, lzma.LZMAError) as error:
            faults.note(path, number + 1, f"the compressed file is truncated or damaged ({error})")


def read_sentences(path: Path, faults: Faults) -> Iterator[str]:
    """Lines of a text file that are not empty, with single spaces."""
    for _, line in read_lines(path, faults):
        text = " ".join(line.split())
        if text:
            yield text


def read_sources(paths: Iterable[Path], faults: Faults) -> Iterator[str]:
    """The lines of text files, and the sources of pairs in .tsv and .m2 files."""
    for path in paths:
        if ".tsv" in path.suffixes or ".m2" in path.suffixes:
            yield from (pair.source for pair in read_pairs(path, faults, every_annotator=False) if pair.source)
        else:
            yield from read_sentences(path, faults)


def detect(path: Path) -> Layout:
    """Layout of a file or folder, from its name and its neighbours."""
    if path.is_dir():
        if any(path.glob("*.ref0")):
            return Layout.JFLEG
        if any(_find_m2(path)):
            return Layout.BEA19
        raise InputError(f"{path}: the folder has neither *.m2 nor *.ref0; name a file, or give --layout")
    suffixes = path.suffixes
    if ".m2" in suffixes:
        return Layout.M2
    if ".json" in suffixes or ".jsonl" in suffixes:
        return Layout.BEA19
    if ".tsv" in suffixes:
        return Layout.TSV
    if _find_target(path):
        return Layout.PARALLEL
    raise InputError(f"{path}: the layout is not clear from the name; give --layout {'|'.join(Layout)}")


def read_pairs(
    path: Path, faults: Faults, layout: Layout | None = None, every_annotator: bool = True
) -> Iterator[Pair]:
    """Pairs of a file or folder, of all annotators or of the first."""
    layout = layout or detect(path)
    if layout is Layout.M2:
        yield from _read_m2(path, faults, every_annotator)
    elif layout is Layout.TSV:
        yield from _read_tsv(path, faults)
    elif layout is Layout.PARALLEL:
        target = _find_target(path)
        if target is None:
            raise InputError(f"{path}: no target file beside it; expected the same name ending .tgt, .trg or .cor")
        yield from _read_parallel(path, target, faults)
    elif layout is Layout.JFLEG:
        yield from _read_jfleg(path, faults, every_annotator)
    elif path.is_dir():
        for file in _find_m2(path):
            yield from _read_m2(file, faults, every_annotator)
    else:
        yield from _read_bea_json(path, faults, every_annotator)


def read_m2(path: Path, faults: Faults) -> Iterator[m2.M2Sentence]:
    """Sentences of an M2 file; a damaged block is a fault at its first line."""
    for start, block in _split_blocks(read_lines(path, faults)):
        try:
            yield from m2.read(block, f"{path} (block at line {start})")
        except InputError as error:
            faults.note(path, start, str(error).partition("): ")[2] or str(error))


def read_every_side(path: Path, faults: Faults) -> Iterator[str]:
    """All sentences of a file or folder: sources and all their corrections."""
    if path.is_dir():
        for file in sorted(file for file in path.rglob("*") if file.is_file()):
            yield from read_every_side(file, faults)
    elif ".m2" in path.suffixes or ".tsv" in path.suffixes:
        for pair in read_pairs(path, faults):
            yield pair.source
            yield pair.target
    else:
        yield from read_sentences(path, faults)


def _split_blocks(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, list[str]]]:
    start, block = 0, list[str]()
    for number, line in lines:
        if line.strip():
            if not block:
                start = number
            block.append(line + "\n")
        elif block:
            yield start, block
            block = []
    if block:
        yield start, block


def _read_m2(path: Path, faults: Faults, every_annotator: bool) -> Iterator[Pair]:
    for sentence in read_m2(path, faults):
        source = " ".join(sentence.tokens)
        annotators = list(sentence.annotations)
        for annotator in annotators if every_annotator else annotators[:1]:
            yield Pair(source, " ".join(sentence.corrected(annotator)))


def _read_tsv(path: Path, faults: Faults) -> Iterator[Pair]:
    for number, line in read_lines(path, faults):
        columns = line.split("\t")
        if len(columns) < 2:
            if line.strip():
                faults.note(path, number, "no tab: expected source, tab, target")
            continue
        yield Pair(" ".join(columns[0].split()), " ".join(columns[1].split()))


def _read_parallel(source: Path, target: Path, faults: Faults) -> Iterator[Pair]:
    ends = object()
    sources, targets = _read_every_line(source, faults), _read_every_line(target, faults)
    number = 0
    while True:
        number += 1
        left, right = next(sources, ends), next(targets, ends)
        if left is ends and right is ends:
            return
        if left is ends or right is ends:
            shorter = source if left is ends else target
            faults.note(
                shorter, number, f"ends before {(target if left is ends else source).name}; the other lines are skipped"
            )
            return
        if isinstance(left, str) and isinstance(right, str) and (left or right):
            yield Pair(left, right)


def _read_every_line(path: Path, faults: Faults) -> Iterator[str | None]:
    """Every line, None for a bad one, so that parallel files stay aligned."""
    expected = 1
    for number, line in read_lines(path, faults):
        for _ in range(expected, number):
            yield None
        expected = number + 1
        yield " ".join(line.split())


def _read_jfleg(folder: Path, faults: Faults, every_annotator: bool) -> Iterator[Pair]:
    for source in sorted(folder.glob("*.src")):
        references = sorted(folder.glob(f"{source.stem}.ref[0-9]*"))
        for reference in references if every_annotator else references[:1]:
            yield from _read_parallel(source, reference, faults)


def _read_bea_json(path: Path, faults: Faults, every_annotator: bool) -> Iterator[Pair]:
    """Essays with edits by character offset, one JSON object per line; a pair is a line of an essay."""
    for number, line in read_lines(path, faults):
        if not line.strip():
            continue
        try:
            essay = json.loads(line)
            text, annotations = essay["text"], essay["edits"]
            targets = [_apply_offsets(text, edits) for _, edits in annotations]
        except (ValueError, KeyError, TypeError, IndexError) as error:
            faults.note(path, number, f"not an essay with text and edits ({error})")
            continue
        for target in targets if every_annotator else targets[:1]:
            sources, corrected = text.split("\n"), target.split("\n")
            if len(sources) != len(corrected):
                faults.note(path, number, "an edit joins or splits paragraphs; the essay is skipped")
                continue
            for left, right in zip(sources, corrected, strict=True):
                if left.strip() and right.strip():
                    yield Pair(" ".join(left.split()), " ".join(right.split()))


def _apply_offsets(text: str, edits: list[list[Any]]) -> str:
    pieces: list[str] = []
    position = 0
    for start, end, correction, *_ in sorted(edits, key=lambda edit: (edit[0], edit[1])):
        if start < position or correction is None:
            continue
        if end > len(text):
            raise IndexError(f"edit {start}..{end} is outside the text")
        pieces += (text[position:start], correction)
        position = end
    return "".join((*pieces, text[position:]))


def _find_m2(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and ".m2" in path.suffixes)


def _find_target(source: Path) -> Path | None:
    for old in (".src", ".source", ".orig"):
        for new in (".tgt", ".trg", ".cor", ".target"):
            candidate = source.with_name(source.name.replace(old, new))
            if candidate != source and candidate.is_file():
                return candidate
    return None

"""Reads and writes M2 files: tokenized sentences with the edits of annotators.

A block is one `S` line, any number of `A` lines and an empty line. Files ending in `.xz` are unpacked while reading.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from redraft.errors import InputError

NOOP = "noop"
NOTHING = "-NONE-"
FIELD = "|||"
ALTERNATIVE = "||"


@dataclass(frozen=True, slots=True)
class M2Edit:
    """Replace tokens `start` to `end` by any one of `corrections`; an empty correction deletes.

    A `noop` edit records that its annotator changed nothing in the sentence.
    """

    start: int
    end: int
    kind: str
    corrections: tuple[str, ...]
    required: str = "REQUIRED"
    comment: str = NOTHING
    annotator: int = 0

    @property
    def is_noop(self) -> bool:
        return self.kind == NOOP or self.start < 0


@dataclass(frozen=True, slots=True)
class M2Sentence:
    """Tokens and the edits of all annotators, in the order of the file."""

    tokens: tuple[str, ...]
    edits: tuple[M2Edit, ...] = ()

    @property
    def annotations(self) -> dict[int, tuple[M2Edit, ...]]:
        """Edits by annotator, in ascending order, without `noop`; a sentence without edits has annotator 0."""
        annotators = sorted({edit.annotator for edit in self.edits}) or [0]
        return {
            annotator: tuple(edit for edit in self.edits if edit.annotator == annotator and not edit.is_noop)
            for annotator in annotators
        }

    def corrected(self, annotator: int = 0) -> tuple[str, ...]:
        """The tokens with the edits of one annotator applied, the first correction of each.

        Edits are applied from left to right. Some corpora have overlapping edits: the later one is skipped.
        """
        tokens: list[str] = []
        position = 0
        for edit in sorted(self.annotations.get(annotator, ()), key=lambda edit: (edit.start, edit.end)):
            if edit.start < position:
                continue
            tokens += self.tokens[position : edit.start]
            tokens += edit.corrections[0].split()
            position = edit.end
        return (*tokens, *self.tokens[position:])


def read(source: Path | Iterable[str], name: str = "M2 input") -> Iterator[M2Sentence]:
    """The sentences of a file, or of lines; error messages call the lines `name`."""
    if isinstance(source, Path):
        return _parse(read_lines(source), str(source))
    return _parse(source, name)


def write(sentences: Iterable[M2Sentence]) -> Iterator[str]:
    """The lines of an M2 file, line ends included."""
    for sentence in sentences:
        yield f"S {' '.join(sentence.tokens)}\n"
        for edit in sentence.edits:
            span, corrections = f"A {edit.start} {edit.end}", _join_corrections(edit)
            fields = (span, edit.kind, corrections, edit.required, edit.comment, str(edit.annotator))
            yield FIELD.join(fields) + "\n"
        yield "\n"


def read_lines(path: Path) -> Iterator[str]:
    """The lines of a UTF-8 or `.xz` file, without line ends. Only a line feed ends a line."""
    try:
        with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                try:
                    yield line.decode("utf-8").rstrip("\r\n")
                except UnicodeDecodeError as error:
                    raise InputError(f"{path}:{number}: not UTF-8; convert the file first") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the name") from error
    except (lzma.LZMAError, EOFError) as error:
        raise InputError(f"{path}: damaged or incomplete xz file; download it again") from error


def _parse(lines: Iterable[str], name: str) -> Iterator[M2Sentence]:
    tokens: tuple[str, ...] | None = None
    edits: list[M2Edit] = []
    found = 0
    for number, raw in enumerate(lines, start=1):
        line = raw.rstrip("\r\n")
        place = f"{name}:{number}"
        if not line.strip():
            if tokens is not None:
                yield M2Sentence(tokens, tuple(edits))
            tokens, edits = None, []
        elif line == "S" or line.startswith("S "):
            if tokens is not None:
                raise InputError(f"{place}: a second S line in one block; put an empty line before it")
            tokens = tuple(line[2:].split())
            found += 1
        elif line.startswith("A ") and tokens is not None:
            edits.append(_parse_edit(line[2:], len(tokens), place))
        elif not line.startswith("I "):  # the official scorer ignores I lines too
            raise InputError(f"{place}: expected an S line, then A lines; found {line[:40]!r}")
    if tokens is not None:
        yield M2Sentence(tokens, tuple(edits))
    if not found:
        raise InputError(f"{name}: no sentence found; an M2 file has lines that start with 'S '")


def _parse_edit(line: str, length: int, place: str) -> M2Edit:
    fields = line.split(FIELD)
    if len(fields) != 6:
        raise InputError(f"{place}: an A line needs 6 fields separated by {FIELD}; this one has {len(fields)}")
    span, kind, corrections, required, comment, annotator = fields
    try:
        start, end = (int(offset) for offset in span.split())
        by = int(annotator)
    except ValueError as error:
        raise InputError(
            f"{place}: offsets and annotator must be whole numbers, as in 'A 3 4{FIELD}…{FIELD}0'"
        ) from error
    untouched = kind == NOOP or start == end == -1
    if not untouched and not 0 <= start <= end <= length:
        raise InputError(f"{place}: offsets {start} {end} do not fit a sentence of {length} tokens")
    return M2Edit(
        start=start,
        end=end,
        kind=kind,
        corrections=("",) if untouched else tuple(map(_strip_correction, corrections.split(ALTERNATIVE))),
        required=required,
        comment=comment,
        annotator=by,
    )


def _join_corrections(edit: M2Edit) -> str:
    if edit.is_noop:
        return NOTHING
    if len(edit.corrections) == 1:
        return edit.corrections[0]
    # An empty alternative is written as -NONE-, since bars on both sides of it would run together.
    return ALTERNATIVE.join(correction or NOTHING for correction in edit.corrections)


def _strip_correction(correction: str) -> str:
    return "" if correction == NOTHING else correction.strip()

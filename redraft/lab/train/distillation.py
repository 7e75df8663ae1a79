"""Sequence-level distillation: a teacher corrects text, and a small student learns to write what the teacher wrote.

The output is written window by window beside a record of how far it is, so that hours of labelling survive an
interruption; it gets its own name only when it is whole.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from redraft.atomic_write import atomic_write
from redraft.checksum import checksum
from redraft.chunks import chunks
from redraft.decode.beam import beam_search
from redraft.decode.loop import DecodeOptions, decode_batch
from redraft.decode.stepper import Engine
from redraft.errors import ConfigError, InputError
from redraft.lab.data.readers import Faults, read_pairs, read_sentences
from redraft.lab.data.synthesis import BATCH, Batch, Maker, Recipe
from redraft.lab.train.answers import Written, answer
from redraft.model.folder import MANIFEST
from redraft.tokens.tokenizer import Tokenizer

REPLACEMENT = "\ufffd"


@dataclass(frozen=True)
class Teacher:
    """A model on an engine, and how it is asked."""

    engine: Engine
    tokenizer: Tokenizer
    decode: DecodeOptions
    beams: int = 1
    """1 is greedy, decoded aggressively and many sentences at a time; a beam search takes one at a time."""
    batch: int = 64
    """Sentences decoded side by side."""

    def __post_init__(self) -> None:
        if self.beams < 1 or self.batch < 1:
            raise ConfigError("beams and batch must be 1 or more")
        if self.beams > 1 and self.decode.copy_bias:
            raise ConfigError("a beam search knows no copy bias: take one beam, or a copy bias of 0")

    def label(self, sources: Sequence[str], advance: Callable[[], None] = lambda: None) -> list[str | None]:
        """What the teacher makes of each sentence; None where it has no answer, or where the sentence is too long."""
        labels: list[str | None] = [None] * len(sources)
        for found in answer(sources, self.tokenizer, self._decode, max_tokens=self.engine.max_tokens, batch=self.batch):
            labels[found.place] = None if found.text is None else _accept(found.text, sources[found.place])
            advance()
        return labels

    def _decode(self, sources: Sequence[Sequence[int]]) -> Sequence[Written]:
        if self.beams > 1:
            return [beam_search(self.engine, source, self.tokenizer, self.beams) for source in sources]
        return decode_batch(self.engine, sources, self.tokenizer, self.decode)


@dataclass(frozen=True, slots=True)
class Tally:
    """How far the labelling is."""

    read: int = 0
    written: int = 0
    size: int = 0
    """Bytes of the output so far."""

    @property
    def left_out(self) -> int:
        """Sentences the teacher had no answer to."""
        return self.read - self.written


def distill(
    teacher: Teacher,
    sentences: Iterable[str],
    output: Path,
    noise: Recipe | None = None,
    *,
    task: str = "",
    resume: bool = False,
    advance: Callable[[], None] = lambda: None,
) -> Tally:
    """Write source, tab, the teacher's correction for each sentence, which `noise` spoils first where it is given.

    `task` says what the output depends on: to go on with the output of another task is refused.
    """
    record = output.with_name(output.name + ".progress")
    partial = output.with_name(output.name + ".partial")
    output.parent.mkdir(parents=True, exist_ok=True)
    tally = _recall(record, task) if resume else Tally()
    maker = Maker(noise) if noise else None
    remaining = islice(sentences, tally.read, None)
    with partial.open("r+b" if tally.size else "wb") as file:
        _go_to(file, tally.size, partial)
        for window in chunks(remaining, BATCH):
            spoiled = [pair.source for pair in maker.make(Batch(tally.read, window))] if maker else window
            sources = [_fold(source) for source in spoiled]
            labels = teacher.label(sources, advance)
            lines = "".join(
                f"{source}\t{label}\n" for source, label in zip(sources, labels, strict=True) if label
            ).encode()
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
            tally = Tally(tally.read + len(window), tally.written + lines.count(b"\n"), tally.size + len(lines))
            with atomic_write(record) as new:
                new.write_text(json.dumps({"task": task, **asdict(tally)}), encoding="utf-8")
    if not tally.read:
        raise InputError("there is nothing to label: the files hold no sentence")
    partial.replace(output)
    record.unlink()
    return tally


def name_task(model: Path, teacher: Teacher, inputs: Sequence[Path], noise: Recipe | None = None) -> str:
    """A checksum of all that the labels depend on: the teacher's folder, how it is asked, the text and the noise."""
    facts = [
        checksum(model / MANIFEST),
        teacher.beams,
        teacher.decode.copy_bias,
        [(str(path), path.stat().st_size) for path in inputs],
        [checksum(noise.table), noise.seed] if noise else None,
    ]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def read_sources(paths: Iterable[Path], faults: Faults) -> Iterator[str]:
    """The lines of text files, and the sources of pairs in .tsv and .m2 files."""
    for path in paths:
        if ".tsv" in path.suffixes or ".m2" in path.suffixes:
            yield from (pair.source for pair in read_pairs(path, faults, every_annotator=False) if pair.source)
        else:
            yield from read_sentences(path, faults)


def _accept(text: str, source: str) -> str | None:
    """The text of an answer, unless it is empty or holds bytes that are no character."""
    folded = _fold(text)
    return folded if folded and folded.count(REPLACEMENT) <= source.count(REPLACEMENT) else None


def _fold(text: str) -> str:
    """Single spaces, as the model sees them when it corrects; and no tab within a column."""
    return " ".join(text.split())


def _recall(record: Path, task: str) -> Tally:
    try:
        facts = json.loads(record.read_text(encoding="utf-8"))
        found = facts.pop("task")
        tally = Tally(**facts)
    except FileNotFoundError:
        return Tally()
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{record}: damaged ({error}); remove it to start anew") from None
    if found != task:
        raise ConfigError(f"{record} belongs to another teacher or other text; start anew without --resume")
    return tally


def _go_to(file: BinaryIO, size: int, path: Path) -> None:
    """Forgets what was written after the last record."""
    if file.seek(0, os.SEEK_END) < size:
        raise InputError(f"{path} is shorter than its record says; start anew without --resume")
    file.truncate(size)
    file.seek(size)

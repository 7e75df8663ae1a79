"""Sequence-level distillation: a teacher model corrects text, and a small model is trained on its corrections.

The output is written in chunks, with a progress file beside it, so that an interrupted run can be resumed. It gets its
final name when it is complete.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol

from redraft.checksum import checksum
from redraft.decode.beam import beam_search
from redraft.decode.loop import DecodeOptions, decode_batch
from redraft.decode.stepper import Engine
from redraft.errors import ConfigError, InputError
from redraft.lab.data.synthesis import Batch, Maker, Recipe, cut_into_batches
from redraft.lab.train.batch_decoding import DecodedIds, decode_sentences
from redraft.lab.train.labelling import LabelledBatch, accept, make_sources
from redraft.model.folder import MANIFEST
from redraft.partial_output import PartialOutput
from redraft.tokens.tokenizer import Tokenizer


class Labeller(Protocol):
    """A model that corrects batches of sentences."""

    @property
    def facts(self) -> list[object]:
        """What the output depends on, besides the model."""
        ...

    def label_batches(
        self, batches: Iterator[Batch], noise: Recipe | None = None, advance: Callable[[], None] = ...
    ) -> Iterator[LabelledBatch]:
        """Labels batches and yields them in their order. `advance` is called for each sentence."""
        ...


@dataclass(frozen=True)
class Teacher:
    """A model on an engine, and how it decodes."""

    engine: Engine
    tokenizer: Tokenizer
    decode: DecodeOptions
    beams: int = 1
    """1 is greedy: aggressive decoding of many sentences at a time. Beam search decodes one at a time."""
    batch: int = 64
    """Sentences per batch."""

    def __post_init__(self) -> None:
        if self.beams < 1 or self.batch < 1:
            raise ConfigError("beams and batch must be 1 or more")
        if self.beams > 1 and self.decode.threshold:
            raise ConfigError("beam search has no threshold: use one beam, or a threshold of 0")

    @property
    def facts(self) -> list[object]:
        return [self.beams, self.decode.threshold]

    def label_batches(
        self, batches: Iterator[Batch], noise: Recipe | None = None, advance: Callable[[], None] = lambda: None
    ) -> Iterator[LabelledBatch]:
        maker = Maker(noise) if noise else None
        for batch in batches:
            sources = make_sources(batch, maker)
            yield LabelledBatch.build(sources, self.label(sources, advance))

    def label(self, sources: Sequence[str], advance: Callable[[], None] = lambda: None) -> list[str | None]:
        """The teacher's correction of each sentence; None where it has no end, or where the sentence is too long."""
        labels: list[str | None] = [None] * len(sources)
        limit = self.engine.max_tokens
        for found in decode_sentences(sources, self.tokenizer, self._decode, max_tokens=limit, batch=self.batch):
            labels[found.index] = None if found.text is None else accept(found.text, sources[found.index])
            advance()
        return labels

    def _decode(self, sources: Sequence[Sequence[int]]) -> Sequence[DecodedIds]:
        if self.beams > 1:
            return [beam_search(self.engine, source, self.tokenizer, self.beams) for source in sources]
        return decode_batch(self.engine, sources, self.tokenizer, self.decode)


@dataclass(frozen=True, slots=True)
class DistillProgress:
    """Sentences read, pairs written, and bytes written so far."""

    read: int = 0
    written: int = 0
    size: int = 0

    @property
    def left_out(self) -> int:
        """Sentences without a usable correction."""
        return self.read - self.written


def distill(
    teacher: Labeller,
    sentences: Iterable[str],
    output: Path,
    noise: Recipe | None = None,
    *,
    task: str = "",
    resume: bool = False,
    advance: Callable[[], None] = lambda: None,
) -> DistillProgress:
    """Writes source, tab, the teacher's correction for each sentence. `noise` puts errors into the sentences first.

    `task` is a checksum of what the output depends on: resuming the output of another task is refused.
    """
    partial = PartialOutput(output.with_name(f"{output.name}.partial"), output.with_name(f"{output.name}.progress"))
    output.parent.mkdir(parents=True, exist_ok=True)
    done = _read_progress(partial, task) if resume else DistillProgress()
    remaining = islice(sentences, done.read, None)
    with partial.open(done.size) as writer:
        for labelled in teacher.label_batches(cut_into_batches(remaining, done.read), noise, advance):
            lines = labelled.lines
            done = DistillProgress(done.read + labelled.read, done.written + lines.count(b"\n"), done.size + len(lines))
            writer.append(lines, {"task": task, **asdict(done)})
    if not done.read:
        raise InputError("there is nothing to correct: the files contain no sentence")
    partial.path.replace(output)
    partial.discard()
    return done


def task_checksum(model: Path, teacher: Labeller, inputs: Sequence[Path], noise: Recipe | None = None) -> str:
    """Checksum of all that the output depends on: the teacher's folder, how it decodes, the text and the noise."""
    facts = [
        checksum(model / MANIFEST),
        *teacher.facts,
        [(str(path), path.stat().st_size) for path in inputs],
        [checksum(noise.table), noise.seed] if noise else None,
    ]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def _read_progress(partial: PartialOutput, task: str) -> DistillProgress:
    facts = partial.read_record()
    if facts is None:
        return DistillProgress()
    try:
        found = facts.pop("task")
        done = DistillProgress(**facts)
    except (KeyError, TypeError) as error:
        raise partial.damage(error) from None
    if found != task:
        raise ConfigError(f"{partial.record} belongs to another teacher or other text; start again without --resume")
    return done

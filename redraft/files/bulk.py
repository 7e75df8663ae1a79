"""Corrects many files on a cluster, and writes each when it is done. A journal prevents correcting a file twice."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from redraft.check.session import Section, Text, cut
from redraft.edits.edit import Edit, apply
from redraft.errors import InputError
from redraft.files.cluster import Answer, Cluster, Task
from redraft.files.corrected_files import CorrectedFiles
from redraft.files.destination import Destination
from redraft.files.journal import Journal
from redraft.files.reviewer import FileReader
from redraft.files.sections import cut_whole
from redraft.files.text_file import InputText, sweep
from redraft.settings.project import Project
from redraft.terminal.output import count, remark
from redraft.terminal.progress import Bar

_SECTION_CHARACTERS = 1 << 13
"""Length of the sections that workers get, so that a long file keeps all workers busy.

Shorter ones would fill the decoder's batches less well.
"""


@dataclass(slots=True, eq=False)
class _Open:
    """A file that workers are correcting."""

    path: Path
    source: InputText
    missing: int = 0
    """Number of sections that were sent and have no answer yet."""
    is_sent: bool = False
    """Whether all sections were sent."""
    edits: list[Edit] = field(default_factory=list)
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class _Place:
    file: _Open
    start: int
    share: float
    """Share of the file's text."""


class Bulk:
    """Corrects files on a cluster."""

    def __init__(
        self,
        project: Project,
        reader: FileReader,
        journal: Journal,
        destination: Destination,
        settings: str,
        by_line: bool = False,
    ) -> None:
        self._project = project
        self._reader = reader
        self._corrected = CorrectedFiles(journal, destination, settings)
        self._destination = destination
        self._by_line = by_line
        self.known = 0
        """Number of files that an earlier run corrected."""
        self.deaths = 0
        """Number of workers that died."""

    def correct(
        self, paths: Iterable[Path], open_cluster: Callable[[], AbstractContextManager[Cluster[_Place]]], bar: Bar
    ) -> None:
        """Corrects the files. The cluster is opened only if there is something to do."""
        tasks = self._tasks(paths, bar)
        first = next(tasks, None)
        if first is None:
            return
        with open_cluster() as cluster:
            for answer in cluster.review(chain([first], tasks)):
                self._receive(answer)
                bar(answer.key.share)
            self.deaths = cluster.deaths

    def _tasks(self, paths: Iterable[Path], bar: Bar) -> Iterator[Task[_Place]]:
        for path in paths:
            source = self._reader.read(path)
            if not isinstance(source, InputText):
                bar()
                continue
            if self._corrected.holds(path, _checksum(source.data)):
                self.known += 1
                bar()
                continue
            text = Text(source.text, self._project.format_of(path), self._by_line)
            file = _Open(path, source)
            # One by one, because cutting a long text takes a while in which workers would have nothing to do.
            for section in _cut(text):
                share = len(section.text.source) / len(text.source)
                if section.text.blocks:
                    file.missing += 1
                    yield Task(_Place(file, section.start, share), section.text)
                else:
                    bar(share)
            file.is_sent = True
            if not file.missing:
                self._finish(file)
            if not text.source:
                bar()

    def _receive(self, answer: Answer[_Place]) -> None:
        place = answer.key
        file = place.file
        file.missing -= 1
        file.failure = file.failure or answer.failure
        file.edits += (replace(edit, span=edit.span.shift(place.start)) for edit in answer.edits)
        if file.is_sent and not file.missing:
            self._finish(file)

    def _finish(self, file: _Open) -> None:
        name = self._project.name_of(file.path)
        try:
            if file.failure:
                raise InputError(f"{name} is left as it is: {file.failure}; run this again to try once more")
            text = apply(file.source.text, file.edits)
            corrected = replace(file.source, text=text)
            if not self._corrected.record(file.path, _checksum(file.source.data), _checksum(corrected.data)):
                sweep(self._destination.place(file.path), corrected)
            self._destination.write(file.path, file.source, text)
        except InputError as error:
            self._reader.fail(name, error)
            return
        if file.edits:
            remark(f"{name}: {count(len(file.edits), 'correction')}")


def _cut(text: Text) -> Iterator[Section]:
    """Parts of the sections in which one machine would check the text, so that the same is found."""
    start = 0
    for section in cut_whole(text):
        for part in cut(section, _SECTION_CHARACTERS):
            if part.text.source:
                yield Section(part.text, start + part.start)
        start += len(section.source)


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()

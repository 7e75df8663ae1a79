"""Corrects many files on a cluster, and writes each when it is done. A journal prevents correcting a file twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from redraft.check.session import Text, cut
from redraft.edits.edit import Edit, apply
from redraft.errors import InputError
from redraft.files.cluster import Answer, Cluster, Task
from redraft.files.destination import Destination
from redraft.files.journal import Entry, Journal
from redraft.files.reviewer import FileReader
from redraft.files.text_file import InputText, read, sweep
from redraft.settings.project import Project, SessionSetup
from redraft.terminal.output import count, remark
from redraft.terminal.progress import Bar
from redraft.text.scripts import AUTO

_SECTION_CHARACTERS = 1 << 13
"""Length of the sections that workers get, so that a long file keeps all workers busy.

Shorter ones would fill the decoder's batches less well.
"""


@dataclass(slots=True, eq=False)
class _Open:
    """A file that workers are correcting."""

    path: Path
    source: InputText
    missing: int
    """Number of sections without an answer."""
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
        self._journal = journal
        self._destination = destination
        self._settings = settings
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
            if self._is_done(path, source):
                self.known += 1
                bar()
                continue
            text = Text(source.text, self._project.format_of(path), self._by_line)
            sections = [section for section in cut(text, _SECTION_CHARACTERS) if section.text.blocks]
            file = _Open(path, source, len(sections))
            if not sections:
                self._finish(file)
                bar()
            whole = sum(len(section.text.source) for section in sections)
            for section in sections:
                yield Task(_Place(file, section.start, len(section.text.source) / whole), section.text)

    def _is_done(self, path: Path, source: InputText) -> bool:
        name, now = self._destination.name(path), _checksum(source.data)
        if self._destination.output is None:
            return self._journal.wrote(name, now, self._settings)
        try:
            written = _checksum(read(self._destination.place(path)).data)
        except InputError:
            return False
        return Entry(name, now, written, self._settings) in self._journal

    def _receive(self, answer: Answer[_Place]) -> None:
        place = answer.key
        file = place.file
        file.missing -= 1
        file.failure = file.failure or answer.failure
        file.edits += (replace(edit, span=edit.span.shift(place.start)) for edit in answer.edits)
        if not file.missing:
            self._finish(file)

    def _finish(self, file: _Open) -> None:
        name = self._project.name_of(file.path)
        try:
            if file.failure:
                raise InputError(f"{name} is left as it is: {file.failure}; run this again to try once more")
            text = apply(file.source.text, file.edits)
            corrected = replace(file.source, text=text)
            before, after = _checksum(file.source.data), _checksum(corrected.data)
            entry = Entry(self._destination.name(file.path), before, after, self._settings)
            if not self._journal.record(entry):
                sweep(self._destination.place(file.path), corrected)
            self._destination.write(file.path, file.source, text)
        except InputError as error:
            self._reader.fail(name, error)
            return
        if file.edits:
            remark(f"{name}: {count(len(file.edits), 'correction')}")


def identify(setup: SessionSetup, project: Project, by_line: bool = False) -> str:
    """A checksum of everything besides its source that a corrected text depends on."""
    options, rules = setup.options, setup.options.rules.current().with_words(setup.options.dictionary)
    without_effect = {"threads", "dictionary"}  # the words of the dictionary are among the rules
    described: dict[str, Any] = {
        "models": _identify_models(setup.model.model),
        "model options": {
            name: value for name, value in asdict(setup.model).items() if name not in {*without_effect, "model"}
        },
        "language": [options.language, options.dialect, options.consistent],
        "threshold": options.threshold,
        "kinds": None if options.kinds is None else sorted(options.kinds),
        "ignored kinds": sorted(options.ignored_kinds),
        "rules": [sorted(part) for part in (rules.words.written, rules.kinds, rules.ignored, rules.once)],
        "input format": [project.options.input_format, list(project.configuration.input_formats.items())],
        "by_line": by_line,
    }
    return _checksum(json.dumps(described, sort_keys=True).encode())[:16]


def _identify_models(name: str | None) -> list[str]:
    """Checksums of the named model, or of all installed ones."""
    from redraft.model.catalogue import installed, locate
    from redraft.model.folder import MANIFEST

    folders = installed().values() if name in (None, AUTO) else [locate(str(name))]
    return [_checksum((folder / MANIFEST).read_bytes()) for folder in folders]


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()

"""Many files, corrected on a cluster: written one by one as they are done, and none of them twice."""

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
from redraft.files.reviewer import Intake
from redraft.files.text_file import InputText, read, sweep
from redraft.settings.project import Project, Setup
from redraft.terminal.output import count, remark
from redraft.terminal.progress import Bar
from redraft.text.scripts import AUTO

_STRETCH = 1 << 13
"""Characters that a worker gets at a time, where a text can be cut so: a long file keeps all workers busy.

Fewer would be decoded less well: a proofreader takes so many together.
"""


@dataclass(slots=True, eq=False)
class _Open:
    """A file that workers are at."""

    path: Path
    source: InputText
    missing: int
    """Stretches without an answer."""
    edits: list[Edit] = field(default_factory=list)
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class _Place:
    file: _Open
    start: int
    share: float
    """How much of the file's text it is."""


class Bulk:
    def __init__(
        self,
        project: Project,
        intake: Intake,
        journal: Journal,
        destination: Destination,
        settings: str,
        by_line: bool = False,
    ) -> None:
        self._project = project
        self._intake = intake
        self._journal = journal
        self._destination = destination
        self._settings = settings
        self._by_line = by_line
        self.known = 0
        """Files that were done before."""
        self.deaths = 0
        """Workers that died."""

    def correct(
        self, paths: Iterable[Path], open_cluster: Callable[[], AbstractContextManager[Cluster[_Place]]], bar: Bar
    ) -> None:
        """Opens a cluster if there is anything to do."""
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
            source = self._intake.read(path)
            if not isinstance(source, InputText):
                bar()
                continue
            if self._is_done(path, source):
                self.known += 1
                bar()
                continue
            text = Text(source.text, self._project.format_of(path), self._by_line)
            stretches = list(cut(text, _STRETCH))
            file = _Open(path, source, len(stretches))
            if not stretches:
                self._finish(file)
                bar()
            whole = sum(len(stretch.text.source) for stretch in stretches)
            for stretch in stretches:
                yield Task(_Place(file, stretch.start, len(stretch.text.source) / whole), stretch.text)

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
            self._intake.fail(name, error)
            return
        if file.edits:
            remark(f"{name}: {count(len(file.edits), 'correction')}")


def identify(setup: Setup, project: Project, by_line: bool = False) -> str:
    """A name for all that a corrected text depends on beside the text itself."""
    choices = setup.vouched.choices()
    faster = {"model", "draft", "max_draft", "threads", "dictionary"}
    described: dict[str, Any] = {
        "models": _identify_models(setup.model.model),
        "options": {name: value for name, value in asdict(setup.model).items() if name not in faster},
        "language": setup.language,
        "kinds": None if setup.kinds is None else sorted(setup.kinds),
        "ignored": sorted(setup.ignored_kinds),
        "choices": [sorted(part) for part in (choices.words.written, choices.kinds, choices.ignored, choices.once)],
        "markup": [project.options.markup, list(project.configuration.markup.items())],
        "by_line": by_line,
    }
    return _checksum(json.dumps(described, sort_keys=True).encode())[:16]


def _identify_models(name: str | None) -> list[str]:
    """Any of the embedded ones may take part where none is named."""
    from redraft.model.catalogue import installed, locate
    from redraft.model.folder import MANIFEST

    folders = installed().values() if name in (None, AUTO) else [locate(str(name))]
    return [_checksum((folder / MANIFEST).read_bytes()) for folder in folders]


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()

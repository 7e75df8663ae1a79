"""Reads and checks many files. A file that cannot be read does not stop the others."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from redraft.check.session import CheckResult, CheckSession, Text
from redraft.errors import InputError
from redraft.files.sections import FileSection, SectionStart, read_sections, share_before
from redraft.files.text_file import STDIN, InputText, read
from redraft.files.unchecked_count import UncheckedCount
from redraft.settings.project import Project
from redraft.terminal.output import count, remark
from redraft.terminal.progress import Bar

if TYPE_CHECKING:
    from redraft.check.document import SentenceCheck

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class ReviewedFile:
    path: Path
    name: str
    source: InputText
    result: CheckResult


@dataclass(frozen=True, slots=True)
class ReviewedSection:
    """A part of a file, and what was found in it."""

    path: Path
    name: str
    section: FileSection
    result: CheckResult


@dataclass(frozen=True, slots=True)
class FailedFile:
    name: str
    reason: str


@dataclass(slots=True)
class _Parts:
    """The sections of a file that were reviewed so far."""

    marks: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    sentences: list[SentenceCheck] = field(default_factory=list)
    length: int = 0

    def add(self, reviewed: ReviewedSection) -> None:
        result = reviewed.result
        self.marks.append(reviewed.section.mark)
        self.sources.append(result.source)
        self.sentences += (sentence.shift(self.length) for sentence in result.sentences)
        self.length += len(result.source)

    def join(self, path: Path, name: str) -> ReviewedFile:
        text = "".join(self.sources)
        source = InputText("<stdin>" if path == STDIN else str(path), text, "".join(self.marks))
        return ReviewedFile(path, name, source, CheckResult(text, tuple(self.sentences)))


class FileReader:
    """Selects and reads files. Counts what was left out, and knows whether anything failed."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._selection = project.selection()
        self._binary: list[str] = []
        self.failed = False

    def select(self, arguments: Iterable[Path]) -> list[Path]:
        return list(self._selection.files(arguments))

    def awaits_typing(self, paths: Iterable[Path]) -> bool:
        """Whether a person will type one of the texts: then no progress bar may write over it."""
        typing = STDIN in paths and sys.stdin.isatty()
        if typing:
            remark("reading from the terminal; end with Ctrl-D")
        return typing

    def read(self, path: Path) -> InputText | FailedFile | None:
        """None if the file holds no text."""
        try:
            source = read(path)
        except InputError as error:
            return self.fail(self._project.name_of(path), error)
        return None if self._leaves_out(path, source) else source

    def _leaves_out(self, path: Path, source: InputText | FileSection) -> bool:
        """Whether a file is left out because it is binary; counts such files."""
        binary = source.is_binary and path != STDIN
        if binary:
            self._binary.append(self._project.name_of(path))
        return binary

    def fail(self, name: str, error: Exception) -> FailedFile:
        remark(str(error))
        self.failed = True
        return FailedFile(name, str(error))

    def report(self) -> None:
        """Reports what was left out, in one line."""
        for path in self._selection.excluded:
            remark(f"{path} is left out, as --exclude or the project's settings say")
        others = self._selection.others
        left_out = [f"{count(len(self._binary), 'binary file')} ({_some_of(self._binary)})"] if self._binary else []
        if others:
            left_out.append(
                f"{count(others, 'file')} that {'are' if others > 1 else 'is'} no text to read (see --include)"
            )
        if left_out:
            remark(f"left out {' and '.join(left_out)}")


def _some_of(names: Sequence[str]) -> str:
    """The first names, and the number of the others."""
    others = len(names) - _MOST_NAMED
    return ", ".join([*names[:_MOST_NAMED], *([f"{others} more"] if others > 0 else [])])


class FileReviewer(FileReader):
    """Checks the files it reads. Counts the sentences that no model could check."""

    def __init__(self, project: Project, session: CheckSession, by_line: bool = False) -> None:
        super().__init__(project)
        self._session = session
        self._by_line = by_line
        self.unchecked = UncheckedCount()
        self.abandoned: set[Path] = set()
        """Files of which no more is read."""

    def review(self, paths: Iterable[Path], bar: Bar) -> Iterator[ReviewedFile | FailedFile]:
        """The files in order, each as a whole."""
        parts = _Parts()
        for reviewed in self.review_sections(paths, bar):
            if isinstance(reviewed, FailedFile):
                yield reviewed
                continue
            parts.add(reviewed)
            if reviewed.section.is_last:
                yield parts.join(reviewed.path, reviewed.name)
                parts = _Parts()

    def review_sections(
        self, paths: Iterable[Path], bar: Bar, starts: Mapping[Path, SectionStart] = MappingProxyType({})
    ) -> Iterator[ReviewedSection | FailedFile]:
        """The sections of the files in order. They share decoder calls; only as many as fill these are in memory.

        `starts` has the first section of files whose beginning was reviewed before.
        """
        waiting: deque[tuple[Path, FileSection] | FailedFile] = deque()
        for result in self._session.check_many(self._read_sections(paths, waiting, bar, starts), bar):
            while isinstance(first := waiting.popleft(), FailedFile):
                yield first
            path, section = first
            name = self._project.name_of(path)
            self.unchecked.add(name, result, section.start)
            yield ReviewedSection(path, name, section, result)
        yield from (failed for failed in waiting if isinstance(failed, FailedFile))

    def report(self) -> None:
        super().report()
        self.unchecked.report()

    def _read_sections(
        self,
        paths: Iterable[Path],
        waiting: deque[tuple[Path, FileSection] | FailedFile],
        bar: Bar,
        starts: Mapping[Path, SectionStart],
    ) -> Iterator[Text]:
        # Which spelling most words have is known only of a whole text.
        whole = self._session.options.consistent
        for path in paths:
            done = 0.0
            start = starts.get(path)
            if start:
                done = share_before(path, start)
                bar(done)
            try:
                for section in read_sections(path, self._project.format_of(path), self._by_line, whole, start):
                    if self._leaves_out(path, section) or path in self.abandoned:
                        break
                    done += section.text.share
                    waiting.append((path, section))
                    yield section.text
            except InputError as error:
                waiting.append(self.fail(self._project.name_of(path), error))
            bar(1 - done)

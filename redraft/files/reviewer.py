"""Reads and checks many files. A file that cannot be read does not stop the others."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from redraft.check.session import CheckResult, CheckSession, Text
from redraft.errors import InputError
from redraft.files.text_file import STDIN, InputText, read
from redraft.files.unchecked_count import UncheckedCount
from redraft.settings.project import Project
from redraft.terminal.output import count, remark
from redraft.terminal.progress import Bar

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class ReviewedFile:
    path: Path
    name: str
    source: InputText
    result: CheckResult


@dataclass(frozen=True, slots=True)
class FailedFile:
    name: str
    reason: str


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
        if source.is_binary and path != STDIN:
            self._binary.append(self._project.name_of(path))
            return None
        return source

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

    def review(self, paths: Iterable[Path], bar: Bar) -> Iterator[ReviewedFile | FailedFile]:
        """The files in order. They share decoder calls; only as many as fill these are in memory."""
        waiting: deque[tuple[Path, InputText] | FailedFile] = deque()
        for result in self._session.check_many(self._read(paths, waiting, bar), bar):
            while isinstance(first := waiting.popleft(), FailedFile):
                yield first
            path, source = first
            name = self._project.name_of(path)
            self.unchecked.add(name, result)
            yield ReviewedFile(path, name, source, result)
        yield from (failed for failed in waiting if isinstance(failed, FailedFile))

    def report(self) -> None:
        super().report()
        self.unchecked.report()

    def _read(
        self, paths: Iterable[Path], waiting: deque[tuple[Path, InputText] | FailedFile], bar: Bar
    ) -> Iterator[Text]:
        for path in paths:
            source = self.read(path)
            if isinstance(source, InputText):
                waiting.append((path, source))
                yield Text(source.text, self._project.format_of(path), self._by_line)
                continue
            if source:
                waiting.append(source)
            bar()

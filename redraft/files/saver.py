"""Saves corrected files: short ones in one step, long ones section by section."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType

from redraft.checksum import checksum
from redraft.errors import RedraftError
from redraft.files.corrected_files import CorrectedFiles
from redraft.files.destination import Destination
from redraft.files.long_output import LongOutput, Progress
from redraft.files.reviewer import FileReviewer, ReviewedSection
from redraft.files.sections import SectionStart, share_before
from redraft.files.text_file import STDIN, InputText, sweep
from redraft.settings.project import Project
from redraft.terminal.output import count, remark
from redraft.terminal.progress import Bar


class FileSaver:
    """Writes what a reviewer yields. With `resume`, files that an interrupted run has begun are continued.

    `settings` is a checksum of the settings that the corrected texts depend on. `corrected` knows the files that
    earlier runs have finished: they are left out.
    """

    def __init__(
        self,
        project: Project,
        reviewer: FileReviewer,
        destination: Destination,
        settings: str,
        resume: bool = False,
        corrected: CorrectedFiles | None = None,
    ) -> None:
        self._project = project
        self._reviewer = reviewer
        self._destination = destination
        self._settings = settings
        self._resume = resume
        self._corrected = corrected
        self.known = 0
        """Number of files that an earlier run corrected."""
        self._outputs: dict[Path, LongOutput] = {}

    def __enter__(self) -> FileSaver:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for path in list(self._outputs):
            self._leave(path)

    def save(self, paths: Iterable[Path], bar: Bar) -> None:
        """Reviews the files and writes them."""
        left = [path for path in paths if self._prepare(path, bar)]
        starts = {path: output.progress.start for path, output in self._outputs.items()}
        for reviewed in self._reviewer.review_sections(left, bar, starts):
            if isinstance(reviewed, ReviewedSection) and reviewed.path not in self._reviewer.abandoned:
                try:
                    self._add(reviewed)
                except RedraftError as error:
                    self._reviewer.fail(reviewed.name, error)
                    self._reviewer.abandoned.add(reviewed.path)
                    self._leave(reviewed.path)

    def _prepare(self, path: Path, bar: Bar) -> bool:
        """Looks for what an interrupted run has left of a file. False if the file is not to be read."""
        name = self._project.name_of(path)
        try:
            if path == STDIN:
                raise RedraftError("--write cannot change stdin; leave --write out to see the corrected text")
            if self._corrected and path.is_file() and self._corrected.holds(path, checksum(path)):
                self.known += 1
                bar()
                return False
            output = self._open(path)
            if not output.was_begun:
                return True
            if not self._resume:
                output.discard_earlier()
                remark(f"{name}: an interrupted run is started again; with --resume it would be continued")
                return True
            if output.resume():
                self._outputs[path] = output
                self._reviewer.unchecked.add_count(output.progress.unchecked)
                remark(f"{name}: continued at {_percentage(output.progress.start, path)}")
                return True
            remark(f"{name}: it was finished before")
        except RedraftError as error:
            self._reviewer.fail(name, error)
        bar()
        return False

    def _open(self, path: Path) -> LongOutput:
        return LongOutput(path, self._project.name_of(path), self._destination, self._settings)

    def _add(self, reviewed: ReviewedSection) -> None:
        path, section, result = reviewed.path, reviewed.section, reviewed.result
        output = self._outputs.get(path)
        if output is None and section.is_last:
            source = InputText(str(path), section.text.source, section.mark)
            self._write_short(path, source, result.text)
            self._report(reviewed.name, len(result.edits), source.broken, result.text != source.text)
            return
        if output is None:
            output = self._open(path)
            output.begin()
            self._outputs[path] = output
        output.add(section, result)
        if section.is_last:
            changed = output.finish(partial(self._record, path))
            del self._outputs[path]
            self._report(reviewed.name, output.progress.corrections, output.progress.broken, changed)

    def _write_short(self, path: Path, source: InputText, text: str) -> None:
        if self._corrected:
            corrected = replace(source, text=text)
            sums = [hashlib.sha256(data).hexdigest() for data in (source.data, corrected.data)]
            if not self._corrected.record(path, *sums):
                sweep(self._destination.place(path), corrected)
        self._destination.write(path, source, text)

    def _record(self, path: Path, progress: Progress) -> None:
        if self._corrected:
            self._corrected.record(path, progress.source, progress.finished)

    def _report(self, name: str, corrections: int, broken: int, changed: bool) -> None:
        remark_broken(name, broken)
        if changed:
            remark(f"{name}: {count(corrections, 'correction')}")

    def _leave(self, path: Path) -> None:
        """Ends the work at a file that is not finished."""
        output = self._outputs.pop(path, None)
        if output and output.close():
            share = _percentage(output.saved.start, path)
            remark(f"{output.name}: corrected to {share}; the same command with --resume continues there")


def remark_broken(name: str, number: int) -> None:
    """Reports bytes that are not UTF-8."""
    if number:
        remark(f"{name}: {count(number, 'byte')} not UTF-8, left as {'it is' if number == 1 else 'they are'}")


def _percentage(start: SectionStart, path: Path) -> str:
    return f"{share_before(path, start):.1%}"

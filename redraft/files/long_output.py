"""The corrected text of a long file, which is written section by section. An interrupted run can be continued.

The text is written to a hidden file beside its target and gets the target's name when it is complete. A record beside
it says how far the run got.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from redraft.atomic_write import move_into_place
from redraft.check.session import CheckResult
from redraft.checksum import checksum
from redraft.errors import ConfigError, InputError
from redraft.files.destination import Destination
from redraft.files.journal import LOCK_SUFFIX
from redraft.files.sections import FilePlace, FileSection, SectionStart
from redraft.files.text_file import ChangedFileError, InputText, find_replaceable, hidden_name, real_path
from redraft.files.unchecked_count import UncheckedCount
from redraft.partial_output import PartialOutput, PartialWriter
from redraft.text.encoding import encode

_CHUNK = 1 << 20
_INTERVAL = 1.0
"""Seconds between two records: to wait for the disk at every section would slow a GPU down."""
_PRIVATE = 0o600
"""Permissions until those of the original are copied: the text may be a private one."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How much of a file is corrected and written, and what was found in it."""

    settings: str
    read: int = 0
    """In bytes."""
    source: str = hashlib.sha256().hexdigest()
    """SHA-256 of the bytes that were read."""
    written: int = 0
    """In bytes."""
    place: FilePlace = field(default_factory=FilePlace)
    corrections: int = 0
    broken: int = 0
    """Bytes that are not UTF-8."""
    unchecked: UncheckedCount = field(default_factory=UncheckedCount)
    finished: str = ""
    """SHA-256 of the corrected text, once it is complete."""

    @classmethod
    def parse(cls, facts: dict[str, Any]) -> Progress:
        """Raises TypeError or ValueError for what is no record."""
        place, unchecked = FilePlace(**facts.pop("place", {})), UncheckedCount(**facts.pop("unchecked", {}))
        progress = cls(**facts, place=place, unchecked=unchecked)
        if not all(isinstance(number, int) and number >= 0 for number in (progress.read, progress.written)):
            raise ValueError("a length is not a number")
        return progress

    @property
    def start(self) -> SectionStart:
        """Where the next section begins."""
        return SectionStart(self.place, self.read)


class LongOutput:
    """Writes the corrected text of one file. Only one run at a time can do so: it holds a lock."""

    def __init__(self, path: Path, name: str, destination: Destination, settings: str) -> None:
        self.path = path
        self.name = name
        self.progress = Progress(settings)
        self._in_place = destination.output is None
        self._target = real_path(path) if self._in_place else destination.place(path)
        hidden = hidden_name(self._target)
        self._partial = PartialOutput(
            self._target.with_name(f"{hidden}.partial"), self._target.with_name(f"{hidden}.progress")
        )
        self._lock_path = self._target.with_name(f"{hidden}{LOCK_SUFFIX}")
        self._locked, self._opened = ExitStack(), ExitStack()
        self._checksum = hashlib.sha256()
        self._writer: PartialWriter | None = None
        self._waiting: list[bytes] = []
        """Corrected sections that are not written yet."""
        self._next_record = 0.0
        self.saved = self.progress
        """What is written and recorded."""

    @property
    def was_begun(self) -> bool:
        """Whether an interrupted run has left a record."""
        return os.path.exists(self._partial.record)  # noqa: PTH110 (no error for a name that is too long)

    def resume(self) -> bool:
        """Continues where an earlier run was interrupted. False if it was interrupted only after the last step."""
        with self._closed_on_failure():
            self._lock()
            found, settings = self._read_progress(), self.progress.settings
            if found.settings != settings:
                raise ConfigError(
                    f"{self.name}: the interrupted run had another model or other options; "
                    "use the same ones, or start again without --resume"
                )
            if found.finished and not self._partial.path.exists() and self._is_written(found):
                self._discard()
                return False
            self._hash_start(found)
            self.progress = self.saved = found
            self._open()
            return True

    def begin(self) -> None:
        """Starts at the beginning of the file."""
        with self._closed_on_failure():
            self._target.parent.mkdir(parents=True, exist_ok=True)
            self._lock()
            self._open()

    def discard_earlier(self) -> None:
        """Removes what an interrupted run has left."""
        with self._closed_on_failure():
            self._lock()
            self._discard()

    def add(self, section: FileSection, result: CheckResult) -> None:
        """Takes the next section, and writes and records it at once or a little later."""
        before, source, corrected = self.progress, section.data, encode(section.mark + result.text)
        self._checksum.update(source)
        before.unchecked.add(self.name, result, section.start)
        self.progress = replace(
            before,
            read=before.read + len(source),
            source=self._checksum.hexdigest(),
            written=before.written + len(corrected),
            place=section.start.behind(section.text.source),
            corrections=before.corrections + len(result.edits),
            broken=before.broken + InputText(self.name, section.text.source).broken,
        )
        self._waiting.append(corrected)
        if time.monotonic() >= self._next_record:
            with self._named_errors():
                self._record()

    def finish(self, before_replacing: Callable[[Progress], object] = lambda progress: None) -> bool:
        """Gives the complete text its name. In place that is done only if the text has changed; False if not."""
        with self._named_errors():
            self._record()
            self.progress = replace(self.progress, finished=checksum(self._partial.path))
            self._record()
            self._close_file()
            before_replacing(self.progress)
            changed = self.progress.finished != self.progress.source
            try:
                if changed or not self._in_place:
                    self._move()
            except ChangedFileError:
                self._discard()
                raise
            self._discard()
        return changed

    def close(self) -> bool:
        """Ends the work; what was done stays for `resume`. False if there is nothing to resume."""
        if self._writer and self._waiting:
            with suppress(OSError):  # the record before it can be used
                self._record()
        self._close_file()
        self._locked.close()
        return self.was_begun

    def _move(self) -> None:
        def compare() -> None:
            if checksum(self.path) != self.progress.source:
                raise ChangedFileError(self.path)

        move_into_place(
            self._partial.path,
            self._target,
            like=self.path,
            keep_owner=self._in_place,
            durable=True,
            before_replacing=compare,
        )

    def _record(self) -> None:
        writer, self._writer = self._writer, None  # after an error nothing more is written
        assert writer is not None, "not opened"
        writer.append(b"".join(self._waiting), asdict(self.progress))
        self._writer, self._waiting, self.saved = writer, [], self.progress
        self._next_record = time.monotonic() + _INTERVAL

    def _open(self) -> None:
        if self._in_place:
            find_replaceable(self.path)  # so that an error comes before hours of work
        self._writer = self._opened.enter_context(self._partial.open(self.progress.written, _PRIVATE))

    def _lock(self) -> None:
        from filelock import FileLock, Timeout  # here, because most files are short

        lock = FileLock(self._lock_path, blocking=False)
        try:
            lock.acquire()
        except Timeout:
            raise InputError(f"{self.name}: another run is correcting it; wait for it, or stop it") from None
        self._locked.callback(lock.release)
        self._locked.callback(self._lock_path.unlink, missing_ok=True)

    def _read_progress(self) -> Progress:
        facts = self._partial.read_record()
        if facts is None:  # another run has just finished
            raise InputError(f"{self.name}: another run was correcting it; run this again")
        try:
            return Progress.parse(facts)
        except (TypeError, ValueError) as error:
            raise self._partial.damage(error) from None

    def _is_written(self, found: Progress) -> bool:
        """Whether the target has the corrected text of a run that was complete."""
        return self._target.is_file() and checksum(self._target) == found.finished

    def _hash_start(self, found: Progress) -> None:
        """Reads what the earlier run has read, and compares it."""
        left = found.read
        with self.path.open("rb") as file:
            while left and (data := file.read(min(_CHUNK, left))):
                self._checksum.update(data)
                left -= len(data)
        if left or self._checksum.hexdigest() != found.source:
            raise InputError(f"{self.name} has changed since the interrupted run; start again without --resume")

    def _discard(self) -> None:
        """Removes all files but the target."""
        self._close_file()
        self._partial.path.unlink(missing_ok=True)
        self._lock_path.unlink(missing_ok=True)
        # The record goes last: if the run is killed before, the next one knows that there is something to remove.
        self._partial.record.unlink(missing_ok=True)
        self._locked.close()

    def _close_file(self) -> None:
        self._writer = None
        self._opened.close()

    @contextmanager
    def _closed_on_failure(self) -> Iterator[None]:
        try:
            with self._named_errors():
                yield
        except BaseException:
            self.close()
            raise

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise InputError(f"{error.filename or self._target} cannot be used: {error.strerror}") from error

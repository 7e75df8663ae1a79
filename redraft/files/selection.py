"""Selects files: those named, those in folders, and those that match a pattern."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from redraft.files.gitignore import Ignored, Patterns
from redraft.files.journal import JOURNAL, LOCK_SUFFIX
from redraft.files.text_file import HIDDEN, STDIN

_MAGIC = re.compile(r"[*?\[]")
_OWN_FILES = {JOURNAL, JOURNAL + LOCK_SUFFIX}


class Selection:
    """The files of command-line arguments, in order, each once.

    A named file is taken. Of a folder, all documents that git does not ignore are taken, or the files that `include`
    matches instead. What `exclude` matches is never taken.
    """

    def __init__(
        self,
        is_document: Callable[[Path], bool],
        include: Sequence[Patterns] = (),
        exclude: Sequence[Patterns] = (),
    ) -> None:
        self._is_document = is_document
        self._include = include
        self._exclude = exclude
        self.excluded: list[Path] = []
        """Named files that are excluded."""
        self.others = 0
        """Number of files in folders that are not documents."""

    def files(self, arguments: Iterable[Path]) -> Iterator[Path]:
        seen: set[str] = set()
        for argument in arguments:
            for path in self._expand(argument):
                place = _identity(path)
                if place not in seen:
                    seen.add(place)
                    yield path

    def excludes(self, path: Path, is_folder: bool = False) -> bool:
        """Whether a file or folder, or one of its parents, is excluded."""
        place = _absolute(path)
        return self._excludes(place, is_folder) or any(self._excludes(outer, is_folder=True) for outer in place.parents)

    def _expand(self, argument: Path) -> Iterator[Path]:
        if argument == STDIN:
            yield argument
        elif _is(argument.is_dir):
            yield from self._walk(argument, self._wants)
        elif _MAGIC.search(str(argument)) and not _is(argument.exists):
            yield from self._match(argument)
        elif self.excludes(argument):
            self.excluded.append(argument)
        else:
            yield argument  # a missing file is reported when it is read

    def _match(self, argument: Path) -> Iterator[Path]:
        """The files that match a pattern that the shell did not expand."""
        plain = next(place for place, part in enumerate(argument.parts) if _MAGIC.search(part))
        root = Path(*argument.parts[:plain])
        pattern = Patterns.parse(_absolute(root), ["/" + "/".join(argument.parts[plain:])])
        found = list(self._walk(root, lambda path: bool(pattern.verdict(path)))) if _is(root.is_dir) else []
        yield from found or [argument]

    def _walk(self, folder: Path, wants: Callable[[Path], bool]) -> Iterator[Path]:
        """The files of a folder, then those of its subfolders. Links are not followed."""
        place = _absolute(folder)
        if self.excludes(folder, is_folder=True):
            self.excluded.append(folder)
            return
        waiting = [(folder, place, Ignored.above(place))]
        while waiting:
            folder, place, ignored = waiting.pop()
            try:
                entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
            except OSError:
                yield folder  # an unreadable folder is reported when it is read
                continue
            inner = []
            for entry in entries:
                path, is_folder = place / entry.name, entry.is_dir(follow_symlinks=False)
                if ignored.holds(path, is_folder) or self._excludes(path, is_folder):
                    continue
                if is_folder:
                    inner.append((folder / entry.name, path, ignored.entering(path)))
                elif not _is_own(entry.name) and entry.is_file(follow_symlinks=False) and wants(path):
                    yield folder / entry.name
            waiting += reversed(inner)

    def _wants(self, path: Path) -> bool:
        if self._include:
            return any(patterns.verdict(path) for patterns in self._include)
        wanted = self._is_document(path)
        self.others += not wanted
        return wanted

    def _excludes(self, path: Path, is_folder: bool = False) -> bool:
        return any(patterns.verdict(path, is_folder) for patterns in self._exclude)


def common_folder(paths: Sequence[Path]) -> Path:
    """The innermost folder that contains all paths; the current folder if there are none."""
    places = [_absolute(path) for path in paths if path != STDIN]
    if not places:
        return Path.cwd()
    folder = Path(os.path.commonpath(places))
    return next((place for place in (folder, *folder.parents) if _is(place.is_dir)), Path.cwd())


def _is_own(name: str) -> bool:
    """Whether it is the name of a journal, or of a file that is being written."""
    return name in _OWN_FILES or bool(HIDDEN.match(name))


def _identity(path: Path) -> str:
    """The real path of a file, the same for all its names."""
    if path == STDIN:
        return str(STDIN)
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return str(path)


def _absolute(path: Path) -> Path:
    """An absolute path without `..`, so that patterns match; links stay."""
    return Path(os.path.abspath(path))  # noqa: PTH100 (resolve would follow links)


def _is(question: Callable[[], bool]) -> bool:
    """The answer to a question about a path; False if the path is too long or has an invalid character."""
    try:
        return question()
    except (OSError, ValueError):
        return False

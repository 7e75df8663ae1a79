"""Files that git ignores, by the .gitignore files of a folder, its parents and its subfolders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from redraft.files.glob_pattern import GlobPattern, parse_pattern
from redraft.limited_file import read_limited

GITIGNORE = ".gitignore"
MOST_BYTES = 1 << 20
"""The largest file of patterns that is read."""
_NEVER = frozenset({".git", ".hg", ".svn", ".redraft"})
"""Folders of version control and of Redraft."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """Patterns written as in a .gitignore file, and the folder they are relative to."""

    folder: Path
    patterns: tuple[GlobPattern, ...]

    @classmethod
    def parse(cls, folder: Path, lines: Iterable[str]) -> Patterns:
        """Patterns that are not valid match nothing, as in git."""
        return cls(folder, tuple(pattern for line in lines if (pattern := parse_pattern(line))))

    def verdict(self, path: Path, is_folder: bool = False) -> bool | None:
        """True if a pattern matches the path, False if one that begins with ! does; the last one counts. If none
        does, the verdict on the innermost of the folders that the path is in, or else None.

        Patterns without a slash also match outside their folder.
        """
        names = self._names(path)
        verdicts = (self._verdict(names[:end], is_folder or end < len(names)) for end in range(len(names), 0, -1))
        return next((verdict for verdict in verdicts if verdict is not None), None)

    def verdict_alone(self, path: Path, is_folder: bool = False) -> bool | None:
        """The same without the folders that the path is in."""
        return self._verdict(self._names(path), is_folder)

    def _names(self, path: Path) -> tuple[str, ...]:
        return path.relative_to(self.folder if path.is_relative_to(self.folder) else path.anchor).parts

    def _verdict(self, names: tuple[str, ...], is_folder: bool) -> bool | None:
        found = next((pattern for pattern in reversed(self.patterns) if pattern.matches(names, is_folder)), None)
        return None if found is None else not found.negated


@dataclass(frozen=True, slots=True)
class Ignored:
    """Patterns of nested folders, the outermost first; the innermost that match decide."""

    levels: tuple[Patterns, ...] = ()

    @classmethod
    def above(cls, folder: Path) -> Ignored:
        """The patterns of a folder and its parents in the repository; only its own if the folder itself is ignored:
        then it was named on purpose.
        """
        outer = list(folder.parents)
        top = next((place for place in (folder, *outer) if (place / ".git").exists()), None)
        if top is None or top == folder:
            return cls().entering(folder)
        found = cls()
        for place in reversed(outer[: outer.index(top) + 1]):
            found = found.entering(place)
            inner = next(child for child in (folder, *outer) if child.parent == place)
            if found.holds(inner, is_folder=True):
                return cls().entering(folder)
        return found.entering(folder)

    def entering(self, folder: Path) -> Ignored:
        """The patterns inside a subfolder, its own included."""
        files = [folder / ".git" / "info" / "exclude", folder / GITIGNORE]
        levels = [Patterns.parse(folder, lines) for file in files if (lines := _lines(file))]
        return Ignored((*self.levels, *levels))

    def holds(self, path: Path, is_folder: bool = False) -> bool:
        """Whether git ignores a file or folder, given that it does not ignore the folders it is in."""
        if is_folder and path.name in _NEVER:
            return True
        verdicts = (patterns.verdict_alone(path, is_folder) for patterns in reversed(self.levels))
        return next((verdict for verdict in verdicts if verdict is not None), False)


def _lines(path: Path) -> list[str]:
    """The lines of a regular file; none if it cannot be read. A .gitignore that is a link is not read, as in git."""
    try:
        if not path.is_file() or (path.name == GITIGNORE and path.is_symlink()):
            return []
        text = read_limited(path, MOST_BYTES).decode("utf-8-sig", errors="surrogateescape")
    except OSError:
        return []
    return [line.removesuffix("\r") for line in text.split("\n")]

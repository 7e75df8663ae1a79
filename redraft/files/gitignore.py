"""Files that git ignores, by the .gitignore files of a folder, its parents and its subfolders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from redraft.limited_file import read_limited

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

GITIGNORE = ".gitignore"
MOST_BYTES = 1 << 20
"""The largest file of patterns that is read."""
_NEVER = frozenset({".git", ".hg", ".svn", ".redraft"})
"""Folders of version control and of Redraft."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """Patterns written as in a .gitignore file, and the folder they are relative to."""

    folder: Path
    spec: GitIgnoreSpec

    @classmethod
    def parse(cls, folder: Path, lines: Iterable[str]) -> Patterns:
        from pathspec import GitIgnoreSpec

        return cls(folder, GitIgnoreSpec.from_lines(lines))

    def verdict(self, path: Path, is_folder: bool = False) -> bool | None:
        """True if a pattern matches, False if one that begins with ! does, None if none does.

        Patterns without a slash also match outside their folder.
        """
        inside = path.is_relative_to(self.folder)
        name = path.relative_to(self.folder if inside else path.anchor).as_posix()
        return self.spec.check_file(f"{name}/" if is_folder else name).include


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
        if is_folder and path.name in _NEVER:
            return True
        verdicts = (patterns.verdict(path, is_folder) for patterns in reversed(self.levels))
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

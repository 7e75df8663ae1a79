"""What git leaves out: the .gitignore files of a folder, of the folders above it and of those inside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

GITIGNORE = ".gitignore"
_NEVER = frozenset({".git", ".hg", ".svn", ".redraft"})
"""Folders that version control and Redraft keep for themselves."""


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
        """True where a pattern fits, False where one that begins with ! does, None where none has a say.

        Elsewhere than in their folder, patterns without a slash fit as well.
        """
        inside = path.is_relative_to(self.folder)
        name = path.relative_to(self.folder if inside else path.anchor).as_posix()
        return self.spec.check_file(f"{name}/" if is_folder else name).include


@dataclass(frozen=True, slots=True)
class Ignored:
    """Patterns from the outside in: the innermost that has a say decides."""

    levels: tuple[Patterns, ...] = ()

    @classmethod
    def above(cls, folder: Path) -> Ignored:
        """What holds in a folder because of the repository it lies in; nothing if the folder itself is ignored there.

        Whoever names an ignored folder wants what is in it.
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
        """What holds inside a folder, its own patterns too."""
        files = [folder / ".git" / "info" / "exclude", folder / GITIGNORE]
        levels = [Patterns.parse(folder, lines) for file in files if (lines := _lines(file))]
        return Ignored((*self.levels, *levels))

    def holds(self, path: Path, is_folder: bool = False) -> bool:
        if is_folder and path.name in _NEVER:
            return True
        verdicts = (patterns.verdict(path, is_folder) for patterns in reversed(self.levels))
        return next((verdict for verdict in verdicts if verdict is not None), False)


def _lines(path: Path) -> list[str]:
    """A file that cannot be read ignores nothing."""
    try:
        text = path.read_bytes().decode("utf-8-sig", errors="surrogateescape")
    except OSError:
        return []
    return [line.removesuffix("\r") for line in text.split("\n")]

"""Where corrected texts go: over the files they come from, or into a folder of their own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from redraft.errors import InputError
from redraft.files.text_file import InputText, replace_text, write_copy


@dataclass(frozen=True, slots=True)
class Destination:
    folder: Path
    """The innermost that holds all files."""
    output: Path | None = None
    """Files in it lie as they do in `folder`; None to change the files themselves."""

    def __post_init__(self) -> None:
        if self.output and self.folder.resolve().is_relative_to(self.output.resolve()):
            raise InputError(f"--output {self.output} holds the files themselves; name another folder, or use --write")
        if self.output and self.output.exists() and not self.output.is_dir():
            raise InputError(f"--output {self.output} is no folder")

    def holds(self, path: Path) -> bool:
        """Was a file written by an earlier run? Then it is none to correct."""
        return bool(self.output and path.resolve().is_relative_to(self.output.resolve()))

    def place(self, path: Path) -> Path:
        return self.output / self.name(path) if self.output else path

    def name(self, path: Path) -> str:
        """What a file is called in its folder."""
        place = path.absolute()
        # A path with `..` in it, or one that leads through a link, is seen from where it ends.
        inside = place if place.is_relative_to(self.folder) and ".." not in place.parts else place.resolve()
        folder = self.folder if inside.is_relative_to(self.folder) else self.folder.resolve()
        return inside.relative_to(folder).as_posix()

    def write(self, path: Path, source: InputText, text: str) -> None:
        """In place, only what has changed; elsewhere, every file."""
        if self.output:
            write_copy(self.place(path), path, source, text)
        elif text != source.text:
            replace_text(path, source, text)
